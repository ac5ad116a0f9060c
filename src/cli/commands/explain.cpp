// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/explain.h"

#include <optional>

#include "cli/commands/holders.h"
#include "cli/durations.h"
#include "cli/text.h"

namespace pawl::cli {
namespace {

using std::chrono::microseconds;

class Explanation {
 public:
  Explanation(const Json& view, WallTime now)
      : view_(view),
        now_(now),
        name_(printable(text_at(view, "resource"))),
        holders_(list_at(view, "holders")),
        waiters_(list_at(view, "waiters")),
        holder_count_(number_at(view, "holderCount").value_or(holders_.size())),
        waiter_count_(number_at(view, "waiterCount").value_or(waiters_.size())) {}

  std::string text() {
    say_holders();
    say_waiters();
    say_usual();
    say_next();
    return out_;
  }

 private:
  void line(const std::string& text) { out_ += text + '\n'; }

  void say_holders() {
    if (holder_count_ == 0) {
      const std::string last = number_text(view_, "lastToken");
      const std::string closed = relative_at(view_, "closedUntil", now_);
      line(name_ + " is free: nobody holds it" + (waiter_count_ == 0 ? " and nobody waits." : "."));
      line(last.empty() ? "Nobody is known to have held it."
                        : "The last token it gave is " + last + ".");
      if (!closed.empty())
        line("It stays closed until " + text_at(view_, "closedUntil") + " (" + closed +
             "): a minimum hold or a lock delay of its last holder.");
      return;
    }
    if (holder_count_ == 1 && holders_.size() == 1) {
      line(name_ + " is held by " + printable(holder_text(as_object(holders_[0]), now_)) + ".");
      return;
    }
    line(name_ + " is held by " + std::to_string(holder_count_) + ":");
    for (const auto& holder : holders_)
      line("  " + printable(holder_text(as_object(holder), now_)));
    say_rest(holder_count_, holders_.size());
  }

  void say_waiters() {
    if (waiter_count_ == 0) {
      if (holder_count_ > 0) line("Nobody waits for it.");
      return;
    }
    line(waiter_count_ == 1 ? "1 waits:" : std::to_string(waiter_count_) + " wait, in this order:");
    for (const auto& waiter : waiters_) {
      const Json& who = as_object(waiter);
      line("  " + number_text(who, "position") + ". " + printable(waiter_text(who)));
    }
    say_rest(waiter_count_, waiters_.size());
  }

  void say_rest(std::uint64_t all, std::size_t shown) {
    if (all > shown) line("  and " + count_text(all - shown, "more", "more"));
  }

  void say_usual() {
    const Json& usual = object_at(view_, "holdSeconds");
    const auto p50 = seconds_at(usual, "p50");
    const auto p99 = seconds_at(usual, "p99");
    if (!p50 || !p99) return;
    const auto count = number_at(usual, "count").value_or(0);
    line("A hold usually takes " + rough_duration(*p50) + "; 99 of 100 end within " +
         rough_duration(*p99) + " (" + count_text(count, "hold", "holds") + " seen).");
    for (const auto& value : holders_) {
      const Json& holder = as_object(value);
      const auto held = seconds_at(holder, "heldSeconds");
      if (held && *held > *p99)
        line(printable(text_at(holder, "ownerId")) + " has held it for longer than that.");
    }
  }

  void say_next() {
    if (holder_count_ == 0) {
      if (waiter_count_ > 0) line("Next: " + first_waiter() + " gets it.");
      return;
    }
    std::string when = holder_count_ == 1 ? "when it is released" : "when all have released it";
    if (const auto last = longest_left())
      when += ", or in " + rough_duration(*last) + " at the latest unless renewed";
    if (!all_conflict()) when = "as soon as what is held leaves room for it";
    if (waiter_count_ == 0) {
      line("Next: it is free " + when + ".");
    } else {
      line("Next: " + first_waiter() + " gets it " + when + ".");
    }
  }

  // Permits leave room before everybody has gone.
  bool all_conflict() const {
    for (const auto& holder : holders_) {
      if (text_at(as_object(holder), "mode") == "permit") return false;
    }
    return true;
  }

  std::string first_waiter() const {
    return waiters_.empty() ? "the first in line"
                            : printable(text_at(as_object(waiters_[0]), "ownerId"));
  }

  // Until the last of the holders would have to go; nothing if one of them never has to.
  std::optional<microseconds> longest_left() const {
    std::optional<microseconds> longest;
    if (holders_.size() < holder_count_) return {};
    for (const auto& holder : holders_) {
      const auto left = seconds_at(as_object(holder), "validForSeconds");
      if (!left) return {};
      if (!longest || *left > *longest) longest = left;
    }
    return longest;
  }

  const Json& view_;
  WallTime now_;
  std::string name_;
  const boost::json::array& holders_;
  const boost::json::array& waiters_;
  std::uint64_t holder_count_;
  std::uint64_t waiter_count_;
  std::string out_;
};

}  // namespace

std::string explain(const Json& view, WallTime now) { return Explanation(view, now).text(); }

}  // namespace pawl::cli
