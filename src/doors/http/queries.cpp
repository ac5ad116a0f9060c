// SPDX-License-Identifier: Apache-2.0
#include "doors/http/queries.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/validate.h"

namespace pawl::doors::http {
namespace {

constexpr std::string_view kDefault = "default";

// Decimal digits and nothing else.
std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc{} || stopped != end) return {};
  return value;
}

Verdict check(core::CommandBody body, const core::Limits& limits) {
  auto wrong = core::validate(core::Command{core::Time{}, std::move(body)}, limits);
  if (!wrong) return {};
  return invalid(std::move(wrong->field), wrong->why);
}

}  // namespace

Verdict settle_namespace(const Target& target, core::Namespace& space) {
  const std::string* named = target.find("namespace");
  if (named == nullptr) {
    if (space.empty()) space = core::Namespace(kDefault);
    return {};
  }
  if (!space.empty() && space.view() != *named)
    return invalid("namespace", "is one in the body and another in the query");
  if (named->empty()) return invalid("namespace", "must not be empty");
  space = core::Namespace(*named);
  return {};
}

Verdict read_limit(const Target& target, const ApiOptions& options, std::size_t& limit) {
  limit = std::min(options.default_page, options.max_page);
  const std::string* text = target.find("limit");
  if (text == nullptr) return {};
  const auto value = whole_number(*text);
  if (!value || *value == 0 || *value > options.max_page) {
    return invalid("limit", "must be a whole number from 1 to " + std::to_string(options.max_page));
  }
  limit = static_cast<std::size_t>(*value);
  return {};
}

std::string read_text(const Target& target, std::string_view name) {
  const std::string* text = target.find(name);
  return text == nullptr ? std::string() : *text;
}

std::string to_text(const core::HoldCursor& cursor) {
  return std::to_string(static_cast<std::uint64_t>(cursor.token)) + "~" + cursor.resource;
}

Verdict read_after(const Target& target, std::optional<core::HoldCursor>& after) {
  const std::string* text = target.find("after");
  if (text == nullptr) return {};
  const std::size_t mark = std::min(text->find('~'), text->size());
  const auto token = whole_number(std::string_view(*text).substr(0, mark));
  if (!token || *token > core::kMaxToken || mark + 1 >= text->size())
    return invalid("after", "must be the `next` of the page before");
  after = core::HoldCursor{text->substr(mark + 1), core::FencingToken{*token}};
  return {};
}

Verdict read_after(const Target& target, core::AuditId& after) {
  const std::string* text = target.find("after");
  if (text == nullptr) return {};
  const auto id = whole_number(*text);
  if (!id) return invalid("after", "must be the id of an audit record");
  after = core::AuditId{*id};
  return {};
}

Verdict read_after(const Target& target, std::string_view last_event_id,
                   std::optional<service::EventId>& after) {
  const std::string* text = target.find("after");
  if (last_event_id.empty() && text == nullptr) return {};
  const bool by_header = !last_event_id.empty();
  after = service::parse_event_id(by_header ? last_event_id : std::string_view(*text));
  if (!after) return invalid(by_header ? "Last-Event-ID" : "after", "must be the id of an event");
  return {};
}

Verdict check_namespace(const core::Namespace& space, const core::Limits& limits) {
  const core::LeaseId fine("lease_00000000");
  return check(core::Release{space, fine}, limits);
}

Verdict check_lease(const core::Namespace& space, const core::LeaseId& id,
                    const core::Limits& limits) {
  return check(core::Release{space, id}, limits);
}

Verdict check_renewal(const core::Renew& renewal, const core::Limits& limits) {
  return check(renewal, limits);
}

Verdict check_resource(const core::Namespace& space, const core::ResourceName& name,
                       const core::Limits& limits) {
  core::ForceRelease any;
  any.space = space;
  any.resource = name;
  any.actor = core::ActorId("a");
  any.reason = "a";
  return check(std::move(any), limits);
}

}  // namespace pawl::doors::http
