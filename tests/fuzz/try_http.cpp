// SPDX-License-Identifier: Apache-2.0
// The first byte, a digit in the corpus, says how the rest is meant. Even: the bytes of one
// connection. Odd: a script, one line each, `METHOD TARGET BODY`; each line becomes a request with
// its length made right, and these methods are for the world behind it:
//   PASS /N      N tenths of a second pass          GONE /N     the Nth client that waits goes
//   UNHEARD      the last grant was not written     DRAIN       the server is told to stop
//   HOLD APPLY LOSE      the store keeps commands to itself, goes on, forgets them
//   REFUSE /N    0: it takes commands, 1: overloaded, 2: not the leader, 3: stopping
//   OFFICE /N    0: another node leads, 1: this one
#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "core/assert.h"
#include "doors/http/request_parser.h"
#include "doors/http/server_options.h"
#include "fuzz/support/http_world.h"
#include "fuzz/targets.h"

namespace pawl::fuzz {
namespace {

using doors::http::RequestParser;
using doors::http::RequestText;

constexpr std::size_t kWhole = std::size_t{1} << 30U;
constexpr std::array<std::size_t, 4> kPieces = {kWhole, 1, 7, 61};
constexpr ports::Ticks kTenth = std::chrono::milliseconds(100);
constexpr std::size_t kMostTenths = 9'999;  // more than the longest wait
constexpr int kMostRequests = 200;

doors::http::RequestBounds bounds() {
  const doors::http::ServerOptions options;
  return {options.max_header_bytes, options.max_body_bytes};
}

service::Problem problem_of(const RequestParser& parser) {
  service::Problem problem;
  problem.code = parser.fault() == RequestParser::Fault::malformed
                     ? service::ProblemCode::malformed
                     : service::ProblemCode::too_large;
  problem.detail = parser.why();
  return problem;
}

// What a client sends, as it comes in pieces.
class Arriving {
 public:
  Arriving(std::string_view bytes, std::size_t piece) : bytes_(bytes), piece_(piece) {}

  // False: the rest of the request never comes.
  bool read(RequestParser& parser) {
    while (!parser.done() && parser.fault() == RequestParser::Fault::none) {
      if (at_ < arrived_) {
        const std::size_t taken = parser.take(bytes_.substr(at_, arrived_ - at_));
        PAWL_ASSERT(taken <= arrived_ - at_);
        at_ += taken;
        if (taken > 0) continue;
      }
      if (arrived_ == bytes_.size()) return false;
      arrived_ = std::min(bytes_.size(), arrived_ + piece_);
    }
    return true;
  }

 private:
  std::string_view bytes_;
  std::size_t piece_;
  std::size_t at_ = 0;
  std::size_t arrived_ = 0;
};

void check_bounds(const RequestText& text) {
  PAWL_ASSERT(text.body.size() <= bounds().max_body_bytes);
  PAWL_ASSERT(text.method.size() + text.target.size() + text.content_type.size() +
                  text.last_event_id.size() + text.host.size() + text.origin.size() +
                  text.fetch_site.size() <=
              bounds().max_header_bytes);
}

void try_connection(HttpWorld& world, std::string_view bytes, std::size_t piece) {
  Arriving arriving(bytes, piece);
  RequestText text;
  for (int i = 0; i < kMostRequests; ++i) {
    RequestParser parser(text, bounds());
    if (!arriving.read(parser)) return;
    check_bounds(text);
    if (parser.fault() != RequestParser::Fault::none) return world.refuse(problem_of(parser));
    world.ask(text.view());
    world.pass(kTenth);
    if (!parser.keeps_alive()) return;
  }
}

std::string_view cut_off(std::string_view& text, char end) {
  const std::string_view first = text.substr(0, text.find(end));
  text.remove_prefix(std::min(text.size(), first.size() + 1));
  return first;
}

std::size_t number_in(std::string_view target) {
  std::size_t number = 0;
  if (!target.empty())
    (void)std::from_chars(target.data() + 1, target.data() + target.size(), number);
  return std::min(number, kMostTenths);
}

// Whether it was the world's business.
bool turn_world(HttpWorld& world, std::string_view method, std::string_view target) {
  using Why = ports::NotSubmitted::Why;
  const std::size_t number = number_in(target);
  if (method == "PASS") return world.pass(kTenth * number), true;
  if (method == "GONE") return world.hang_up(number), true;
  if (method == "UNHEARD") return world.lose_answer(), true;
  if (method == "DRAIN") return world.drain(), true;
  if (method == "HOLD") return world.hold_up(), true;
  if (method == "APPLY") return world.go_on(), true;
  if (method == "LOSE") return world.lose_commands(), true;
  if (method == "OFFICE") return number == 0 ? world.leave_office() : world.take_office(), true;
  if (method != "REFUSE") return false;
  constexpr std::array kWhys = {Why::overloaded, Why::not_leader, Why::stopping};
  if (number == 0 || number > kWhys.size()) return world.refuse_commands({}), true;
  return world.refuse_commands(ports::NotSubmitted{kWhys[number - 1], ""}), true;
}

void try_script(HttpWorld& world, std::string_view script, std::size_t piece) {
  for (int i = 0; i < kMostRequests && !script.empty(); ++i) {
    std::string_view body = cut_off(script, '\n');
    const std::string_view method = cut_off(body, ' ');
    const std::string_view target = cut_off(body, ' ');
    if (turn_world(world, method, target)) continue;
    const std::string request =
        std::string(method) + " " + std::string(target) +
        " HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: " +
        std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
    try_connection(world, request, piece);
  }
}

}  // namespace

void try_http(std::string_view input) {
  if (input.empty()) return;
  const auto decisions = static_cast<unsigned char>(input.front());
  input.remove_prefix(1);
  const std::size_t piece = kPieces[decisions >> 1U & 3U];
  HttpWorld world;
  if ((decisions & 1U) != 0)
    try_script(world, input, piece);
  else
    try_connection(world, input, piece);
  world.end();
}

}  // namespace pawl::fuzz
