// SPDX-License-Identifier: Apache-2.0
#include "doors/http/requests.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <tuple>

namespace pawl::doors::http {
namespace {

constexpr std::array kRenewFields = {
    Field<core::Renew>{"ttlSeconds", false,
                       [](const FieldValue& field, core::Renew& out) {
                         return read_positive_duration(field, out.ttl);
                       }},
    Field<core::Renew>{"namespace", false, read_space<core::Renew>},
};

constexpr std::array kRenewManyFields = {
    Field<RenewMany>{"leaseIds", true,
                     [](const FieldValue& field, RenewMany& out) {
                       return read_names(field, kMostRenewals, out.ids);
                     }},
    Field<RenewMany>{"ttlSeconds", false,
                     [](const FieldValue& field, RenewMany& out) {
                       return read_positive_duration(field, out.ttl);
                     }},
    Field<RenewMany>{"namespace", false, read_space<RenewMany>},
};

// The position of a lease id that stands there before.
std::optional<std::size_t> twin(const std::vector<core::LeaseId>& ids) {
  std::vector<std::size_t> order(ids.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::tie(ids[a], a) < std::tie(ids[b], b);
  });
  const auto found = std::adjacent_find(
      order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return ids[a] == ids[b]; });
  if (found == order.end()) return {};
  return *(found + 1);
}

constexpr std::array kUpgradeFields = {
    Field<core::Upgrade>{
        "fencingToken", true,
        [](const FieldValue& field, core::Upgrade& out) { return read_token(field, out.known); }},
    Field<core::Upgrade>{
        "waitSeconds", false,
        [](const FieldValue& field, core::Upgrade& out) { return read_duration(field, out.wait); }},
    Field<core::Upgrade>{"attempt", false,
                         [](const FieldValue& field, core::Upgrade& out) {
                           return read_number32(field, 1, out.ticket.attempt);
                         }},
    Field<core::Upgrade>{"namespace", false, read_space<core::Upgrade>},
};

constexpr std::array kDowngradeFields = {
    Field<core::Downgrade>{
        "fencingToken", true,
        [](const FieldValue& field, core::Downgrade& out) { return read_token(field, out.known); }},
    Field<core::Downgrade>{"namespace", false, read_space<core::Downgrade>},
};

using ForceField = Field<core::ForceRelease>;

constexpr std::array kForceReleaseFields = {
    ForceField{"actorId", true,
               [](const FieldValue& field, core::ForceRelease& out) {
                 return read_name(field, out.actor);
               }},
    ForceField{"reason", true,
               [](const FieldValue& field, core::ForceRelease& out) {
                 return read_text(field, out.reason);
               }},
    ForceField{"leaseId", false,
               [](const FieldValue& field, core::ForceRelease& out) {
                 return read_name(field, out.only_lease.emplace());
               }},
    ForceField{"fencingToken", false,
               [](const FieldValue& field, core::ForceRelease& out) {
                 return read_token(field, out.only_token.emplace());
               }},
    ForceField{"when", false,
               [](const FieldValue& field, core::ForceRelease& out) -> Verdict {
                 const bool is_text = field.value.kind == JsonKind::text;
                 out.when = core::ForceWhen::now;
                 if (is_text && field.value.text == "now") return {};
                 out.when = core::ForceWhen::at_deadline;
                 if (is_text && field.value.text == "at_deadline") return {};
                 return field.refuse("must be \"now\" or \"at_deadline\"");
               }},
    ForceField{"namespace", false, read_space<core::ForceRelease>},
};

constexpr std::array kFenceCheckFields = {
    Field<FenceCheck>{
        "resource", true,
        [](const FieldValue& field, FenceCheck& out) { return read_name(field, out.resource); }},
    Field<FenceCheck>{
        "fencingToken", true,
        [](const FieldValue& field, FenceCheck& out) { return read_token(field, out.token); }},
    Field<FenceCheck>{"namespace", false, read_space<FenceCheck>},
};

constexpr auto kRenewNameTable = names_of(kRenewFields);
constexpr auto kRenewManyNameTable = names_of(kRenewManyFields);
constexpr auto kUpgradeNameTable = names_of(kUpgradeFields);
constexpr auto kDowngradeNameTable = names_of(kDowngradeFields);
constexpr auto kForceReleaseNameTable = names_of(kForceReleaseFields);
constexpr auto kFenceCheckNameTable = names_of(kFenceCheckFields);

}  // namespace

constinit const std::span<const FieldName> kRenewNames = kRenewNameTable;
constinit const std::span<const FieldName> kRenewManyNames = kRenewManyNameTable;
constinit const std::span<const FieldName> kUpgradeNames = kUpgradeNameTable;
constinit const std::span<const FieldName> kDowngradeNames = kDowngradeNameTable;
constinit const std::span<const FieldName> kForceReleaseNames = kForceReleaseNameTable;
constinit const std::span<const FieldName> kFenceCheckNames = kFenceCheckNameTable;

Verdict read(std::string_view body, core::Renew& out) { return read_body(body, kRenewFields, out); }

Verdict read(std::string_view body, RenewMany& out) {
  if (Verdict bad = read_body(body, kRenewManyFields, out)) return bad;
  if (const auto again = twin(out.ids))
    return invalid("leaseIds[" + std::to_string(*again) + "]", "is there twice");
  return {};
}

Verdict read(std::string_view body, core::Upgrade& out) {
  return read_body(body, kUpgradeFields, out);
}

Verdict read(std::string_view body, core::Downgrade& out) {
  return read_body(body, kDowngradeFields, out);
}

Verdict read(std::string_view body, core::ForceRelease& out) {
  if (Verdict bad = read_body(body, kForceReleaseFields, out)) return bad;
  if (out.only_lease && out.only_token)
    return invalid("fencingToken", "and leaseId can't both be given");
  return {};
}

Verdict read(std::string_view body, FenceCheck& out) {
  return read_body(body, kFenceCheckFields, out);
}

}  // namespace pawl::doors::http
