// SPDX-License-Identifier: Apache-2.0
// One reader of the event feed as server-sent events: a place in the feed and the words around each
// event. It holds no events, so a slow reader costs nothing and is told when it missed some. Not
// thread-safe: owned by a session, in the loop.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "doors/http/api.h"
#include "service/feed.h"

namespace pawl::doors::http {

class EventStream {
 public:
  // One fill() stops soon after so many bytes, or after so many events that were looked at: the
  // loop has others to serve.
  static constexpr std::size_t kEnoughBytes = 32 * 1024;
  static constexpr std::size_t kMostEvents = 1'000;

  static constexpr std::string_view kGreeting = ": pawl events\n\n";
  static constexpr std::string_view kHeartbeat = ": heartbeat\n\n";

  // The feed must outlive it.
  EventStream(const service::Feed& feed, Stream start);

  // Appends what is new to `out`. True: there is more to look at now.
  bool fill(std::string& out);

 private:
  const service::Feed& feed_;
  Stream at_;
};

}  // namespace pawl::doors::http
