// SPDX-License-Identifier: Apache-2.0
#include "engine/host/asio_loop.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <optional>
#include <utility>

namespace pawl::engine {
namespace {

// Asio takes a relative time; a far one is approached in steps, so that no sum overflows.
constexpr ports::Ticks kLongestSleep = std::chrono::hours(1);

// Lives until its last wait has come back from Asio, also when the Timer is gone.
struct Alarm : std::enable_shared_from_this<Alarm> {
  Alarm(boost::asio::io_context& io, const ports::Clock& its_clock, ports::Action its_action)
      : timer(io), clock(its_clock), action(std::move(its_action)) {}

  boost::asio::steady_timer timer;
  const ports::Clock& clock;  // not touched once `when` is empty
  ports::Action action;
  std::optional<ports::Ticks> when;      // nothing: not set
  std::optional<ports::Ticks> wakes_at;  // the wait under way ends about then
  std::uint64_t wait_number = 0;         // of the wait that counts

  void sleep() {
    const ports::Ticks now = clock.now();
    const ports::Ticks left = std::clamp(*when - now, ports::Ticks(0), kLongestSleep);
    wakes_at = now + left;
    timer.expires_after(left);
    timer.async_wait([self = shared_from_this(), number = ++wait_number](
                         const boost::system::error_code&) { self->woke(number); });
  }

  void woke(std::uint64_t number) {
    if (number != wait_number || !when) return;
    wakes_at.reset();
    // The clock may be slower than Asio's, or the time was put off meanwhile.
    if (clock.now() < *when) return sleep();
    when.reset();
    action();
  }

  void stop() {
    when.reset();
    wakes_at.reset();
    ++wait_number;
    timer.cancel();
  }
};

class AsioTimer final : public ports::Timer {
 public:
  explicit AsioTimer(std::shared_ptr<Alarm> alarm) : alarm_(std::move(alarm)) {}
  AsioTimer(const AsioTimer&) = delete;
  AsioTimer& operator=(const AsioTimer&) = delete;
  ~AsioTimer() override { alarm_->stop(); }

  void set(ports::Ticks when) override {
    alarm_->when = when;
    // Putting a deadline off is frequent and costs nothing: the wait under way finds out.
    if (!alarm_->wakes_at || when < *alarm_->wakes_at) alarm_->sleep();
  }
  void cancel() override {
    if (alarm_->when) alarm_->stop();
  }

 private:
  std::shared_ptr<Alarm> alarm_;
};

}  // namespace

AsioLoop::AsioLoop(boost::asio::io_context& io, const ports::Clock& clock)
    : io_(io), clock_(clock), alive_(std::make_shared<bool>(true)) {}

AsioLoop::~AsioLoop() { *alive_ = false; }

void AsioLoop::post(ports::Action action) {
  boost::asio::post(io_, [alive = alive_, action = std::move(action)] {
    if (*alive) action();
  });
}

std::unique_ptr<ports::Timer> AsioLoop::make_timer(ports::Action action) {
  return std::make_unique<AsioTimer>(std::make_shared<Alarm>(io_, clock_, std::move(action)));
}

}  // namespace pawl::engine
