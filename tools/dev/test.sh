# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Runs the tests of every preset and counts them; the last line is always "N passed, N failed".

: "${root:?}"

passed=0 failed=0 skipped=0

cmd_test() {
  local filter='' long=''
  while (($#)); do
    case $1 in
      --long) long=1 ;;
      -*) usage_error "'test' knows no option '$1'; see ./dev help" ;;
      *)
        [[ -z $filter ]] || usage_error "'test' takes one filter, got '$filter' and '$1'"
        filter=$1
        ;;
    esac
    shift
  done
  [[ -z $long ]] || export PAWL_TEST_LONG=1

  if ! require build check servers; then
    failed=1
  elif [[ -n $filter ]]; then
    stage dev test_preset dev -R "$filter"
  else
    stage dev test_preset dev
    stage asan test_preset asan
    stage tsan test_preset tsan -L threads
    stage fuzz test_preset fuzz -L fuzz
    stage format test_format
  fi

  say
  if ((skipped)); then
    say "$passed passed, $failed failed, $skipped skipped"
  else
    say "$passed passed, $failed failed"
  fi
  ((failed == 0 && passed > 0))
}

stage() { # NAME COMMAND...
  local name=$1 start=$SECONDS before_passed=$passed before_failed=$failed
  shift
  heading "$name"
  "$@"
  say "-- $name: $((passed - before_passed)) passed, $((failed - before_failed)) failed in $((SECONDS - start)) s"
}

# What a preset builds, where that is less than everything.
targets_of() { # PRESET
  case $1 in
    tsan) echo threads_tests ;;
    fuzz) echo fuzz_tests ;;
  esac
}

test_preset() { # PRESET CTEST-OPTION...
  local preset=$1 status=0 p=0 f=0 s=0
  local junit=$root/build/$preset/junit.xml
  local -a prefix targets
  shift
  mapfile -t targets < <(targets_of "$preset")
  if ! build_preset "$preset" "${targets[@]}"; then
    say "FAILED: preset $preset does not build, so none of its tests ran"
    failed=$((failed + 1))
    return 0
  fi
  rm -f "$junit"
  mapfile -t prefix < <(sanitizer_prefix "$preset")
  "${prefix[@]}" ctest --test-dir "$root/build/$preset" --output-on-failure --no-tests=error -j2 \
    --output-junit "$junit" "$@" || status=$?
  read -r p f s < <(python3 "$root/tools/dev/count_junit.py" "$junit") || true
  if ((p + f + s == 0)); then
    say "FAILED: preset $preset has no such tests${*:+ (ctest $*)}"
    f=1
  elif ((f == 0 && status != 0)); then
    say "FAILED: ctest of preset $preset ended with status $status though no test failed"
    f=1
  fi
  passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
}

test_format() {
  if check_format; then
    passed=$((passed + 1))
  else
    say "FAILED: formatting; ./dev fmt mends it"
    failed=$((failed + 1))
  fi
}
