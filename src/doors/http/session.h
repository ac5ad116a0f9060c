// SPDX-License-Identifier: Apache-2.0
// One connection: reads a request, gives it to the handler, writes the answer, and again.
//
//   idle -> head -> body -> waiting -> writing -> idle ... -> lingering -> closed
//
// A phase that takes no time is skipped: most requests go from idle to waiting and back. Input is
// always watched, so that a client that goes away while it waits is noticed (P7); what it sends
// meanwhile is kept, up to one head's worth. Lives as long as Asio has work for it; what it shares
// with others it touches only until it is closed. Owned by the loop.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "doors/http/event_stream.h"
#include "doors/http/request_parser.h"
#include "doors/http/sessions.h"

namespace pawl::doors::http {

class Session : public std::enable_shared_from_this<Session> {
 public:
  // What it writes while events stream, beyond what EventStream has ready.
  static constexpr std::size_t kStreamSendBuffer = 32 * 1024;

  Session(Socket socket, Sessions& sessions);

  void start(Sessions::SessionPhases::Place place);
  // It has been in its phase for too long.
  void overdue();
  // No more requests: closes at once, or after the answer that is due.
  void wind_down();
  void cut();

 private:
  // Input.
  void watch_input();
  void readable();
  void look_for_hang_up();
  void discard(std::size_t bytes);
  void input_ended();
  bool read_enough() const;
  std::string_view unread() const { return std::string_view(in_).substr(in_begin_); }
  bool wants_requests() const;
  void drive();
  void settle();
  bool read_request();
  void need_more();
  void serve();

  // Output.
  void replied(Reply reply);
  void answer(Answer answer);
  void refuse(service::ProblemCode code, std::string detail);
  void refuse_fault();
  void begin_writing(std::string_view head, std::string_view body);
  void watch_output();
  void writable();
  void written();

  // Streams, in session_stream.cpp.
  void open_stream(Stream stream);
  void pump();
  void pump_later();
  void watch_feed();
  void unwatch_feed();

  // Ends.
  void linger();
  void lost();
  void close();

  bool closed() const { return sessions_ == nullptr; }
  Phase phase() const { return place_->phase; }
  void enter(Phase phase);
  void enter(Phase phase, Sessions::Moment now);

  Socket socket_;
  Sessions* sessions_;                      // none: closed
  Sessions::SessionPhases::Place place_{};  // while not closed

  RequestText text_;
  std::optional<RequestParser> parser_;  // of the request under way
  std::string in_;                       // read, from in_begin_ on not yet used
  std::size_t in_begin_ = 0;
  std::string out_;  // to be written, from out_begin_ on
  std::size_t out_begin_ = 0;
  std::size_t unwritten_ = 0;  // as the sessions count it
  std::size_t discarded_ = 0;

  service::CallId call_ = 0;
  std::optional<service::Receipt> receipt_;  // of the answer that is being written
  Sessions::Moment began_{};                 // when the request was whole
  std::unique_ptr<EventStream> stream_;
  service::Feed::WatchId watch_ = 0;

  bool driving_ = false;
  bool watching_input_ = false;
  bool looking_for_hang_up_ = false;
  bool watching_output_ = false;
  bool watching_feed_ = false;
  bool input_ended_ = false;
  bool keep_ = true;        // the connection, after this answer
  bool head_only_ = false;  // HEAD
  bool continued_ = false;  // 100 was sent
};

}  // namespace pawl::doors::http
