// SPDX-License-Identifier: Apache-2.0
#include "cli/event_stream.h"

#include <cstddef>

namespace pawl::cli {
namespace {
constexpr std::size_t kMaxBytes = std::size_t{1} << 20;
}

bool EventStream::feed(std::string_view bytes, const OnEvent& on_event) {
  for (const char c : bytes) {
    const bool second_of_two = c == '\n' && after_return_;
    after_return_ = c == '\r';
    if (second_of_two) continue;
    if (c != '\n' && c != '\r') {
      line_ += c;
      if (line_.size() > kMaxBytes) {
        broken_ = true;
        return false;
      }
      continue;
    }
    const bool more = line(line_, on_event);
    line_.clear();
    if (!more) return false;
  }
  return true;
}

bool EventStream::line(std::string_view text, const OnEvent& on_event) {
  if (text.empty()) {
    const bool more = !has_data_ || on_event(event_);
    event_.name.clear();
    event_.data.clear();
    has_data_ = false;
    return more;
  }
  const std::size_t colon = text.find(':');
  const std::string_view field = text.substr(0, colon);  // empty: a comment
  std::string_view value = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (field == "id") {
    if (value.find('\0') == std::string_view::npos) event_.id = value;
  } else if (field == "event") {
    event_.name = value;
  } else if (field == "data") {
    if (has_data_) event_.data += '\n';
    event_.data += value;
    has_data_ = true;
    broken_ = event_.data.size() > kMaxBytes;
  }
  return !broken_;
}

}  // namespace pawl::cli
