# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What is installed, what is missing, and getting it: `require GROUP...` and the doctor.

: "${root:?}"
# shellcheck source=tools/dev/packages.sh
source "$root/tools/dev/packages.sh"
# shellcheck source=tools/dev/mirror.sh
source "$root/tools/dev/mirror.sh"

os_id='' os_codename='' os_name='this system'
if [[ -r /etc/os-release ]]; then
  # shellcheck disable=SC1091
  IFS='|' read -r os_id os_codename os_name < <(. /etc/os-release && echo "${ID-} ${VERSION_ID-}|${VERSION_CODENAME-}|${PRETTY_NAME-}")
fi

os_is_supported() { [[ $os_id == 'debian 12' || $os_id == 'debian 13' ]]; }

# How this user can act as root: "" (is root already), "sudo", or "none".
root_way() {
  if ((EUID == 0)); then
    echo ''
  elif command -v sudo >/dev/null && { on_terminal || sudo -n true 2>/dev/null; }; then
    echo sudo
  else
    echo none
  fi
}

on_terminal() { [[ -t 0 && -t 1 ]]; }

declare -a scanned=() missing=() missing_plain=() missing_backports=()
declare -A group_of=() state_of=() version_of=() minimum_of=() backports_of=()

# The version of a thing recognised by its sign; fails if it is not there.
probe() { # SIGN
  case $1 in
    cmd:*) command -v "${1#cmd:}" >/dev/null && echo '?' ;;
    pc:*) pkg-config --modversion "${1#pc:}" 2>/dev/null ;;
    h:*) header_version "${1#h:}" ;;
    *) return 1 ;;
  esac
}

# The text of a macro, as "1_81" or "1.81", in a header on the compiler's path.
header_version() { # HEADER:MACRO
  local version
  version=$(printf '#include <%s>\n%s\n' "${1%%:*}" "${1#*:}" | g++ -E -P -x c++ - 2>/dev/null | tail -n 1) || return 1
  version=${version//\"/}
  echo "${version//_/.}"
}

scan() { # GROUP...
  local group name minimum backports sign status version
  local -A sign_of=()
  scanned=() missing=() missing_plain=() missing_backports=() version_of=()
  while read -r group name minimum backports sign; do
    [[ " $* " == *" $group "* ]] || continue
    if [[ $name == *"@$os_codename="* ]]; then name=${name#*=}; else name=${name%%@*}; fi
    scanned+=("$name")
    group_of[$name]=$group minimum_of[$name]=$minimum backports_of[$name]=$backports sign_of[$name]=$sign
  done < <(package_table)

  if os_is_supported; then
    while read -r status name version; do
      [[ $status != installed ]] || version_of[$name]=$version
    done < <(dpkg-query -W -f '${db:Status-Status} ${Package} ${Version}\n' "${scanned[@]}" 2>/dev/null)
  else
    for name in "${scanned[@]}"; do
      if version=$(probe "${sign_of[$name]}"); then version_of[$name]=$version; fi
    done
  fi

  for name in "${scanned[@]}"; do
    version=${version_of[$name]-} minimum=${minimum_of[$name]}
    if [[ -z $version ]]; then
      state_of[$name]=missing
    elif [[ $minimum != - ]] && ! version_reaches "$version" "$minimum"; then
      state_of[$name]='too old'
    else
      state_of[$name]=present
      continue
    fi
    missing+=("$name")
    if [[ ${backports_of[$name]} == "$os_codename" ]]; then
      missing_backports+=("$name")
    else
      missing_plain+=("$name")
    fi
  done
}

version_reaches() { # VERSION MINIMUM
  if command -v dpkg >/dev/null; then
    dpkg --compare-versions "$1" ge "$2"
  else
    [[ $(printf '%s\n' "$1" "$2" | sort -V | head -n 1) == "$2" ]]
  fi
}

describe() { # PACKAGE
  local minimum=${minimum_of[$1]}
  [[ $minimum == - ]] && echo "$1" || echo "$1 ($minimum or newer)"
}

describe_backports() {
  if suite_is_configured "$os_codename-backports"; then
    echo "$os_codename-backports, already among this machine's apt sources"
    return
  fi
  if find_mirror "$os_codename" guess; then
    echo "$os_codename-backports ($mirror_site, which apt here already uses), added as $backports_file"
  else
    echo "$os_codename-backports (the Debian mirror that apt here uses, known after apt-get update), added as $backports_file"
  fi
}

list_missing() {
  local name
  for name in "${missing[@]}"; do
    say "  $(describe "$name")"
  done
}

explain_by_hand() {
  complain "install these as root, then call ./dev again:"
  if ((${#missing_plain[@]})); then
    printf '  apt-get install --no-install-recommends %s\n' "${missing_plain[*]}" >&2
  fi
  if ((${#missing_backports[@]})); then
    if ! suite_is_configured "$os_codename-backports"; then
      find_mirror "$os_codename" guess || mirror_site=MIRROR
      printf '  echo "deb %s %s-backports main" >/etc/apt/sources.list.d/%s-backports.list && apt-get update\n' \
        "$mirror_site" "$os_codename" "$os_codename" >&2
    fi
    printf '  apt-get install --no-install-recommends -t %s-backports %s\n' \
      "$os_codename" "${missing_backports[*]}" >&2
  fi
}

confirm() {
  local answer=''
  say "These Debian packages are missing:"
  list_missing
  ((${#missing_backports[@]} == 0)) || say "${missing_backports[*]} from $(describe_backports)."
  read -r -p 'Install them now? [y/N] ' answer || true
  [[ $answer == [yY] || $answer == [yY][eE][sS] ]]
}

# Installs what is missing of these groups. Quick and silent when nothing is.
require() { # GROUP...
  local way log=$root/build/install.log variable
  local -a as_root=() arguments=()
  scan "$@"
  ((${#missing[@]})) || return 0

  if ! os_is_supported; then
    complain "$os_name is neither Debian 12 nor 13, so nothing is installed by itself. Missing, by Debian's names:"
    list_missing >&2
    return 1
  fi
  way=$(root_way)
  if [[ $way == none ]]; then
    complain "${#missing[@]} packages are missing, and this user is neither root nor allowed to use sudo without a terminal"
    explain_by_hand
    return 1
  fi
  if on_terminal && ! confirm; then
    complain "nothing was installed"
    return 1
  fi

  if [[ $way == sudo ]]; then
    as_root=(sudo env)
    for variable in http_proxy https_proxy no_proxy; do
      [[ -z ${!variable-} ]] || as_root+=("$variable=${!variable}")
    done
  fi
  arguments=("${missing_plain[@]}")
  ((${#missing_backports[@]} == 0)) || arguments+=(--backports "$os_codename" "${missing_backports[@]}")
  mkdir -p "$root/build"
  if ! "${as_root[@]}" bash "$root/tools/dev/apt-install.sh" "${arguments[@]}" 2>"$log"; then
    tail -n 25 "$log" >&2
    complain "the installation failed; all of apt's output is in build/install.log"
    return 1
  fi
  touch "$root/build/.packages-changed"
  scan "$@"
  if ((${#missing[@]})); then
    complain "still missing after the installation (see build/install.log): ${missing[*]}"
    return 1
  fi
}

cmd_doctor() {
  no_arguments doctor "$@"
  local name action way
  scan build check servers bench
  way=$(root_way)
  say "System: $os_name"
  say
  printf '%-8s %-20s %-8s  %s\n' GROUP PACKAGE STATE VERSION
  for name in "${scanned[@]}"; do
    action=${version_of[$name]-}
    [[ ${minimum_of[$name]} == - ]] || action+="${action:+ }(needs ${minimum_of[$name]} or newer)"
    printf '%-8s %-20s %-8s  %s\n' "${group_of[$name]}" "$name" "${state_of[$name]}" "$action"
  done
  say
  if ((${#missing[@]} == 0)); then
    say "Nothing is missing."
    return 0
  fi
  if ! os_is_supported; then
    say "./dev installs nothing here: it knows only Debian 12 and 13. Install what is missing by hand."
  elif [[ $way == none ]]; then
    say "./dev cannot install here: not root, and no sudo."
    explain_by_hand
  else
    say "The next ./dev command that needs them would ask on a terminal, then install with apt${way:+, through $way}:"
    ((${#missing_plain[@]} == 0)) || say "  ${missing_plain[*]}"
    ((${#missing_backports[@]} == 0)) || say "  ${missing_backports[*]} from $(describe_backports)"
  fi
  return 1
}
