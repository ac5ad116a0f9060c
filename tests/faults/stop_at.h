// SPDX-License-Identifier: Apache-2.0
// What libpawl_stop_at.so and the tests share: its environment, and the page in which it counts.
// The page is a file that both map, so that what is in it outlives a killed process.
//
//   PAWL_STOP_FOLDER  only calls below this folder count (an absolute path without links)
//   PAWL_STOP_PAGE    the page: a file of sizeof(StopPage) bytes
//   PAWL_STOP_KIND    only calls of this kind count: write, sync, create, rename, remove, folder,
//   size PAWL_STOP_AT      at which call, counted from 1; without it, it only counts PAWL_STOP_HOW
//   what happens then:
//     kill        SIGKILL before the call
//     kill_after  SIGKILL when the call is done
//     torn        SIGKILL when the first half of a write is done; like kill for other calls
//     eio         this call and all later ones of its kind fail; a write after its first half
//     enospc      the same, but this write only comes out short, as it does on a full disk
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace pawl::testing {

inline constexpr std::size_t kStopNameBytes = 400;

struct StopPage {
  std::atomic<std::uint64_t> calls;
  std::atomic<std::uint32_t> stopped;  // 1: the call has come
  char name[kStopNameBytes];  // of that call: "fdatasync /data/log/0000000000000001", below the
                              // folder
};

}  // namespace pawl::testing
