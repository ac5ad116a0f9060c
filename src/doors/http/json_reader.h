// SPDX-License-Identifier: Apache-2.0
// Strict JSON for requests: a document becomes one flat row of values, each before its members, and
// its texts stay where they are in the body unless they had to be unescaped. Refused, with the
// place: duplicate keys, invalid UTF-8, more than kMostLevels or kMostValues, anything after the
// end. The body must outlive the document. Used by one thread.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "doors/http/problems.h"

namespace pawl::doors::http {

enum class JsonKind : std::uint8_t { null, boolean, number, text, array, object };

struct JsonValue {
  JsonKind kind = JsonKind::null;
  std::uint32_t next = 0;  // the place in the row after this value and its members
  std::string_view key;    // of an object's member
  std::string_view text;   // of a text, or of a number as it was written
};

class JsonDocument {
 public:
  static constexpr std::size_t kMostLevels = 8;
  static constexpr std::size_t kMostValues = 4096;

  JsonDocument() = default;
  JsonDocument(const JsonDocument&) = delete;
  JsonDocument& operator=(const JsonDocument&) = delete;

  [[nodiscard]] Verdict parse(std::string_view body);

  // Only after a parse that went well.
  const JsonValue& root() const { return values_[0]; }

 private:
  class Handler;
  boost::container::small_vector<JsonValue, 24> values_;
  std::string unescaped_;
};

// The members of an array or object, in order.
class JsonMembers {
 public:
  class Iterator {
   public:
    Iterator(const JsonValue* row, std::uint32_t at) : row_(row), at_(at) {}
    const JsonValue& operator*() const { return row_[at_]; }
    Iterator& operator++() {
      at_ = row_[at_].next;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return at_ != other.at_; }

   private:
    const JsonValue* row_;
    std::uint32_t at_;
  };

  // `of` stands in its document's row.
  JsonMembers(const JsonDocument& document, const JsonValue& of)
      : row_(&document.root()), of_(of) {}
  Iterator begin() const { return {row_, static_cast<std::uint32_t>(&of_ - row_) + 1}; }
  Iterator end() const { return {row_, of_.next}; }

 private:
  const JsonValue* row_;
  const JsonValue& of_;
};

}  // namespace pawl::doors::http
