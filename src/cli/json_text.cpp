// SPDX-License-Identifier: Apache-2.0
#include "cli/json_text.h"

#include <array>
#include <boost/json/serialize.hpp>
#include <charconv>

namespace pawl::cli {
namespace {

// As deep as the parser lets a document be.
void append(std::string& out, const boost::json::value& value) {
  const auto separate = [&out] {
    if (out.back() != '[' && out.back() != '{') out += ',';
  };
  if (const auto* number = value.if_double()) {
    std::array<char, 32> digits;
    out.append(digits.data(),
               std::to_chars(digits.data(), digits.data() + digits.size(), *number).ptr);
  } else if (const auto* list = value.if_array()) {
    out += '[';
    for (const auto& item : *list) {
      separate();
      append(out, item);
    }
    out += ']';
  } else if (const auto* object = value.if_object()) {
    out += '{';
    for (const auto& pair : *object) {
      separate();
      out += boost::json::serialize(pair.key());
      out += ':';
      append(out, pair.value());
    }
    out += '}';
  } else {
    out += boost::json::serialize(value);
  }
}

}  // namespace

std::string json_text(const boost::json::value& value) {
  std::string out;
  append(out, value);
  return out;
}

}  // namespace pawl::cli
