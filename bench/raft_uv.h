// SPDX-License-Identifier: Apache-2.0
// The peer to compare with: one node on libraft's own libuv disk and network driver, with a state
// machine that does nothing. Its snapshots are off and it never refuses for want of a prepared
// segment: both in its favour. Runs a loop of its own in the calling thread; blocks.
#pragma once

#include "raft_bare.h"

#ifdef __cplusplus
extern "C" {
#endif

// `in_flight` entries are under way at any time; each completion submits the next.
struct bench_outcome raft_uv_run(const struct bench_load* load);

#ifdef __cplusplus
}
#endif
