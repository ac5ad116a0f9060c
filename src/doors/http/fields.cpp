// SPDX-License-Identifier: Apache-2.0
#include "doors/http/fields.h"

#include <limits>

#include "core/limits.h"
#include "doors/http/nearest.h"
#include "doors/http/numbers.h"

namespace pawl::doors::http {
namespace {

std::string joined(std::string_view inside, std::string_view name) {
  if (inside.empty()) return shortened(name);
  return std::string(inside) + "." + shortened(name);
}

}  // namespace

std::string FieldValue::path() const { return joined(inside, value.key); }

Verdict read_text(const FieldValue& field, std::string& out) {
  if (field.value.kind != JsonKind::text) return field.refuse("must be a string");
  out = field.value.text;
  return {};
}

Verdict read_duration(const FieldValue& field, core::Duration& out) {
  if (field.value.kind != JsonKind::number) return field.refuse("must be a number of seconds");
  const std::string_view wrong = read_seconds(field.value.text, out);
  if (!wrong.empty()) return field.refuse(wrong);
  return {};
}

Verdict read_positive_duration(const FieldValue& field, core::Duration& out) {
  if (Verdict bad = read_duration(field, out)) return bad;
  if (out == core::Duration::zero()) return field.refuse("must be more than 0");
  return {};
}

Verdict read_integer(const FieldValue& field, std::uint64_t min, std::uint64_t max,
                     std::uint64_t& out) {
  // What is no number at all is told which numbers there are, too.
  const bool is_number = field.value.kind == JsonKind::number;
  const std::string wrong = read_whole(is_number ? field.value.text : "0.5", min, max, out);
  if (!wrong.empty()) return field.refuse(wrong);
  return {};
}

Verdict read_number32(const FieldValue& field, std::uint32_t min, std::uint32_t& out) {
  std::uint64_t value = 0;
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  if (Verdict bad = read_integer(field, min, kMost, value)) return bad;
  out = static_cast<std::uint32_t>(value);
  return {};
}

Verdict read_token(const FieldValue& field, core::FencingToken& out) {
  std::uint64_t value = 0;
  if (Verdict bad = read_integer(field, 1, core::kMaxToken, value)) return bad;
  out = core::FencingToken{value};
  return {};
}

service::Problem unknown_field(std::string_view inside, std::string_view name,
                               std::span<const std::string_view> known) {
  service::Problem problem;
  problem.code = service::ProblemCode::unknown_field;
  problem.field = joined(inside, name);
  problem.detail = "there is no field '" + problem.field + "'" + hint(name, known);
  return problem;
}

}  // namespace pawl::doors::http
