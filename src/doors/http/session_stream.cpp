// SPDX-License-Identifier: Apache-2.0
// A session whose answer is a stream of events. At most one fill of the stream is under way; what
// comes meanwhile stays in the feed.
#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

#include "doors/http/buffer.h"
#include "doors/http/response.h"
#include "doors/http/session.h"

namespace pawl::doors::http {
namespace {

constexpr std::string_view kCall = "events";

}  // namespace

void Session::open_stream(Stream stream) {
  if (!head_only_ && !sessions_->add_event_reader()) {
    return refuse(service::ProblemCode::too_many,
                  "There are as many readers of events as this node serves.");
  }
  const auto took = std::chrono::duration_cast<ports::Ticks>(Sessions::now() - began_);
  sessions_->handler().request_done(kCall, 200, took);
  keep_ = false;
  if (head_only_) return begin_writing(stream_head(sessions_->date()), {});
  stream_ = std::make_unique<EventStream>(sessions_->handler().feed(), std::move(stream));
  give_back(in_);
  in_begin_ = 0;
  bound_send_buffer(socket_, kStreamSendBuffer);
  const ServerOptions& options = sessions_->options();
  set_patience(socket_, std::max(options.lost_timeout, options.write_timeout));
  out_ = stream_head(sessions_->date());
  out_ += EventStream::kGreeting;
  enter(Phase::streaming);
  pump();
}

// Writes what is there, and once that is gone, what is new.
void Session::pump() {
  unwatch_feed();
  bool more = false;
  if (out_.empty()) more = stream_->fill(out_);
  if (out_.empty()) {
    if (phase() != Phase::streaming) enter(Phase::streaming);
    return more ? pump_later() : watch_feed();
  }
  const Transfer sent = send_now(socket_, std::string_view(out_).substr(out_begin_), {});
  if (sent.flow == Flow::broken || sent.flow == Flow::ended) return lost();
  out_begin_ += sent.bytes;
  if (out_begin_ < out_.size()) {
    // A reader that takes nothing for too long is cut.
    if (sent.bytes > 0 || phase() != Phase::writing) enter(Phase::writing);
    return watch_output();
  }
  out_.clear();
  out_begin_ = 0;
  enter(Phase::streaming);
  pump_later();
}

// Not at once: the loop has others to serve.
void Session::pump_later() {
  boost::asio::post(sessions_->io(), [self = shared_from_this()] {
    if (!self->closed() && self->phase() == Phase::streaming) self->pump();
  });
}

void Session::watch_feed() {
  watching_feed_ = true;
  watch_ = sessions_->handler().feed().watch([weak = weak_from_this()] {
    const auto self = weak.lock();
    if (!self || self->closed()) return;
    self->watching_feed_ = false;
    if (self->phase() == Phase::streaming) self->pump();
  });
}

void Session::unwatch_feed() {
  if (std::exchange(watching_feed_, false)) sessions_->handler().feed().unwatch(watch_);
}

}  // namespace pawl::doors::http
