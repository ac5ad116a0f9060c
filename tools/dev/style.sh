# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Formatting and lint.

: "${root:?}"

# Every C and C++ file that is or could be committed, NUL-separated; build/ is ignored by git.
source_files() {
  git -C "$root" ls-files -z --cached --others --exclude-standard -- '*.c' '*.h' '*.cpp' 2>/dev/null ||
    (cd "$root" && find . -path ./build -prune -o \( -name '*.c' -o -name '*.h' -o -name '*.cpp' \) -type f -print0)
}

existing_source_files() {
  local file
  while IFS= read -r -d '' file; do
    [[ ! -f $root/$file ]] || printf '%s\0' "$file"
  done < <(source_files)
}

clang_format() { # OPTION...
  (
    cd "$root" || exit
    if [[ ! -f .clang-format ]]; then
      complain "there is no .clang-format"
      exit 1
    fi
    mapfile -d '' -t files < <(existing_source_files)
    if ((${#files[@]} == 0)); then
      complain "there are no C or C++ files to format"
      exit 1
    fi
    printf '%s\0' "${files[@]}" | xargs -0 -n 100 clang-format-19 --style=file "$@"
  )
}

check_format() { clang_format --dry-run -Werror; }

cmd_fmt() {
  no_arguments fmt "$@"
  require build check
  clang_format -i
}

# clang-tidy needs the flags a file is compiled with, so only files of the dev build are checked; being
# outside src/, tools/ and tests/, generated code never is.
tidy_files() {
  python3 - "$root" <<'PYTHON'
import json, os, sys
root = os.path.realpath(sys.argv[1])
with open(os.path.join(root, "build/dev/compile_commands.json"), encoding="utf-8") as database:
    entries = json.load(database)
files = {os.path.realpath(os.path.join(entry["directory"], entry["file"])) for entry in entries}
ours = tuple(os.path.join(root, room, "") for room in ("src", "tools", "tests"))
for file in sorted(files):
    if file.startswith(ours) and file.endswith(".cpp"):
        sys.stdout.write(file + "\0")
PYTHON
}

check_tidy() {
  # GCC's own warning flags are in the compile commands; clang need not know them.
  tidy_files | xargs -0 -r -n 1 -P 2 clang-tidy-19 -p "$root/build/dev" --quiet --warnings-as-errors='*' \
    --extra-arg=-Wno-unknown-warning-option 2>&1 | sed -E '/^[0-9]+ warnings? generated\.$/d'
}

check_shell() {
  if ! command -v shellcheck >/dev/null; then
    say "shellcheck is not installed; the shell scripts are not checked"
    return 0
  fi
  (cd "$root" && shellcheck -x dev .ci/run tools/dev/*.sh)
}

cmd_lint() {
  no_arguments lint "$@"
  local status=0
  require build check
  heading "clang-format"
  check_format || status=1
  heading "clang-tidy"
  if build_preset dev; then
    check_tidy || status=1
  else
    status=1
  fi
  heading "shellcheck"
  check_shell || status=1
  return "$status"
}
