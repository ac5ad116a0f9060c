// SPDX-License-Identifier: Apache-2.0
// What operators and readers of the feed are told of: each happening's name, severity and fields,
// in one place. Views into what it is made from, valid as long as that is. Pure functions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "core/effect.h"
#include "ports/observer.h"
#include "ports/wall_clock.h"
#include "service/renewal_failures.h"

namespace pawl::service {

// What every happening tells. Empty, none or zero: not known.
struct Subject {
  const core::Namespace* space = nullptr;
  std::span<const core::ResourceName> resources;
  std::string_view owner;
  std::string_view lease_id;
  std::optional<core::Mode> mode;
  core::FencingToken token{};
  std::optional<core::Duration> ttl;
};

struct Detail {
  std::string_view name;
  std::variant<std::monostate, std::string_view, std::uint64_t, core::Duration> value;
};

struct Happening {
  std::string_view name;
  ports::Severity severity = ports::Severity::info;
  Subject subject;
  std::array<Detail, 4> details;
  std::size_t detail_count = 0;

  std::span<const Detail> own() const { return {details.data(), detail_count}; }
};

// Nothing: only metrics hear of it.
std::optional<Happening> happening_of(const core::Effect& effect);
Happening renewal_failed(const RenewalFailure& failure);
Happening held_long(const core::LeaseInfo& lease, core::Time now);

// One object, in the order of docs/api.md.
void append_json(std::string& out, const Happening& happening, core::Time now,
                 ports::WallTime wall);
void append_json(std::string& out, std::span<const core::ResourceName> names);

}  // namespace pawl::service
