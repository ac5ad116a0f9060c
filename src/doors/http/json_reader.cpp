// SPDX-License-Identifier: Apache-2.0
#include "doors/http/json_reader.h"

#include <algorithm>
#include <boost/container/static_vector.hpp>
#include <boost/json/basic_parser_impl.hpp>
#include <functional>
#include <optional>
#include <utility>

#include "core/assert.h"
#include "doors/http/nearest.h"

namespace pawl::doors::http {
namespace {

namespace json = boost::json;

std::string at_byte(std::size_t at) { return " at byte " + std::to_string(at); }

std::string words_for(const boost::system::error_code& error, std::string_view body,
                      std::size_t at) {
  if (error == json::error::incomplete) return "the body ends before its JSON does";
  if (error == json::error::too_deep) {
    return "the body is nested deeper than " + std::to_string(JsonDocument::kMostLevels) +
           " levels" + at_byte(at);
  }
  if (body.starts_with("\xef\xbb\xbf"))
    return "the body begins with a byte order mark; leave it out";
  if (at < body.size() && static_cast<unsigned char>(body[at]) >= 0x80)
    return "the body is not UTF-8" + at_byte(at);
  return "the body is not JSON: " + error.message() + at_byte(at);
}

using Keys = boost::container::small_vector<std::string_view, 24>;

// A key that is there twice; nothing: none.
std::optional<std::string_view> twin(Keys& keys) {
  std::sort(keys.begin(), keys.end());
  const auto found = std::adjacent_find(keys.begin(), keys.end());
  if (found == keys.end()) return {};
  return *found;
}

}  // namespace

// What the parser calls for each piece. The text of a piece is in the body, or in a buffer of the
// parser's that does not last; only a text with escapes comes in several pieces.
class JsonDocument::Handler {
 public:
  static constexpr std::size_t max_object_size = kMostValues;
  static constexpr std::size_t max_array_size = kMostValues;
  static constexpr std::size_t max_key_size = std::size_t{1} << 30;
  static constexpr std::size_t max_string_size = std::size_t{1} << 30;

  Handler(JsonDocument& document, std::string_view body) : document_(document), body_(body) {}

  // Set when it was the handler that refused.
  Verdict refusal;

  using Error = boost::system::error_code;
  using View = json::string_view;

  bool on_document_begin(Error&) { return true; }
  bool on_document_end(Error&) { return true; }
  bool on_object_begin(Error& error) { return open(JsonKind::object, error); }
  bool on_object_end(std::size_t members, Error& error) { return shut(members, error); }
  bool on_array_begin(Error& error) { return open(JsonKind::array, error); }
  bool on_array_end(std::size_t, Error&) {
    close_last();
    return true;
  }
  bool on_key_part(View piece, std::size_t, Error&) { return add_piece(piece); }
  bool on_key(View piece, std::size_t, Error&) {
    key_ = whole(piece);
    return true;
  }
  bool on_string_part(View piece, std::size_t, Error&) { return add_piece(piece); }
  bool on_string(View piece, std::size_t, Error& error) {
    return add(JsonKind::text, whole(piece), error);
  }
  bool on_number_part(View, Error&) { return true; }
  bool on_int64(std::int64_t, View text, Error& error) { return add_number(text, error); }
  bool on_uint64(std::uint64_t, View text, Error& error) { return add_number(text, error); }
  bool on_double(double, View text, Error& error) { return add_number(text, error); }
  bool on_bool(bool value, Error& error) {
    return add(JsonKind::boolean, value ? "true" : "false", error);
  }
  bool on_null(Error& error) { return add(JsonKind::null, "null", error); }
  bool on_comment_part(View, Error&) { return true; }
  bool on_comment(View, Error&) { return true; }

 private:
  bool refuse(service::Problem problem, Error& error) {
    refusal = std::move(problem);
    error = json::error::syntax;
    return false;
  }

  bool add(JsonKind kind, std::string_view text, Error& error) {
    auto& row = document_.values_;
    if (row.size() == kMostValues) {
      return refuse(malformed("the body has more than " + std::to_string(kMostValues) + " values"),
                    error);
    }
    const auto next = static_cast<std::uint32_t>(row.size() + 1);
    row.push_back({kind, next, std::exchange(key_, {}), text});
    return true;
  }
  bool add_number(View text, Error& error) {
    return add(JsonKind::number, {text.data(), text.size()}, error);
  }

  bool open(JsonKind kind, Error& error) {
    open_.push_back(static_cast<std::uint32_t>(document_.values_.size()));
    return add(kind, {}, error);
  }
  std::uint32_t close_last() {
    const std::uint32_t at = open_.back();
    open_.pop_back();
    document_.values_[at].next = static_cast<std::uint32_t>(document_.values_.size());
    return at;
  }
  bool shut(std::size_t members, Error& error) {
    const std::uint32_t at = close_last();
    Keys keys;
    keys.reserve(members);
    for (const JsonValue& member : JsonMembers(document_, document_.values_[at]))
      keys.push_back(member.key);
    const std::optional<std::string_view> found = twin(keys);
    if (!found) return true;
    service::Problem problem = malformed("the body has the key '" + shortened(*found) + "' twice");
    problem.field = shortened(*found);
    return refuse(std::move(problem), error);
  }

  bool is_in_body(View piece) const {
    const std::less_equal<const char*> before;
    return before(body_.data(), piece.data()) &&
           before(piece.data() + piece.size(), body_.data() + body_.size());
  }
  // Never more than the body is long, so that it does not move.
  bool add_piece(View piece) {
    std::string& all = document_.unescaped_;
    if (all.capacity() < body_.size()) all.reserve(body_.size());
    PAWL_ASSERT(all.size() + piece.size() <= body_.size());
    all.append(piece.data(), piece.size());
    pieces_ += piece.size();
    return true;
  }
  std::string_view whole(View last) {
    if (pieces_ == 0 && is_in_body(last)) return {last.data(), last.size()};
    add_piece(last);
    const std::string_view all = document_.unescaped_;
    return all.substr(all.size() - std::exchange(pieces_, 0));
  }

  JsonDocument& document_;
  std::string_view body_;
  std::string_view key_;
  std::size_t pieces_ = 0;  // bytes of the text under way that are in unescaped_
  boost::container::static_vector<std::uint32_t, kMostLevels + 1> open_;
};

Verdict JsonDocument::parse(std::string_view body) {
  values_.clear();
  unescaped_.clear();
  json::parse_options strict;
  strict.max_depth = kMostLevels;
  json::basic_parser<Handler> parser(strict, *this, body);
  boost::system::error_code error;
  const std::size_t read = parser.write_some(false, body.data(), body.size(), error);
  if (parser.handler().refusal) return parser.handler().refusal;
  if (error) return malformed(words_for(error, body, read));
  if (read != body.size()) return malformed("the body goes on after its JSON ends" + at_byte(read));
  return {};
}

}  // namespace pawl::doors::http
