// SPDX-License-Identifier: Apache-2.0
// Stands behind the server in place of the API: answers a few made-up paths, and remembers what it
// was told. Used in the loop only.
//
//   /echo ...         the request, at once
//   /large/N          N bytes; /large-grant/N the same with a receipt
//   /wait             when the test says so; /wait-grant the same with a receipt
//   /look             when the test says so, and nobody can hang it up
//   /events           the feed, from its beginning
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "doors/http/handler.h"
#include "ports/loop.h"

namespace pawl::testing {

// Enough of a loop for the feed.
class PostLoop final : public ports::Loop {
 public:
  explicit PostLoop(boost::asio::io_context& io) : io_(io) {}
  void post(ports::Action action) override { boost::asio::post(io_, std::move(action)); }
  std::unique_ptr<ports::Timer> make_timer(ports::Action) override { return nullptr; }

 private:
  boost::asio::io_context& io_;
};

class StandIn final : public doors::http::Handler {
  PostLoop loop_;

 public:
  using Answer = doors::http::Answer;

  explicit StandIn(boost::asio::io_context& io) : loop_(io), events(loop_, 1'000, 64'000'000) {}

  service::CallId take(const doors::http::Request& request, OnReply done) override {
    ++taken;
    last_content_type = request.content_type;
    last_event_id = request.last_event_id;
    last_host = request.host;
    last_origin = request.origin;
    last_fetch_site = request.fetch_site;
    const std::string target(request.target);
    if (target.starts_with("/large")) {
      const std::size_t slash = target.rfind('/');
      Answer answer = text_answer(std::string(std::stoul(target.substr(slash + 1)), 'x'));
      if (target.starts_with("/large-grant")) answer.receipt = receipt(target);
      done(std::move(answer));
      return 0;
    }
    if (target.starts_with("/wait") || target == "/look") {
      const service::CallId call = ++last_call_;
      waiting.emplace(call, Waiting{target, std::move(done)});
      return target == "/look" ? 0 : call;
    }
    if (target == "/events") {
      done(doors::http::Stream{{}, 0, false});
      return 0;
    }
    done(text_answer(std::string(request.method) + " " + target + " " + std::string(request.body)));
    return 0;
  }
  void hung_up(service::CallId call) override {
    hung_up_calls.push_back(call);
    waiting.erase(call);
  }
  void unheard(const service::Receipt& lost) override { unheard_ids.push_back(lost.id.str()); }
  Answer refusal(const service::Problem& problem) override {
    Answer answer =
        text_answer(std::string(service::to_text(problem.code)) + ": " + problem.detail);
    answer.status = status_of(problem.code);
    return answer;
  }
  service::Feed& feed() override { return events; }
  void request_done(std::string_view call, int status, ports::Ticks /*took*/) override {
    ++requests[{std::string(call), status}];
  }
  void connection_opened() override { ++open_connections; }
  void connection_closed() override { --open_connections; }
  void connection_refused(std::string_view why) override { ++refused[std::string(why)]; }
  void event_readers(std::size_t now) override { readers = now; }

  // Answers whoever waits.
  void answer_all() {
    while (!waiting.empty()) {
      const Waiting next = std::move(waiting.begin()->second);
      waiting.erase(waiting.begin());
      Answer answer = text_answer("at last");
      if (next.target == "/wait-grant") answer.receipt = receipt(next.target);
      next.done(std::move(answer));
    }
  }

  struct Waiting {
    std::string target;
    OnReply done;
  };
  service::Feed events;
  std::map<service::CallId, Waiting> waiting;
  std::size_t taken = 0;
  std::string last_content_type;
  std::string last_event_id;
  std::string last_host;
  std::string last_origin;
  std::string last_fetch_site;
  std::vector<service::CallId> hung_up_calls;
  std::vector<std::string> unheard_ids;
  std::map<std::pair<std::string, int>, std::size_t> requests;  // by call and status
  std::size_t open_connections = 0;
  std::map<std::string, std::size_t> refused;
  std::size_t readers = 0;

 private:
  static Answer text_answer(std::string body) {
    Answer answer;
    answer.content_type = "text/plain";
    answer.body = std::move(body);
    answer.call = "stand_in";
    return answer;
  }
  static service::Receipt receipt(const std::string& id) {
    service::Receipt made;
    made.id = core::LeaseId(id);
    return made;
  }
  static int status_of(service::ProblemCode code) {
    switch (code) {
      case service::ProblemCode::malformed:
        return 400;
      case service::ProblemCode::timed_out:
        return 408;
      case service::ProblemCode::too_large:
        return 413;
      case service::ProblemCode::too_many:
        return 429;
      case service::ProblemCode::stopping:
        return 503;
      default:
        return 500;
    }
  }

  service::CallId last_call_ = 0;
};

}  // namespace pawl::testing
