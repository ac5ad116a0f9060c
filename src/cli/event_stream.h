// SPDX-License-Identifier: Apache-2.0
// Server-sent events from the bytes of a stream. Bounded: a line or an event that is too long is an
// error. Plain value, used by one thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace pawl::cli {

struct StreamEvent {
  std::string id;  // the last one seen
  std::string name;
  std::string data;
};

class EventStream {
 public:
  // False: enough.
  using OnEvent = std::function<bool(const StreamEvent&)>;

  // Gives every event that is now complete. False: enough, or the stream is not to be trusted
  // (is_broken()).
  bool feed(std::string_view bytes, const OnEvent& on_event);
  bool is_broken() const { return broken_; }

 private:
  bool line(std::string_view text, const OnEvent& on_event);

  std::string line_;
  bool after_return_ = false;
  bool has_data_ = false;
  bool broken_ = false;
  StreamEvent event_;
};

}  // namespace pawl::cli
