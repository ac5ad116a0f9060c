// SPDX-License-Identifier: Apache-2.0
#include "doors/http/event_stream.h"

#include <utility>

namespace pawl::doors::http {
namespace {

constexpr std::string_view kMissed =
    "event: missed\n"
    "data: {\"event\":\"missed\",\"detail\":\"Some events before the next one are no longer kept; "
    "list the locks to see how they stand now.\"}\n\n";

void append(std::string& out, const service::FeedEvent& event) {
  if (event.id) {
    out += "id: ";
    out += to_text(*event.id);
    out += '\n';
  }
  out += "event: ";
  out += event.name;
  out += "\ndata: ";
  out += event.json;
  out += "\n\n";
}

}  // namespace

EventStream::EventStream(const service::Feed& feed, Stream start)
    : feed_(feed), at_(std::move(start)) {}

bool EventStream::fill(std::string& out) {
  const std::size_t begin = out.size();
  const auto read =
      feed_.read(at_.from, at_.filter, kMostEvents, [&](const service::FeedEvent& event) {
        append(out, event);
        return out.size() - begin < kEnoughBytes;
      });
  at_.from = read.next;
  if (std::exchange(at_.missed, false) || read.missed) out.insert(begin, kMissed);
  return read.more;
}

}  // namespace pawl::doors::http
