// SPDX-License-Identifier: Apache-2.0
#include "cli/event_stream.h"

#include <gtest/gtest.h>

#include <vector>

namespace pawl::cli {
namespace {

std::vector<std::string> events_of(std::string_view bytes, std::size_t piece) {
  std::vector<std::string> out;
  EventStream stream;
  for (std::size_t i = 0; i < bytes.size(); i += piece) {
    EXPECT_TRUE(stream.feed(bytes.substr(i, piece), [&](const StreamEvent& event) {
      out.push_back(event.id + "|" + event.name + "|" + event.data);
      return true;
    }));
  }
  return out;
}

TEST(EventStream, GivesTheSameEventsHoweverTheBytesArrive) {
  const std::string_view bytes =
      ": pawl events\n\n"
      "id: 7\nevent: lock_acquired\ndata: {\"a\":1}\n\n"
      ": heartbeat\n\n"
      "event: missed\ndata:{}\n\n"
      "id: 8\r\nevent: x\r\ndata: one\r\ndata: two\r\n\r\n"
      "data: unfinished\n";
  const std::vector<std::string> expected = {"7|lock_acquired|{\"a\":1}", "7|missed|{}",
                                             "8|x|one\ntwo"};
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece)
    EXPECT_EQ(events_of(bytes, piece), expected) << piece;
}

TEST(EventStream, AnEventWithoutDataIsNone) {
  EXPECT_TRUE(events_of("id: 9\nevent: x\n\n", 100).empty());
}

TEST(EventStream, EnoughIsEnough) {
  EventStream stream;
  int seen = 0;
  EXPECT_FALSE(
      stream.feed("data: 1\n\ndata: 2\n\n", [&](const StreamEvent&) { return ++seen < 1; }));
  EXPECT_EQ(seen, 1);
  EXPECT_FALSE(stream.is_broken());
}

TEST(EventStream, ALineWithoutEndIsNotKeptForEver) {
  EventStream stream;
  const std::string piece(100'000, 'x');
  int pieces = 0;
  while (pieces < 100 && stream.feed(piece, [](const StreamEvent&) { return true; })) ++pieces;
  EXPECT_TRUE(stream.is_broken());
  EXPECT_LT(pieces, 12);
}

TEST(EventStream, DataWithoutEndIsNotKeptForEver) {
  EventStream stream;
  const std::string piece = "data: " + std::string(1'000, 'x') + "\n";
  int pieces = 0;
  while (pieces < 10'000 && stream.feed(piece, [](const StreamEvent&) { return true; })) ++pieces;
  EXPECT_TRUE(stream.is_broken());
}

}  // namespace
}  // namespace pawl::cli
