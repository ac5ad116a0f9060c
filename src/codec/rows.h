// SPDX-License-Identifier: Apache-2.0
// A payload as a row of length-delimited protobuf fields, one after the other. An entry's commands
// and a piece's records are read and written one by one, so that memory is taken for one at a time
// and a fault has a place. The whole payload is still one protobuf message (Entry, Piece). Internal
// to codec. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace google::protobuf {
class Message;
}

namespace pawl::codec {

struct Row {
  std::uint32_t field = 0;
  std::string_view body;
  std::size_t offset = 0;  // of the row, in the payload
};

class Rows {
 public:
  explicit Rows(std::string_view payload) : payload_(payload) {}

  std::optional<Row> next();  // nothing: that was all, or broken()
  bool broken() const { return broken_; }
  std::size_t offset() const { return at_; }

 private:
  std::string_view payload_;
  std::size_t at_ = 0;
  bool broken_ = false;
};

// How many rows there are, or nothing if the payload is not a row of rows.
std::optional<std::size_t> count_rows(std::string_view payload);

// `field` is at most 15.
void append_row(std::string& payload, std::uint32_t field,
                const google::protobuf::Message& message);

// Whether `body` is exactly what append_row() would write for the message that it gives. It is not
// if, for example, a field comes twice or a number is longer than it need be.
[[nodiscard]] bool parse_row(std::string_view body, google::protobuf::Message& message);

// Whether the message itself, those inside it left aside, had a field that pawl.proto does not
// have.
[[nodiscard]] bool has_unknown_field(const google::protobuf::Message& message);

}  // namespace pawl::codec
