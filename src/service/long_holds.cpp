// SPDX-License-Identifier: Apache-2.0
#include "service/long_holds.h"

#include <algorithm>
#include <utility>

#include "core/read.h"

namespace pawl::service {
namespace {

using namespace std::chrono_literals;

// A slice takes some 20 µs; when it finds many, each is a log line and an event, so the next waits
// longer.
constexpr std::size_t kSlots = 1'024;
constexpr ports::Ticks kPause = 2ms;
constexpr ports::Ticks kPausePerFound = 20us;
constexpr ports::Ticks kBetweenSweeps = 1s;

// One that is under way.
struct Sweep {
  core::LeaseRef next = 0;
  core::Time granted_by{};
  core::Time oldest = core::kNever;
  std::uint64_t count = 0;
};

}  // namespace

class LongHolds::Impl {
 public:
  Impl(ports::Loop& loop, const ports::Clock& clock, core::Duration limit, Look look, OnFound found)
      : clock_(clock),
        limit_(limit),
        look_(std::move(look)),
        found_(std::move(found)),
        timer_(loop.make_timer([this] { go_on(); })),
        self_(std::make_shared<Impl*>(this)) {
    timer_->set(clock_.now() + kBetweenSweeps);
  }

  core::Duration longest{0};
  std::uint64_t count = 0;

 private:
  void go_on() {
    look_([self = std::weak_ptr(self_)](const core::State* state, core::Time now) {
      if (const auto alive = self.lock()) (*alive)->looked(state, now);
    });
  }

  void looked(const core::State* state, core::Time now) {
    if (state == nullptr || state->held == 0) {
      // What a sweep that was cut short has told will be told again: better than never.
      sweep_.reset();
      longest = {};
      count = 0;
      timer_->set(clock_.now() + kBetweenSweeps);
      return;
    }
    if (!sweep_) begin(now);
    slice(*state, now);
  }

  void begin(core::Time now) {
    began_ = clock_.now();
    sweep_.emplace();
    sweep_->granted_by = limit_ == limit_.zero() ? core::Time::min() : now - limit_;
  }

  void slice(const core::State& state, core::Time now) {
    const core::HoldSweep seen =
        core::sweep_holds(state, sweep_->next, kSlots, told_upto_, sweep_->granted_by);
    sweep_->oldest = std::min(sweep_->oldest, seen.oldest);
    sweep_->count += seen.granted_by;
    sweep_->next = seen.next;
    if (seen.next == core::kNone) {
      finish(now);
      timer_->set(std::max(began_ + kBetweenSweeps, clock_.now() + kPause));
    } else {
      timer_->set(clock_.now() + kPause +
                  kPausePerFound * static_cast<ports::Ticks::rep>(seen.found.size()));
    }
    for (const core::LeaseInfo& lease : seen.found) found_(lease, now);
  }

  void finish(core::Time now) {
    told_upto_ = std::max(told_upto_, sweep_->granted_by);
    longest = sweep_->oldest == core::kNever ? core::Duration::zero() : now - sweep_->oldest;
    count = sweep_->count;
    sweep_.reset();
  }

  const ports::Clock& clock_;
  const core::Duration limit_;
  const Look look_;
  const OnFound found_;
  const std::unique_ptr<ports::Timer> timer_;
  core::Time told_upto_ = core::Time::min();  // whoever was granted by then is told
  ports::Ticks began_{0};
  std::optional<Sweep> sweep_;
  const std::shared_ptr<Impl*> self_;  // an answer to look_ may come after the end
};

LongHolds::LongHolds(ports::Loop& loop, const ports::Clock& clock, core::Duration limit, Look look,
                     OnFound found)
    : impl_(std::make_unique<Impl>(loop, clock, limit, std::move(look), std::move(found))) {}
LongHolds::~LongHolds() = default;

core::Duration LongHolds::longest() const { return impl_->longest; }
std::uint64_t LongHolds::count() const { return impl_->count; }

}  // namespace pawl::service
