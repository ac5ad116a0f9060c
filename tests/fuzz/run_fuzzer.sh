#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run_fuzzer.sh PROGRAM CORPUS WORK: a short run over a copy of the corpus, or 300 s with PAWL_TEST_LONG=1. WORK keeps
# what was found from run to run; an input that breaks something is left in WORK/found.
set -eu
program=$1 corpus=$2 work=$3
seconds=10
[ "${PAWL_TEST_LONG:-}" != 1 ] || seconds=300
mkdir -p "$work/corpus" "$work/found"
"$program" -rss_limit_mb=2048 -timeout=20 -artifact_prefix="$work/found/" -runs=0 "$corpus"
"$program" -rss_limit_mb=2048 -timeout=20 -artifact_prefix="$work/found/" -max_len=16384 \
  -max_total_time="$seconds" -print_final_stats=1 "$work/corpus" "$corpus"
