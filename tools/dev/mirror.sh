# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Finds the Debian mirror that this machine's apt already uses, so that the project need not name one.

# shellcheck disable=SC2034 # used by those who source this
readonly backports_file=/etc/apt/sources.list.d/pawl-backports.sources

apt_targets() { # [OPTION...]: one line a package index, "suite|component|origin|codename|site|uri|file:entry"
  # apt expands the $(...), not the shell.
  # shellcheck disable=SC2016
  LC_ALL=C apt-get indextargets "$@" 'Created-By: Packages' \
    --format '$(RELEASE)|$(COMPONENT)|$(ORIGIN)|$(CODENAME)|$(SITE)|$(REPO_URI)|$(SOURCESENTRY)' 2>/dev/null || true
}

suite_is_configured() { # SUITE
  apt_targets --no-release-info | awk -F'|' -v suite="$1" '$1 == suite && $2 == "main" { yes = 1 } END { exit !yes }'
}

# Sets mirror_site (fit to print), mirror_uri and mirror_file. Only an index signed as Debian's own
# counts, so a third party's suite of the same name is never taken; -security is another codename.
# Before the first `apt-get update` nothing is known of origins: then the only address for that suite is
# a guess, good enough to tell the user about but not to act on.
find_mirror() { # CODENAME [guess]
  local found
  found=$(apt_targets | awk -F'|' -v name="$1" '$4 == name && $2 == "main" && $3 == "Debian" { print; exit }')
  if [[ -z $found && ${2-} == guess ]]; then
    found=$(apt_targets --no-release-info | awk -F'|' -v name="$1" '
      $1 == name && $2 == "main" { line = $0; if (!seen[$6]++) different++ }
      END { if (different == 1) print line }')
  fi
  [[ -n $found ]] || return 1
  # shellcheck disable=SC2034
  IFS='|' read -r mirror_suite _ _ _ mirror_site mirror_uri mirror_file <<<"$found"
  mirror_file=${mirror_file%:*}
}

# The options of the entry in FILE that names URI and SUITE, as deb822 fields: the key that signs the
# mirror's main suite signs its backports too.
source_options() { # FILE URI SUITE
  awk -v uri="${2%/}" -v suite="$3" -v oneline="$([[ $1 == *.sources ]] || echo 1)" '
    function wanted(name) { return name ~ /^(signed-by|architectures|trusted|check-valid-until)$/ }
    function has(list, item,   i, n, words) {
      n = split(list, words, /[ \t\n]+/)
      for (i = 1; i <= n; i++) { sub(/\/$/, "", words[i]); if (words[i] == item) return 1 }
      return 0
    }
    function end_stanza(   i) {
      if (!done && has(field["types"], "deb") && has(field["uris"], uri) && has(field["suites"], suite) &&
          tolower(field["enabled"]) !~ /no|false|off|0/) {
        for (i = 1; i <= count; i++) if (wanted(order[i])) printf "%s", raw[order[i]]
        done = 1
      }
      split("", field); split("", raw); count = 0; name = ""
    }
    function one_line(   i, n, pairs, at, key, value, options, rest) {
      rest = $0
      sub(/#.*/, "", rest)
      if (done || rest !~ /^[ \t]*deb[ \t]/) return
      sub(/^[ \t]*deb[ \t]+/, "", rest)
      options = ""
      if (match(rest, /^\[[^]]*\]/)) {
        options = substr(rest, 2, RLENGTH - 2)
        rest = substr(rest, RLENGTH + 1)
      }
      sub(/^[ \t]+/, "", rest)
      n = split(rest, pairs, /[ \t]+/)
      sub(/\/$/, "", pairs[1])
      if (pairs[1] != uri || pairs[2] != suite) return
      n = split(options, pairs, /[ \t]+/)
      for (i = 1; i <= n; i++) {
        if (!(at = index(pairs[i], "="))) continue
        key = tolower(substr(pairs[i], 1, at - 1))
        value = substr(pairs[i], at + 1)
        gsub(/,/, " ", value)
        if (key == "arch") key = "architectures"
        if (wanted(key)) print key ": " value
      }
      done = 1
    }
    oneline { one_line(); next }
    /^#/ { next }
    /^[ \t]*$/ { end_stanza(); next }
    /^[ \t]/ { if (name != "") { field[name] = field[name] "\n" $0; raw[name] = raw[name] $0 "\n" }; next }
    {
      name = tolower(substr($0, 1, index($0, ":") - 1))
      order[++count] = name
      field[name] = substr($0, index($0, ":") + 1)
      raw[name] = $0 "\n"
    }
    END { if (!oneline) end_stanza() }
  ' "$1"
}
