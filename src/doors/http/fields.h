// SPDX-License-Identifier: Apache-2.0
// The fields of a request's body: one table a call lists them, and is what the body is read by,
// what a misspelt name is compared with, and what openapi.json is checked against. Pure functions.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/names.h"
#include "core/time.h"
#include "doors/http/json_reader.h"
#include "doors/http/problems.h"

namespace pawl::doors::http {

struct FieldName {
  std::string_view name;
  bool required = false;
};

// The value of a field, and the document that it stands in.
struct FieldValue {
  const JsonDocument& document;
  const JsonValue& value;
  std::string_view inside = {};  // the field that this one is a member of

  std::string_view name() const { return value.key; }
  std::string path() const;
  JsonMembers members() const { return {document, value}; }
  [[nodiscard]] service::Problem refuse(std::string_view why) const { return invalid(path(), why); }
};

template <class Form>
struct Field {
  std::string_view name;
  bool required;
  Verdict (*read)(const FieldValue& value, Form& form);
};

[[nodiscard]] Verdict read_text(const FieldValue& field, std::string& out);
[[nodiscard]] Verdict read_duration(const FieldValue& field, core::Duration& out);
// For a field that is better left out than zero.
[[nodiscard]] Verdict read_positive_duration(const FieldValue& field, core::Duration& out);
[[nodiscard]] Verdict read_integer(const FieldValue& field, std::uint64_t min, std::uint64_t max,
                                   std::uint64_t& out);
[[nodiscard]] Verdict read_number32(const FieldValue& field, std::uint32_t min, std::uint32_t& out);
[[nodiscard]] Verdict read_token(const FieldValue& field, core::FencingToken& out);

template <class Tag>
[[nodiscard]] Verdict read_name(const FieldValue& field, core::Name<Tag>& out) {
  std::string text;
  if (Verdict bad = read_text(field, text)) return bad;
  out = core::Name<Tag>(std::move(text));
  return {};
}

// A namespace that is named is never the same as none, also if it is the empty one.
template <class Form>
[[nodiscard]] Verdict read_space(const FieldValue& field, Form& form) {
  if (Verdict bad = read_name(field, form.space)) return bad;
  if (form.space.empty()) return field.refuse("must not be empty");
  return {};
}

// At least one, at most so many.
template <class Name>
[[nodiscard]] Verdict read_names(const FieldValue& field, std::size_t most,
                                 std::vector<Name>& out) {
  if (field.value.kind != JsonKind::array) return field.refuse("must be an array of strings");
  for (const JsonValue& member : field.members()) {
    if (member.kind != JsonKind::text) {
      const std::string place = field.path() + "[" + std::to_string(out.size()) + "]";
      return invalid(place, "must be a string");
    }
    if (out.size() == most) return field.refuse("must not be more than " + std::to_string(most));
    out.emplace_back(member.text);
  }
  if (out.empty()) return field.refuse("must not be empty");
  return {};
}

[[nodiscard]] service::Problem unknown_field(std::string_view inside, std::string_view name,
                                             std::span<const std::string_view> known);

template <class Form, std::size_t N>
constexpr std::array<FieldName, N> names_of(const std::array<Field<Form>, N>& fields) {
  std::array<FieldName, N> names{};
  for (std::size_t i = 0; i < N; ++i) names[i] = {fields[i].name, fields[i].required};
  return names;
}

// An object's members, each by its entry in the table. `inside`: the field that the object is.
template <class Form, std::size_t N>
[[nodiscard]] Verdict read_object(const JsonDocument& document, const JsonValue& object,
                                  std::string_view inside, const std::array<Field<Form>, N>& fields,
                                  Form& form) {
  std::bitset<N> seen;
  for (const JsonValue& member : JsonMembers(document, object)) {
    std::size_t at = 0;
    while (at < N && fields[at].name != member.key) ++at;
    if (at == N) {
      std::array<std::string_view, N> known{};
      for (std::size_t i = 0; i < N; ++i) known[i] = fields[i].name;
      return unknown_field(inside, member.key, known);
    }
    seen.set(at);
    if (Verdict bad = fields[at].read({document, member, inside}, form)) return bad;
  }
  for (std::size_t i = 0; i < N; ++i) {
    if (!fields[i].required || seen[i]) continue;
    const std::string dot = inside.empty() ? "" : std::string(inside) + ".";
    return invalid(dot + std::string(fields[i].name), "is required");
  }
  return {};
}

// A whole body. It may be empty where no field is required.
template <class Form, std::size_t N>
[[nodiscard]] Verdict read_body(std::string_view body, const std::array<Field<Form>, N>& fields,
                                Form& form) {
  bool needs_one = false;
  for (const Field<Form>& field : fields) needs_one = needs_one || field.required;
  if (body.empty() && !needs_one) return {};
  if (body.empty()) return malformed("the body is empty: it must be a JSON object");
  JsonDocument document;
  if (Verdict bad = document.parse(body)) return bad;
  if (document.root().kind != JsonKind::object) return malformed("the body must be a JSON object");
  return read_object(document, document.root(), {}, fields, form);
}

}  // namespace pawl::doors::http
