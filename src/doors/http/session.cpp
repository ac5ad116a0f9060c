// SPDX-License-Identifier: Apache-2.0
#include "doors/http/session.h"

#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <utility>
#include <variant>

#include "core/assert.h"
#include "doors/http/buffer.h"
#include "doors/http/response.h"

namespace pawl::doors::http {
namespace {

using boost::system::error_code;

constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
constexpr std::string_view kNoCall = "none";
// What a client may still send after the last answer.
constexpr std::size_t kMostDiscarded = std::size_t{4} << 20;
constexpr std::chrono::milliseconds kLookEvery{500};

}  // namespace

Session::Session(Socket socket, Sessions& sessions)
    : socket_(std::move(socket)), sessions_(&sessions) {}

void Session::start(Sessions::SessionPhases::Place place) {
  place_ = place;
  watch_input();
}

void Session::overdue() {
  const auto self = shared_from_this();
  switch (phase()) {
    case Phase::idle:
    case Phase::lingering:
      return close();
    case Phase::head:
    case Phase::body:
      refuse(service::ProblemCode::timed_out, "The rest of the request did not come in time.");
      return settle();
    case Phase::writing:
      return lost();
    case Phase::streaming:
      out_ = EventStream::kHeartbeat;
      enter(Phase::streaming);
      return pump();
    case Phase::waiting:
      break;
  }
  PAWL_ASSERT(false && "waiting has no time-out");
}

void Session::wind_down() {
  if (closed()) return;
  const auto self = shared_from_this();
  switch (phase()) {
    case Phase::idle:
    case Phase::streaming:
      return close();
    case Phase::head:
    case Phase::body:
      refuse(service::ProblemCode::stopping, "This node is shutting down; nothing was done.");
      return settle();
    case Phase::writing:
      if (stream_) return close();
      break;
    case Phase::waiting:
    case Phase::lingering:
      break;
  }
}

void Session::cut() {
  const auto self = shared_from_this();
  if (!closed()) lost();
}

// Waits for something to read without a buffer to read it into: thousands may wait.
void Session::watch_input() {
  if (input_ended_) return;
  if (read_enough()) return look_for_hang_up();
  if (std::exchange(watching_input_, true)) return;
  socket_.async_wait(Socket::wait_read, [self = shared_from_this()](const error_code&) {
    self->watching_input_ = false;
    if (!self->closed()) self->readable();
  });
}

bool Session::read_enough() const {
  return unread().size() >= sessions_->options().max_header_bytes;
}

// An end that stands behind bytes which nobody reads yet is told by no event (P7).
void Session::look_for_hang_up() {
  if (std::exchange(looking_for_hang_up_, true)) return;
  auto timer = std::make_shared<boost::asio::steady_timer>(sessions_->io(), kLookEvery);
  timer->async_wait([self = shared_from_this(), timer](const error_code&) {
    self->looking_for_hang_up_ = false;
    if (self->closed() || !self->read_enough()) return;
    if (has_hung_up(self->socket_)) return self->input_ended();
    self->look_for_hang_up();
  });
}

void Session::readable() {
  const bool discards = phase() == Phase::lingering || stream_ != nullptr;
  std::span<char> buffer = sessions_->read_buffer();
  if (!discards) buffer = buffer.first(buffer.size() - unread().size());
  if (buffer.empty()) return watch_input();
  const Transfer got = receive_now(socket_, buffer);
  switch (got.flow) {
    case Flow::later:
      return watch_input();
    case Flow::ended:
      return input_ended();
    case Flow::broken:
      return lost();
    case Flow::moved:
      break;
  }
  if (discards) return discard(got.bytes);
  in_.erase(0, std::exchange(in_begin_, 0));
  in_.append(buffer.data(), got.bytes);
  drive();
}

void Session::discard(std::size_t bytes) {
  discarded_ += bytes;
  if (discarded_ > kMostDiscarded) return close();
  watch_input();
}

// Half-closed counts as gone while an answer is due that somebody must hear (P4): a client that
// says it sends nothing more can't be told from one that has died.
void Session::input_ended() {
  input_ended_ = true;
  const bool may_still_read = phase() == Phase::writing && !receipt_ && !stream_;
  if (!may_still_read) lost();
}

bool Session::wants_requests() const {
  return !closed() && (phase() == Phase::idle || phase() == Phase::head || phase() == Phase::body);
}

// Serves what has been read, one request after the other. An answer that comes while it runs is
// written, and the loop goes on: pipelined requests never nest.
void Session::drive() {
  if (driving_) return;
  driving_ = true;
  while (wants_requests() && read_request()) serve();
  driving_ = false;
  settle();
}

// Before it waits for the outside again.
void Session::settle() {
  if (closed()) return;
  if (unread().empty()) {
    in_.clear();
    in_begin_ = 0;
    give_back_if_large(in_);
  }
  if (!wants_requests() || phase() == Phase::idle) text_.trim();
  watch_input();
}

// True: there is a whole request.
bool Session::read_request() {
  if (phase() == Phase::idle) {
    while (!unread().empty() && (unread().front() == '\r' || unread().front() == '\n')) {
      ++in_begin_;  // some clients end a body with a line end that they don't count
    }
    if (unread().empty()) {
      if (input_ended_) close();
      return false;
    }
    const ServerOptions& options = sessions_->options();
    parser_.emplace(text_, RequestBounds{options.max_header_bytes, options.max_body_bytes});
    continued_ = false;
    head_only_ = false;
  }
  in_begin_ += parser_->take(unread());
  if (parser_->fault() != RequestParser::Fault::none) {
    refuse_fault();
    return false;
  }
  if (parser_->done()) return true;
  need_more();
  return false;
}

void Session::need_more() {
  if (input_ended_) return close();
  const Phase now = parser_->head_done() ? Phase::body : Phase::head;
  if (phase() != now) enter(now);
  if (now == Phase::head || !parser_->wants_continue() || !unread().empty()) return;
  if (!text_.body.empty() || std::exchange(continued_, true)) return;
  const Transfer sent = send_now(socket_, kContinue, {});
  if (sent.bytes != kContinue.size()) lost();
}

void Session::serve() {
  began_ = Sessions::now();
  enter(Phase::waiting, began_);
  head_only_ = text_.method == "HEAD";
  keep_ = parser_->keeps_alive();
  const service::CallId call =
      sessions_->handler().take(text_.view(), [self = shared_from_this()](Reply reply) {
        if (!self->closed()) self->replied(std::move(reply));
      });
  if (closed() || phase() != Phase::waiting) return;
  call_ = call;
  if (input_ended_) lost();
}

void Session::replied(Reply reply) {
  PAWL_ASSERT(phase() == Phase::waiting);
  call_ = 0;
  if (Stream* stream = std::get_if<Stream>(&reply)) {
    open_stream(std::move(*stream));
  } else {
    answer(std::move(std::get<Answer>(reply)));
  }
  if (driving_ || closed()) return;
  if (unread().empty()) return settle();
  // Not at once: the reply may come from within another session's request, and so on.
  boost::asio::post(sessions_->io(), [self = shared_from_this()] { self->drive(); });
}

void Session::answer(Answer answer) {
  keep_ = keep_ && !answer.close && !sessions_->winding_down();
  std::string& head = sessions_->head_buffer();
  head.clear();
  append_head(head, answer, {keep_, parser_->http_1_1(), sessions_->date()});
  if (head_only_) answer.body.clear();
  const auto took = std::chrono::duration_cast<ports::Ticks>(Sessions::now() - began_);
  sessions_->handler().request_done(answer.call.empty() ? kNoCall : answer.call, answer.status,
                                    took);
  receipt_ = std::move(answer.receipt);
  begin_writing(head, answer.body);
}

void Session::refuse(service::ProblemCode code, std::string detail) {
  service::Problem problem;
  problem.code = code;
  problem.detail = std::move(detail);
  Answer refusal = sessions_->handler().refusal(problem);
  refusal.close = true;
  began_ = Sessions::now();
  answer(std::move(refusal));
}

void Session::refuse_fault() {
  const ServerOptions& options = sessions_->options();
  switch (parser_->fault()) {
    case RequestParser::Fault::head_too_large:
      return refuse(service::ProblemCode::too_large,
                    "The request line and headers are larger than " +
                        std::to_string(options.max_header_bytes) + " bytes.");
    case RequestParser::Fault::body_too_large:
      return refuse(
          service::ProblemCode::too_large,
          "The body is larger than " + std::to_string(options.max_body_bytes) + " bytes.");
    case RequestParser::Fault::malformed:
    case RequestParser::Fault::none:
      return refuse(service::ProblemCode::malformed,
                    "This can't be read as HTTP/1.1: " + parser_->why() + ".");
  }
}

// Most answers fit into the socket at once, and are never copied.
void Session::begin_writing(std::string_view head, std::string_view body) {
  Transfer sent = send_now(socket_, head, body);
  if (sent.flow == Flow::later) sent = {Flow::moved, 0};
  if (sent.flow != Flow::moved) return lost();
  if (sent.bytes == head.size() + body.size()) return written();
  out_begin_ = 0;
  out_ = head.substr(std::min(sent.bytes, head.size()));
  out_ += body.substr(sent.bytes - std::min(sent.bytes, head.size()));
  unwritten_ = out_.size();
  if (!sessions_->add_unwritten(unwritten_)) return lost();
  enter(Phase::writing);
  watch_output();
}

void Session::watch_output() {
  if (std::exchange(watching_output_, true)) return;
  socket_.async_wait(Socket::wait_write, [self = shared_from_this()](const error_code&) {
    self->watching_output_ = false;
    if (!self->closed()) self->writable();
  });
}

void Session::writable() {
  if (phase() != Phase::writing) return;
  if (stream_) return pump();
  const Transfer sent = send_now(socket_, std::string_view(out_).substr(out_begin_), {});
  if (sent.flow == Flow::broken || sent.flow == Flow::ended) return lost();
  out_begin_ += sent.bytes;
  if (out_begin_ < out_.size()) {
    if (sent.bytes > 0) enter(Phase::writing);
    return watch_output();
  }
  written();
  drive();
}

// The socket has all of it, which is as much as one can know.
void Session::written() {
  receipt_.reset();
  give_back(out_);
  out_begin_ = 0;
  sessions_->remove_unwritten(std::exchange(unwritten_, 0));
  if (keep_ && !sessions_->winding_down()) {
    enter(Phase::idle);
  } else {
    linger();
  }
}

// A socket that is closed with something unread resets the connection, and the client may lose the
// answer that it was just sent.
void Session::linger() {
  if (input_ended_) return close();
  ::shutdown(socket_.native_handle(), SHUT_WR);
  give_back(in_);
  in_begin_ = 0;
  enter(Phase::lingering);
}

// Whatever is due can't be said any more.
void Session::lost() {
  Handler& handler = sessions_->handler();
  if (phase() == Phase::writing) {
    // What the kernel still has for this client is dropped, too.
    error_code ignored;
    socket_.set_option(Socket::linger(true, 0), ignored);
  }
  const service::CallId call = std::exchange(call_, 0);
  const std::optional<service::Receipt> receipt = std::exchange(receipt_, std::nullopt);
  close();
  if (call != 0) handler.hung_up(call);
  if (receipt) handler.unheard(*receipt);
}

void Session::close() {
  if (stream_) {
    unwatch_feed();
    sessions_->remove_event_reader();
  }
  sessions_->remove_unwritten(std::exchange(unwritten_, 0));
  error_code ignored;
  socket_.close(ignored);
  std::exchange(sessions_, nullptr)->leave(place_);
}

void Session::enter(Phase phase) { enter(phase, Sessions::now()); }

void Session::enter(Phase phase, Sessions::Moment now) { sessions_->enter(place_, phase, now); }

}  // namespace pawl::doors::http
