// SPDX-License-Identifier: Apache-2.0
#include "core/validate.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <variant>

namespace pawl::core {
namespace {

using Verdict = std::optional<Invalid>;

std::string seconds(Duration duration) {
  std::string text = std::to_string(duration.count() / 1'000'000);
  if (const auto rest = duration.count() % 1'000'000; rest != 0) {
    std::string fraction = std::to_string(1'000'000 + rest).substr(1);
    fraction.erase(fraction.find_last_not_of('0') + 1);
    text += '.' + fraction;
  }
  return text + " s";
}

// What a byte may be part of.
enum : unsigned char { kPlain = 1, kLowerHex = 2 };
constexpr std::array<unsigned char, 256> kBytes = [] {
  std::array<unsigned char, 256> bytes{};
  for (unsigned c = 0; c < 256; ++c) {
    const bool digit = c >= '0' && c <= '9';
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (digit || letter || c == '_' || c == '.' || c == '-') bytes[c] |= kPlain;
    if (digit || (c >= 'a' && c <= 'f')) bytes[c] |= kLowerHex;
  }
  return bytes;
}();

// Eight bytes at a time: every byte from 0x20 to 0x7e.
bool is_printable_ascii(std::string_view text) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  constexpr std::uint64_t kHigh = 0x8080808080808080;
  std::uint64_t bad = 0;
  std::size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, 8);
    // The high bit of a byte: was set, is set by adding one to 0x7f, or borrowed for one below
    // 0x20.
    bad |= word | (word + kOnes) | (((word | kHigh) - kOnes * 0x20) ^ kHigh);
  }
  bool good = (bad & kHigh) == 0;
  for (; at < text.size(); ++at) good = good && text[at] >= 0x20 && text[at] < 0x7f;
  return good;
}

bool all_are(std::string_view text, unsigned char what) {
  unsigned all = what;
  for (const char c : text) all &= kBytes[static_cast<unsigned char>(c)];
  return all == what;
}

bool is_plain(std::string_view text) { return all_are(text, kPlain); }

// The length of the well-formed UTF-8 character (Unicode table 3-7) that `text` begins with, or
// zero; zero too for the control characters of ASCII and Latin-1.
std::size_t printable_character(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xc0U) == 0x80U; };
  const unsigned first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  if (first < 0xc2 || first > 0xf4) return 0;
  if (first < 0xe0) return follows(1) && (first != 0xc2 || byte(1) >= 0xa0) ? 2 : 0;
  if (first < 0xf0) {
    const bool overlong = first == 0xe0 && byte(1) < 0xa0;
    const bool surrogate = first == 0xed && byte(1) > 0x9f;
    return follows(1) && follows(2) && !overlong && !surrogate ? 3 : 0;
  }
  const bool overlong = first == 0xf0 && byte(1) < 0x90;
  const bool too_large = first == 0xf4 && byte(1) > 0x8f;
  return follows(1) && follows(2) && follows(3) && !overlong && !too_large ? 4 : 0;
}

bool is_text(std::string_view text) {
  if (is_printable_ascii(text)) return true;
  while (!text.empty()) {
    const std::size_t length = printable_character(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

Verdict check_text(const char* field, std::string_view text, std::uint32_t max_bytes) {
  if (text.empty()) return Invalid{field, "must not be empty"};
  if (text.size() > max_bytes) {
    return Invalid{field, "is longer than " + std::to_string(max_bytes) + " bytes"};
  }
  if (!is_text(text)) return Invalid{field, "must be UTF-8 without control characters"};
  return {};
}

Verdict check_space(const Namespace& space) {
  if (space.empty() || space.view().size() > kMaxNamespaceBytes || !is_plain(space.view())) {
    return Invalid{"namespace", "must be 1 to 64 of A-Z a-z 0-9 _ . -"};
  }
  return {};
}

Verdict check_id(const char* field, const LeaseId& id) {
  const std::size_t bytes = id.view().size();
  if (bytes < kMinLeaseIdBytes || bytes > kMaxLeaseIdBytes || !is_plain(id.view())) {
    return Invalid{field, "must be 8 to 128 of A-Z a-z 0-9 _ . -"};
  }
  return {};
}

Verdict check_between(const char* field, Duration value, Duration min, Duration max) {
  if (value >= min && value <= max) return {};
  return Invalid{field, "must be from " + seconds(min) + " to " + seconds(max)};
}

Verdict check_ticket(Ticket ticket) {
  if (ticket.attempt == 0) return Invalid{"attempt", "must be 1 or more"};
  return {};
}

Verdict check_metadata(const Metadata& metadata, const Limits& limits) {
  if (metadata.size() > limits.max_metadata_pairs) {
    return Invalid{"metadata",
                   "has more than " + std::to_string(limits.max_metadata_pairs) + " pairs"};
  }
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < metadata.size(); ++i) {
    const auto& [key, value] = metadata[i];
    bytes += key.size() + value.size();
    if (key.empty()) return Invalid{"metadata", "has an empty key"};
    if (!is_text(key) || !is_text(value)) {
      return Invalid{"metadata", "must be UTF-8 without control characters"};
    }
    for (std::size_t before = 0; before < i; ++before) {
      if (metadata[before].first == key)
        return Invalid{"metadata", "has the key '" + key + "' twice"};
    }
  }
  if (bytes > limits.max_metadata_bytes) {
    return Invalid{"metadata",
                   "is longer than " + std::to_string(limits.max_metadata_bytes) + " bytes"};
  }
  return {};
}

Verdict check_resources(const std::vector<ResourceName>& resources, const Limits& limits) {
  if (resources.size() == 1)
    return check_text("resource", resources[0].view(), limits.max_resource_bytes);
  if (resources.empty()) return Invalid{"resource", "is missing"};
  if (resources.size() > limits.max_resources) {
    return Invalid{"resources", "are more than " + std::to_string(limits.max_resources)};
  }
  for (const ResourceName& name : resources) {
    if (auto bad = check_text("resources", name.view(), limits.max_resource_bytes)) return bad;
  }
  std::vector<std::string_view> names;
  names.reserve(resources.size());
  for (const ResourceName& name : resources) names.push_back(name.view());
  std::sort(names.begin(), names.end());
  const auto twin = std::adjacent_find(names.begin(), names.end());
  if (twin != names.end()) return Invalid{"resources", "name '" + std::string(*twin) + "' twice"};
  return {};
}

Verdict check_permits(Mode mode, Permits permits, const Limits& limits) {
  if (mode != Mode::permit) {
    if (permits != Permits{}) return Invalid{"permits", "go with the mode permit only"};
    return {};
  }
  if (permits.limit == 0 || permits.limit > limits.max_permits) {
    return Invalid{"permits.limit", "must be from 1 to " + std::to_string(limits.max_permits)};
  }
  if (permits.count == 0 || permits.count > permits.limit) {
    return Invalid{"permits.count",
                   "must be from 1 to the limit, " + std::to_string(permits.limit)};
  }
  return {};
}

// Each check is one `if`: the first field that is wrong is the one that is named.
#define PAWL_RETURN_IF_INVALID(expression) \
  if (auto invalid = (expression)) return invalid

Verdict check(const Acquire& c, const Limits& limits) {
  PAWL_RETURN_IF_INVALID(check_space(c.space));
  PAWL_RETURN_IF_INVALID(check_resources(c.terms.resources, limits));
  PAWL_RETURN_IF_INVALID(check_text("ownerId", c.terms.owner.view(), limits.max_owner_bytes));
  PAWL_RETURN_IF_INVALID(check_id("leaseId", c.id));
  PAWL_RETURN_IF_INVALID(check_between("ttlSeconds", c.terms.ttl, limits.min_ttl, limits.max_ttl));
  PAWL_RETURN_IF_INVALID(check_between("waitSeconds", c.wait, Duration::zero(), limits.max_wait));
  PAWL_RETURN_IF_INVALID(check_permits(c.terms.mode, c.terms.permits, limits));
  PAWL_RETURN_IF_INVALID(
      check_between("maxHoldSeconds", c.terms.max_hold, Duration::zero(), kUnlimited));
  PAWL_RETURN_IF_INVALID(
      check_between("minHoldSeconds", c.terms.min_hold, Duration::zero(), limits.max_closed));
  PAWL_RETURN_IF_INVALID(
      check_between("lockDelaySeconds", c.terms.lock_delay, Duration::zero(), limits.max_closed));
  PAWL_RETURN_IF_INVALID(check_ticket(c.ticket));
  return check_metadata(c.metadata, limits);
}

Verdict check_lease(const Namespace& space, const LeaseId& id) {
  PAWL_RETURN_IF_INVALID(check_space(space));
  return check_id("leaseId", id);
}

Verdict check(const Renew& c, const Limits& limits) {
  PAWL_RETURN_IF_INVALID(check_lease(c.space, c.id));
  if (c.ttl == Duration::zero()) return {};
  return check_between("ttlSeconds", c.ttl, limits.min_ttl, limits.max_ttl);
}

Verdict check(const Release& c, const Limits&) { return check_lease(c.space, c.id); }

Verdict check(const Upgrade& c, const Limits& limits) {
  PAWL_RETURN_IF_INVALID(check_lease(c.space, c.id));
  PAWL_RETURN_IF_INVALID(check_between("waitSeconds", c.wait, Duration::zero(), limits.max_wait));
  return check_ticket(c.ticket);
}

Verdict check(const Downgrade& c, const Limits&) { return check_lease(c.space, c.id); }

Verdict check(const CancelWait& c, const Limits&) {
  PAWL_RETURN_IF_INVALID(check_lease(c.space, c.id));
  return check_ticket(c.ticket);
}

Verdict check(const ForceRelease& c, const Limits& limits) {
  PAWL_RETURN_IF_INVALID(check_space(c.space));
  PAWL_RETURN_IF_INVALID(check_text("resource", c.resource.view(), limits.max_resource_bytes));
  PAWL_RETURN_IF_INVALID(check_text("actorId", c.actor.view(), limits.max_owner_bytes));
  PAWL_RETURN_IF_INVALID(check_text("reason", c.reason, limits.max_reason_bytes));
  if (c.only_lease && c.only_token) {
    return Invalid{"fencingToken", "and leaseId can't both be named"};
  }
  if (c.only_lease) return check_id("leaseId", *c.only_lease);
  return {};
}

Verdict check(const Advance&, const Limits&) { return {}; }
Verdict check(const Takeover&, const Limits&) { return {}; }
Verdict check(const SetLimits& c, const Limits&) { return validate(c.limits); }

// A limit and what it may be set to. The upper ends keep every length in the room that the tables
// have for it.
struct Range {
  const char* field;
  std::uint64_t value, min, max;
};

// A negative one becomes larger than any that is allowed.
std::uint64_t us(Duration duration) { return static_cast<std::uint64_t>(duration.count()); }

}  // namespace

Verdict validate(const Command& command, const Limits& limits) {
  if (command.at < Time{}) return Invalid{"at", "must not be before the beginning of time"};
  return std::visit([&](const auto& body) { return check(body, limits); }, command.body);
}

Verdict validate(const Limits& limits) {
  const Limits widest = widest_limits();
  const std::uint64_t for_ever = us(kUnlimited);
  const std::array ranges = {
      Range{"maxResourceBytes", limits.max_resource_bytes, 1, widest.max_resource_bytes},
      Range{"maxOwnerBytes", limits.max_owner_bytes, 1, widest.max_owner_bytes},
      Range{"maxReasonBytes", limits.max_reason_bytes, 1, widest.max_reason_bytes},
      Range{"maxMetadataPairs", limits.max_metadata_pairs, 0, widest.max_metadata_pairs},
      Range{"maxMetadataBytes", limits.max_metadata_bytes, 0, widest.max_metadata_bytes},
      Range{"maxResources", limits.max_resources, 1, widest.max_resources},
      Range{"maxPermits", limits.max_permits, 1, widest.max_permits},
      Range{"minTtl", us(limits.min_ttl), us(widest.min_ttl), for_ever},
      Range{"maxTtl", us(limits.max_ttl), us(limits.min_ttl), for_ever},
      Range{"maxWait", us(limits.max_wait), 0, for_ever},
      Range{"maxClosed", us(limits.max_closed), 0, for_ever},
      Range{"maxWaiters", limits.max_waiters, 0, widest.max_waiters},
      Range{"maxLeases", limits.max_leases, 1, widest.max_leases},
      Range{"maxRecords", limits.max_records, 1, widest.max_records},
      Range{"maxAudit", limits.max_audit, 1, widest.max_audit},
      Range{"retention", us(limits.retention), 1'000'000, for_ever},
  };
  for (const Range& range : ranges) {
    if (range.value < range.min || range.value > range.max) {
      return Invalid{range.field, "must be from " + std::to_string(range.min) + " to " +
                                      std::to_string(range.max)};
    }
  }
  return {};
}

Limits widest_limits() {
  Limits limits;
  limits.max_resource_bytes = 2048;
  limits.max_owner_bytes = 4096;
  limits.max_reason_bytes = 16'384;
  limits.max_metadata_pairs = 256;
  limits.max_metadata_bytes = 65'536;
  limits.max_resources = 1024;
  limits.max_permits = 1'000'000'000;
  limits.min_ttl = std::chrono::milliseconds(1);
  limits.max_ttl = limits.max_wait = limits.max_closed = limits.retention = kUnlimited;
  limits.max_waiters = 10'000'000;
  limits.max_leases = 50'000'000;
  limits.max_records = 64'000'000;
  limits.max_audit = 10'000'000;
  return limits;
}

std::optional<Time> made_at(std::string_view id) {
  constexpr std::string_view kPrefix = "p1_";
  constexpr std::size_t kRandomDigits = 32;
  if (!id.starts_with(kPrefix) || id.size() < kPrefix.size() + 2 + kRandomDigits) return {};
  const std::string_view random = id.substr(id.size() - kRandomDigits);
  const std::string_view time =
      id.substr(kPrefix.size(), id.size() - kPrefix.size() - kRandomDigits - 1);
  if (id[id.size() - kRandomDigits - 1] != '_' || time.size() > 16) return {};
  if (!all_are(time, kLowerHex) || !all_are(random, kLowerHex)) return {};
  std::uint64_t ms = 0;
  std::from_chars(time.data(), time.data() + time.size(), ms, 16);
  const auto last_ms = static_cast<std::uint64_t>(to_ms(kNever));
  return ms > last_ms ? kNever : Time(std::chrono::milliseconds(ms));
}

}  // namespace pawl::core
