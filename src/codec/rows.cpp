// SPDX-License-Identifier: Apache-2.0
#include "codec/rows.h"

#include <google/protobuf/message.h>
#include <google/protobuf/unknown_field_set.h>

#include <limits>

#include "core/assert.h"

namespace pawl::codec {
namespace {

constexpr std::uint32_t kLengthDelimited = 2;  // protobuf's wire type
constexpr std::size_t kMostLengthBytes = 5;

// A length in as few bytes as it needs; nothing if there is none.
std::optional<std::uint32_t> read_length(std::string_view payload, std::size_t& at) {
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < kMostLengthBytes && at + i < payload.size(); ++i) {
    const auto byte = static_cast<unsigned char>(payload[at + i]);
    length |= std::uint64_t{byte & 0x7fU} << (7 * i);
    if ((byte & 0x80U) != 0) continue;
    const bool longer_than_needed = i > 0 && byte == 0;
    if (longer_than_needed || length > std::numeric_limits<std::uint32_t>::max()) return {};
    at += i + 1;
    return static_cast<std::uint32_t>(length);
  }
  return {};
}

void append_length(std::string& payload, std::size_t length) {
  for (; length >= 0x80; length >>= 7) payload.push_back(static_cast<char>(length | 0x80));
  payload.push_back(static_cast<char>(length));
}

}  // namespace

std::optional<Row> Rows::next() {
  if (broken_ || at_ == payload_.size()) return {};
  Row row;
  row.offset = at_;
  const auto key = static_cast<unsigned char>(payload_[at_]);
  row.field = key >> 3;
  std::size_t body = at_ + 1;
  const auto length = read_length(payload_, body);
  if (key >= 0x80 || (key & 7U) != kLengthDelimited || !length ||
      *length > payload_.size() - body) {
    broken_ = true;
    return {};
  }
  row.body = payload_.substr(body, *length);
  at_ = body + *length;
  return row;
}

std::optional<std::size_t> count_rows(std::string_view payload) {
  Rows rows(payload);
  std::size_t count = 0;
  while (rows.next()) ++count;
  if (rows.broken()) return {};
  return count;
}

void append_row(std::string& payload, std::uint32_t field,
                const google::protobuf::Message& message) {
  PAWL_ASSERT(field < 16);
  payload.push_back(static_cast<char>(field << 3 | kLengthDelimited));
  const std::size_t length = message.ByteSizeLong();
  append_length(payload, length);
  const std::size_t at = payload.size();
  payload.resize(at + length);
  auto* body = reinterpret_cast<std::uint8_t*>(payload.data() + at);
  message.SerializeWithCachedSizesToArray(body);
}

bool parse_row(std::string_view body, google::protobuf::Message& message) {
  if (body.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) return false;
  return message.ParseFromArray(body.data(), static_cast<int>(body.size())) &&
         message.ByteSizeLong() == body.size();
}

bool has_unknown_field(const google::protobuf::Message& message) {
  return !message.GetReflection()->GetUnknownFields(message).empty();
}

}  // namespace pawl::codec
