// SPDX-License-Identifier: Apache-2.0
#include "service/feed.h"

#include <charconv>
#include <utility>

#include "core/assert.h"

namespace pawl::service {
namespace {

// Takes a number from the front of `text`.
template <class Number>
bool take_number(std::string_view& text, Number& value) {
  const char* end = text.data() + text.size();
  const auto [next, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(next - text.data()));
  return true;
}

bool take_dash(std::string_view& text) {
  if (!text.starts_with('-')) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

std::string to_text(const EventId& id) {
  return std::to_string(id.where.index) + '-' + std::to_string(id.where.number) + '-' +
         std::to_string(id.number);
}

std::optional<EventId> parse_event_id(std::string_view text) {
  EventId id;
  std::string_view rest = text;
  const bool read = take_number(rest, id.where.index) && take_dash(rest) &&
                    take_number(rest, id.where.number) && take_dash(rest) &&
                    take_number(rest, id.number) && rest.empty();
  if (!read || to_text(id) != text) return {};  // one id has one text
  return id;
}

Feed::Feed(ports::Loop& loop, std::size_t max_events, std::size_t max_bytes)
    : loop_(loop),
      max_events_(max_events),
      max_bytes_(max_bytes),
      self_(std::make_shared<Feed*>(this)) {}

void Feed::add(FeedEvent event) {
  const EventId before = events_.empty() ? EventId{} : events_.back().upto;
  PAWL_ASSERT(events_.empty() || !event.id || *event.id > before);
  const EventId upto = event.id.value_or(before);
  bytes_ += bytes_of(event);
  events_.push_back({std::move(event), upto});
  forget();
  if (!watches_.empty()) wake_soon();
}

Feed::Place Feed::end() const { return first_ + events_.size(); }

Feed::Found Feed::after(const EventId& id) const {
  const auto at = std::partition_point(events_.begin(), events_.end(),
                                       [&](const Kept& kept) { return kept.upto < id; });
  if (at == events_.end() || at->event.id != id) return {first_, true};
  return {first_ + static_cast<Place>(at - events_.begin()) + 1, false};
}

Feed::WatchId Feed::watch(ports::Action more) {
  watches_.emplace(++last_watch_, std::move(more));
  return last_watch_;
}

void Feed::unwatch(WatchId id) { watches_.erase(id); }

bool Feed::passes(const FeedEvent& event, const FeedFilter& filter) {
  if (filter.space && *filter.space != event.space) return false;
  if (filter.prefix.empty()) return true;
  return std::any_of(
      event.resources.begin(), event.resources.end(),
      [&](const core::ResourceName& name) { return name.view().starts_with(filter.prefix); });
}

std::size_t Feed::bytes_of(const FeedEvent& event) {
  std::size_t bytes = sizeof(Kept) + event.space.view().size() + event.json.capacity();
  for (const core::ResourceName& name : event.resources) {
    bytes += sizeof name + name.view().size();
  }
  return bytes;
}

void Feed::forget() {
  while (!events_.empty() && (events_.size() > max_events_ || bytes_ > max_bytes_)) {
    bytes_ -= bytes_of(events_.front().event);
    events_.pop_front();
    ++first_;
  }
}

void Feed::wake_soon() {
  if (std::exchange(waking_, true)) return;
  loop_.post([self = std::weak_ptr(self_)] {
    if (const auto feed = self.lock()) (*feed)->wake();
  });
}

// One that is called may unwatch another, or watch again for what comes next.
void Feed::wake() {
  waking_ = false;
  const WatchId last = last_watch_;
  while (!watches_.empty() && watches_.begin()->first <= last) {
    const ports::Action more = std::move(watches_.begin()->second);
    watches_.erase(watches_.begin());
    more();
  }
}

}  // namespace pawl::service
