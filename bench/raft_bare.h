// SPDX-License-Identifier: Apache-2.0
// The least that a lone node must do: raft_step() for each batch, one write into a preallocated
// file, one fdatasync, raft_step() again. No codec, no state machine, no second thread. Blocks; C,
// because <raft.h> is not valid C++.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Called for each batch (raft_bare_run) or entry (raft_uv_run) that was measured.
typedef void (*bench_on_latency)(void* context, uint64_t nanoseconds);

struct bench_load {
  const char* folder;    // there, and empty
  unsigned in_flight;    // entries at once
  unsigned entry_bytes;  // a multiple of 8
  double warm_up_seconds;
  double seconds;
  bench_on_latency on_latency;
  void* context;
};

struct bench_outcome {
  uint64_t entries;  // measured, without the warm-up
  double seconds;
  double cpu_seconds;  // of the whole process, meanwhile
  char error[384];     // empty: it worked
};

// One batch of `in_flight` entries after the other.
struct bench_outcome raft_bare_run(const struct bench_load* load);

// CLOCK_MONOTONIC, and what this process has used of the processors.
uint64_t bench_now_ns(void);
uint64_t bench_cpu_ns(void);

// A zero-filled, synced file of this size, open for writing; -1 and errno.
int bench_zeroed_file(const char* path, uint64_t bytes);

#ifdef __cplusplus
}
#endif
