// SPDX-License-Identifier: Apache-2.0
// The body of an acquire, which has more to it than the others.
#include <array>
#include <string>
#include <utility>

#include "doors/http/requests.h"

namespace pawl::doors::http {
namespace {

Verdict read_mode(const FieldValue& field, core::Mode& out) {
  constexpr std::array kModes = {core::Mode::exclusive, core::Mode::shared, core::Mode::permit};
  for (const core::Mode mode : kModes) {
    if (field.value.kind != JsonKind::text || field.value.text != service::to_text(mode)) continue;
    out = mode;
    return {};
  }
  return field.refuse("must be \"exclusive\", \"shared\" or \"permit\"");
}

Verdict read_metadata(const FieldValue& field, core::Metadata& out) {
  if (field.value.kind != JsonKind::object) return field.refuse("must be an object of strings");
  for (const JsonValue& member : field.members()) {
    std::string text;
    if (Verdict bad = read_text({field.document, member, field.name()}, text)) return bad;
    out.emplace_back(std::string(member.key), std::move(text));
  }
  return {};
}

constexpr std::array kPermitsFields = {
    Field<core::Permits>{"limit", true,
                         [](const FieldValue& field, core::Permits& out) {
                           return read_number32(field, 1, out.limit);
                         }},
    Field<core::Permits>{"count", false,
                         [](const FieldValue& field, core::Permits& out) {
                           return read_number32(field, 1, out.count);
                         }},
};

Verdict read_permits(const FieldValue& field, core::Permits& out) {
  if (field.value.kind != JsonKind::object) return field.refuse("must be an object");
  out.count = 1;
  return read_object(field.document, field.value, field.name(), kPermitsFields, out);
}

struct AcquireForm : core::Acquire {
  bool has_resource = false;
  bool has_resources = false;
  bool has_permits = false;
};
using AcquireField = Field<AcquireForm>;

constexpr std::array kAcquireFields = {
    AcquireField{"resource", false,
                 [](const FieldValue& field, AcquireForm& form) {
                   form.has_resource = true;
                   return read_name(field, form.terms.resources.emplace_back());
                 }},
    AcquireField{"resources", false,
                 [](const FieldValue& field, AcquireForm& form) {
                   form.has_resources = true;
                   return read_names(field, JsonDocument::kMostValues, form.terms.resources);
                 }},
    AcquireField{"ownerId", true,
                 [](const FieldValue& field, AcquireForm& form) {
                   return read_name(field, form.terms.owner);
                 }},
    AcquireField{"ttlSeconds", true,
                 [](const FieldValue& field, AcquireForm& form) {
                   return read_positive_duration(field, form.terms.ttl);
                 }},
    AcquireField{
        "waitSeconds", false,
        [](const FieldValue& field, AcquireForm& form) { return read_duration(field, form.wait); }},
    AcquireField{"mode", false,
                 [](const FieldValue& field, AcquireForm& form) {
                   return read_mode(field, form.terms.mode);
                 }},
    AcquireField{"permits", false,
                 [](const FieldValue& field, AcquireForm& form) {
                   form.has_permits = true;
                   return read_permits(field, form.terms.permits);
                 }},
    AcquireField{"leaseId", false,
                 [](const FieldValue& field, AcquireForm& form) -> Verdict {
                   if (Verdict bad = read_name(field, form.id)) return bad;
                   if (form.id.empty()) return field.refuse("must not be empty");
                   return {};
                 }},
    AcquireField{"attempt", false,
                 [](const FieldValue& field, AcquireForm& form) {
                   return read_number32(field, 1, form.ticket.attempt);
                 }},
    AcquireField{"maxHoldSeconds", false,
                 [](const FieldValue& field, AcquireForm& form) {
                   return read_duration(field, form.terms.max_hold);
                 }},
    AcquireField{"minHoldSeconds", false,
                 [](const FieldValue& field, AcquireForm& form) {
                   return read_duration(field, form.terms.min_hold);
                 }},
    AcquireField{"lockDelaySeconds", false,
                 [](const FieldValue& field, AcquireForm& form) {
                   return read_duration(field, form.terms.lock_delay);
                 }},
    AcquireField{"metadata", false,
                 [](const FieldValue& field, AcquireForm& form) {
                   return read_metadata(field, form.metadata);
                 }},
    AcquireField{"namespace", false, read_space<AcquireForm>},
};

Verdict check_form(const AcquireForm& form) {
  if (form.has_resource && form.has_resources)
    return invalid("resources", "and resource can't both be given");
  if (!form.has_resource && !form.has_resources)
    return invalid("resource", "is required, or resources");
  const bool is_permit = form.terms.mode == core::Mode::permit;
  if (is_permit && !form.has_permits)
    return invalid("permits", "is required for the mode \"permit\"");
  if (!is_permit && form.has_permits)
    return invalid("permits", "goes with the mode \"permit\" only");
  return {};
}

constexpr auto kAcquireNameTable = names_of(kAcquireFields);
constexpr auto kPermitsNameTable = names_of(kPermitsFields);

}  // namespace

constinit const std::span<const FieldName> kAcquireNames = kAcquireNameTable;
constinit const std::span<const FieldName> kPermitsNames = kPermitsNameTable;

Verdict read(std::string_view body, core::Acquire& out) {
  AcquireForm form;
  if (Verdict bad = read_body(body, kAcquireFields, form)) return bad;
  if (Verdict bad = check_form(form)) return bad;
  out = std::move(static_cast<core::Acquire&>(form));
  return {};
}

}  // namespace pawl::doors::http
