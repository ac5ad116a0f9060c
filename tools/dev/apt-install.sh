#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs Debian packages; the only part of ./dev that runs as root.
#   apt-install.sh PACKAGE... [--backports CODENAME PACKAGE...]
# Says what it does on stdout; apt's own output goes to stderr, which ./dev sends to a log.
# No service that it installs is started, now or at the next boot, and none that runs is stopped.
set -euo pipefail

here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
# shellcheck source=tools/dev/mirror.sh
source "$here/mirror.sh"

export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 UCF_FORCE_CONFFOLD=1

readonly policy=/usr/sbin/policy-rc.d
readonly policy_saved=$policy.pawl-saved
readonly policy_mark='# Temporary: no service starts while pawl/dev installs packages.'
readonly cluster_conf=/etc/postgresql-common/createcluster.conf

scratch=$(mktemp -d)
plain=() backported=() # the packages asked for

# Debian asks policy-rc.d before a package may start its service; 101 means no.
forbid_starting() {
  restore_policy # a killed run may have left its own behind; flock says that run is gone
  if [[ -e $policy || -L $policy ]]; then
    mv "$policy" "$policy_saved"
  fi
  printf '#!/bin/sh\n%s\nexit 101\n' "$policy_mark" >"$scratch/policy"
  install -m 755 "$scratch/policy" "$policy"
}

restore_policy() {
  if [[ -f $policy ]] && grep -qxF "$policy_mark" "$policy"; then
    rm -f "$policy"
  fi
  if [[ ! -e $policy && ( -e $policy_saved || -L $policy_saved ) ]]; then
    mv "$policy_saved" "$policy"
  fi
}

apt_get() {
  local attempt status=0
  for attempt in 1 2; do
    echo "+ apt-get $*" >&2
    status=0
    apt-get -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 \
      -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold "$@" \
      </dev/null 9<&- 2>&1 | tee "$scratch/last" >&2 || status=$?
    ((status)) || return 0
    # The timeout covers dpkg's lock but not the one on the package lists.
    grep -qE 'Could not get lock|Unable to (acquire|lock)' "$scratch/last" || break
    ((attempt == 2)) || sleep 20
  done
  return "$status"
}

install_packages() {
  apt_get install -y --no-install-recommends "$@"
}

add_backports() { # CODENAME
  local options
  if suite_is_configured "$1-backports"; then
    return 0
  fi
  if ! find_mirror "$1"; then
    echo "No apt source on this machine offers Debian's $1/main, so the mirror for $1-backports is not known."
    echo "Add $1-backports to apt's sources by hand and call ./dev again."
    return 1
  fi
  echo "Adding $1-backports from $mirror_site ($backports_file)"
  options=$(source_options "$mirror_file" "$mirror_uri" "$mirror_suite")
  {
    echo "# Written by pawl/dev: the same mirror as $mirror_file. Backports are only taken when asked for by name."
    printf 'Types: deb\nURIs: %s\nSuites: %s-backports\nComponents: main\n' "$mirror_uri" "$1"
    [[ -z $options ]] || printf '%s\n' "$options"
  } >"$scratch/sources"
  install -m 644 "$scratch/sources" "$backports_file"
  chmod --reference="$mirror_file" "$backports_file" # a mirror's address may hold a password
  if ! apt_get update || ! apt_targets | grep "^$1-backports|main|" >&2; then
    # Left behind, a source that does not work would break apt for everyone.
    rm -f "$backports_file"
    echo "$1-backports could not be read from $mirror_site; removed $backports_file again."
    return 1
  fi
}

installed_packages() {
  dpkg-query -W -f '${db:Status-Status} ${Package}\n' | sed -n 's/^installed //p' | sort -u
}

# Packages enable their services for the next boot; undo that for the ones just installed.
disable_new_services() {
  local wanted name unit
  [[ -f $scratch/before ]] && command -v systemctl >/dev/null || return 0
  installed_packages >"$scratch/after"
  comm -13 "$scratch/before" "$scratch/after" | while read -r name; do
    for wanted in "${plain[@]}" "${backported[@]}"; do
      [[ $name == "$wanted"* ]] || continue
      dpkg -L "$name" | sed -nE 's#^(/usr)?/lib/systemd/system/([^@/]+)\.service$#\2#p; s#^/etc/init\.d/([^/]+)$#\1#p' |
        sort -u | while read -r unit; do
        systemctl disable "$unit.service" >&2 || true
      done
    done
  done
}

# Runs however we end, so that half an installation leaves nothing odd behind.
finish() {
  restore_policy
  disable_new_services || true
  rm -rf "$scratch"
}

main() {
  local codename=''
  while (($#)); do
    if [[ $1 == --backports ]]; then
      codename=$2
      shift 2
      backported=("$@")
      break
    fi
    plain+=("$1")
    shift
  done

  exec 9</usr/sbin # one at a time on this machine; a lock on a directory leaves no file behind
  flock 9
  trap finish EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  forbid_starting
  installed_packages >"$scratch/before"

  if [[ " ${plain[*]-} " == *" postgresql"* && ! -e $cluster_conf ]]; then
    mkdir -p "${cluster_conf%/*}"
    printf '# Written by pawl/dev: its tests make clusters of their own.\ncreate_main_cluster = false\n' >"$cluster_conf"
  fi

  echo "Reading the package lists"
  # One broken source must not stop us: if it matters, the installation below fails and says so.
  apt_get update || echo "Some package lists could not be read; going on with the others"
  if ((${#plain[@]})); then
    echo "Installing: ${plain[*]}"
    install_packages "${plain[@]}"
  fi
  if ((${#backported[@]})); then
    add_backports "$codename"
    echo "Installing from $codename-backports: ${backported[*]}"
    install_packages -t "$codename-backports" "${backported[@]}"
  fi
}

main "$@"
