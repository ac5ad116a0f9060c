// SPDX-License-Identifier: Apache-2.0
#include "doors/http/sessions.h"

#include <algorithm>
#include <utility>

#include "doors/http/response.h"
#include "doors/http/session.h"

namespace pawl::doors::http {
namespace {

using std::chrono::milliseconds;

// How exact time-outs are.
constexpr milliseconds kFinestSweep{5};
constexpr milliseconds kCoarsestSweep{250};
// Long enough for the last answer to be read, by a client that still sends.
constexpr milliseconds kLinger{1'000};
// Answers that wait for clients to read them, all together.
constexpr std::size_t kMostUnwritten = std::size_t{64} << 20;

std::array<milliseconds, kPhases> longest(const ServerOptions& options) {
  std::array<milliseconds, kPhases> spans{};
  const auto set = [&](Phase phase, milliseconds span) {
    spans[static_cast<std::size_t>(phase)] = span;
  };
  set(Phase::idle, options.idle_timeout);
  set(Phase::head, options.header_timeout);
  set(Phase::body, options.body_timeout);
  set(Phase::waiting, Sessions::SessionPhases::kForever);  // waits have their own end, in the log
  set(Phase::writing, options.write_timeout);
  set(Phase::streaming, options.heartbeat);
  set(Phase::lingering, kLinger);
  return spans;
}

milliseconds sweep_period(const ServerOptions& options) {
  const milliseconds shortest =
      std::min({options.idle_timeout, options.header_timeout, options.body_timeout,
                options.write_timeout, options.heartbeat});
  return std::clamp(shortest / 8, kFinestSweep, kCoarsestSweep);
}

}  // namespace

Sessions::Sessions(boost::asio::io_context& io, std::shared_ptr<Handler> handler,
                   const ServerOptions& options, std::function<void()> left)
    : io_(io),
      handler_(std::move(handler)),
      options_(options),
      left_(std::move(left)),
      phases_(longest(options)),
      sweep_every_(sweep_period(options)),
      sweeper_(io.get_executor()),
      read_buffer_(options.max_header_bytes) {}

Sessions::~Sessions() { cut_all(); }

void Sessions::open(Socket socket) {
  set_up(socket, options_.lost_timeout);
  const auto session = std::make_shared<Session>(std::move(socket), *this);
  handler_->connection_opened();
  session->start(phases_.add(session, Phase::idle, now()));
  watch_time();
}

void Sessions::wind_down() {
  winding_down_ = true;
  for (const auto& session : all()) session->wind_down();
}

void Sessions::cut_all() {
  for (const auto& session : all()) session->cut();
}

void Sessions::enter(SessionPhases::Place place, Phase phase, Moment now) {
  phases_.enter(place, phase, now);
  watch_time();
}

void Sessions::leave(SessionPhases::Place place) {
  phases_.remove(place);
  handler_->connection_closed();
  left_();
}

bool Sessions::add_event_reader() {
  if (event_readers_ >= options_.max_event_readers) return false;
  handler_->event_readers(++event_readers_);
  return true;
}

void Sessions::remove_event_reader() { handler_->event_readers(--event_readers_); }

std::string_view Sessions::date() {
  const std::time_t now = std::time(nullptr);
  if (now != date_second_) {
    date_second_ = now;
    date_ = http_date(now);
  }
  return date_;
}

bool Sessions::add_unwritten(std::size_t bytes) {
  unwritten_ += bytes;
  return unwritten_ <= kMostUnwritten;
}

// A copy: what is done to one may close others.
std::vector<std::shared_ptr<Session>> Sessions::all() const {
  std::vector<std::shared_ptr<Session>> sessions;
  sessions.reserve(phases_.size());
  phases_.each([&](const std::shared_ptr<Session>& session) { sessions.push_back(session); });
  return sessions;
}

// One timer for all, and none while nobody can be late.
void Sessions::watch_time() {
  if (sweeping_ || !phases_.timed()) return;
  sweeping_ = true;
  sweeper_.expires_after(sweep_every_);
  sweeper_.async_wait([weak = weak_from_this()](const boost::system::error_code&) {
    if (const auto self = weak.lock()) self->sweep();
  });
}

void Sessions::sweep() {
  const Moment at = now();
  while (const SessionPhases::Entry* late = phases_.overdue(at)) {
    const std::shared_ptr<Session> session = late->member;
    session->overdue();
  }
  sweeping_ = false;
  watch_time();
}

}  // namespace pawl::doors::http
