// SPDX-License-Identifier: Apache-2.0
// What each connection is doing and since when. All connections in one phase may take equally long,
// so a queue a phase, in order of entry, has the next overdue one in front: time-outs cost nothing
// until they happen, however many connections there are. Time is given. Owned by the loop.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <utility>

namespace pawl::doors::http {

enum class Phase : std::uint8_t {
  idle,       // no byte of a request yet
  head,       // a part of its head
  body,       // a part of its body
  waiting,    // for the answer
  writing,    // the client must read before more can be written
  streaming,  // events, and none at the moment
  lingering,  // nothing more is said; what still comes is thrown away
};
inline constexpr std::size_t kPhases = 7;

template <class Member>
class Phases {
 public:
  using Moment = std::chrono::steady_clock::time_point;
  using Span = std::chrono::milliseconds;
  static constexpr Span kForever = Span::max();

  struct Entry {
    Member member;
    Phase phase;
    Moment since;
  };
  using Place = typename std::list<Entry>::iterator;

  // How long each phase may last.
  explicit Phases(const std::array<Span, kPhases>& longest) : longest_(longest) {}

  Place add(Member member, Phase phase, Moment now) {
    std::list<Entry>& queue = queue_of(phase);
    queue.push_back({std::move(member), phase, now});
    ++size_;
    return std::prev(queue.end());
  }
  // Also into the phase it is in, to begin it anew. The place stays valid.
  void enter(Place place, Phase phase, Moment now) {
    std::list<Entry>& queue = queue_of(phase);
    queue.splice(queue.end(), queue_of(place->phase), place);
    place->phase = phase;
    place->since = now;
  }
  void remove(Place place) {
    queue_of(place->phase).erase(place);
    --size_;
  }

  // One that has been in its phase for too long, or nothing.
  Entry* overdue(Moment now) {
    for (std::size_t i = 0; i < kPhases; ++i) {
      if (longest_[i] == kForever || queues_[i].empty()) continue;
      Entry& oldest = queues_[i].front();
      if (now - oldest.since >= longest_[i]) return &oldest;
    }
    return nullptr;
  }
  // Whether anybody can become overdue.
  bool timed() const {
    for (std::size_t i = 0; i < kPhases; ++i) {
      if (longest_[i] != kForever && !queues_[i].empty()) return true;
    }
    return false;
  }

  std::size_t size() const { return size_; }
  template <class Visit>
  void each(Visit visit) const {
    for (const std::list<Entry>& queue : queues_) {
      for (const Entry& entry : queue) visit(entry.member);
    }
  }

 private:
  std::list<Entry>& queue_of(Phase phase) { return queues_[static_cast<std::size_t>(phase)]; }

  std::array<Span, kPhases> longest_;
  std::array<std::list<Entry>, kPhases> queues_;
  std::size_t size_ = 0;
};

}  // namespace pawl::doors::http
