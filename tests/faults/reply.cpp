// SPDX-License-Identifier: Apache-2.0
#include "faults/reply.h"

#include <sstream>

namespace pawl::testing {
namespace {

core::Duration read_duration(std::istream& words) {
  std::int64_t count = 0;
  words >> count;
  return core::Duration(count);
}
core::Time read_time(std::istream& words) { return core::Time(read_duration(words)); }

void read_list(std::istream& words, Reply& reply) {
  reply.state_time = read_time(words);
  for (ListedLease lease; words >> lease.lease;) {
    words >> lease.resource >> lease.token;
    if (!words) return;
    reply.held.push_back(lease);
  }
  if (words.eof()) words.clear();
}

bool read_rest(std::istream& words, std::string_view verb, Reply& reply) {
  using Kind = Reply::Kind;
  if (verb == "granted" || verb == "renewed") {
    reply.kind = verb == "granted" ? Kind::granted : Kind::renewed;
    words >> reply.token;
    reply.valid_for = read_duration(words);
    reply.state_time = read_time(words);
    std::string how;
    if (reply.kind == Kind::granted) words >> how;
    reply.repeated = how == "repeated";
  } else if (verb == "busy") {
    reply.kind = Kind::busy;
    reply.state_time = read_time(words);
  } else if (verb == "ended") {
    reply.kind = Kind::ended;
    words >> reply.word;
    reply.ended_at = read_time(words);
    reply.state_time = read_time(words);
  } else if (verb == "refused") {
    reply.kind = Kind::refused;
    words >> reply.word;
    reply.state_time = read_time(words);
  } else if (verb == "not_submitted") {
    reply.kind = Kind::not_submitted;
    words >> reply.word;
  } else if (verb == "listed") {
    reply.kind = Kind::listed;
    read_list(words, reply);
  } else if (verb != "unknown") {
    return false;
  }
  return !words.fail();
}

}  // namespace

std::optional<Reply> parse_reply(std::string_view line) {
  std::istringstream words{std::string(line)};
  Reply reply;
  std::string verb;
  words >> reply.number >> verb;
  if (words.fail() || !read_rest(words, verb, reply)) return std::nullopt;
  return reply;
}

}  // namespace pawl::testing
