// SPDX-License-Identifier: Apache-2.0
// The service as the commands see it: a call gives its JSON, or the trouble in words with the exit
// code that goes with it. Blocking; not thread-safe. See docs/cli.md for the exit codes.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

#include "cli/command.h"
#include "cli/http_client.h"
#include "ports/result.h"

namespace pawl::cli {

// What the flags that all client commands share say.
struct Where {
  Address address{"127.0.0.1", kDefaultPort};
  std::string name_space{};  // empty: the service's default
  std::chrono::microseconds patience = std::chrono::seconds(10);
  bool json = false;

  std::string url() const { return "http://" + address.authority(); }
};

struct Answer {
  std::string text;  // as it came
  boost::json::object json;
  WallTime now;  // by the service's clock, to say "in 24s" of its times
};

struct Trouble {
  ExitCode code = kFailed;
  std::string message{};
  std::string hint{};
  std::string problem_code{};                    // of the service's problem, if there was one
  std::string problem{};                         // that problem's JSON, as it came
  std::optional<std::uint64_t> state_time_ms{};  // when it was decided
};

// A path and its query, encoded.
class Target {
 public:
  explicit Target(std::string_view path) : text_(path) {}
  Target& segment(std::string_view value);
  Target& literal(std::string_view path);
  // Left out if the value is empty.
  Target& query(std::string_view name, std::string_view value);
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  char next_ = '?';
};

class Remote {
 public:
  using Reply = ports::Result<Answer, Trouble>;

  explicit Remote(const Where& where) : where_(where), http_(where.address) {}

  // The namespace goes into the query.
  Reply get(Target target) const;
  // Of the service as a whole, which knows no namespace.
  Reply get_global(const Target& target) const;
  Reply remove(Target target) const;
  // The namespace is for the caller to put into the body. `extra`: how much longer the answer may
  // take than others.
  Reply post(const Target& target, std::string body,
             std::chrono::microseconds extra = std::chrono::microseconds(0)) const;
  // An answer that is not JSON (metrics), or the trouble.
  ports::Result<std::string, Trouble> text(const Target& target) const;

  // What a refusal of any call says.
  Trouble trouble_of(const HttpResponse& response) const;
  Trouble unreachable(const HttpFault& fault) const;

  const Where& where() const { return where_; }
  const HttpClient& http() const { return http_; }

 private:
  Reply answer(const HttpClient::Reply& reply, bool changes_something) const;
  HttpClient::Patience patience(std::chrono::microseconds extra) const;

  Where where_;
  HttpClient http_;
};

// Sends a call that acts only once however often it is sent (P6), and once more if nobody knows
// whether it happened. `send` gets the number of the try, from 0.
Remote::Reply send_safely(const std::function<Remote::Reply(unsigned)>& send);

}  // namespace pawl::cli
