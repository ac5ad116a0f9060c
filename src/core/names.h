// SPDX-License-Identifier: Apache-2.0
// Strong names: a ResourceName can't be passed where an OwnerId is wanted. Plain values.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pawl::core {

template <class Tag>
class Name {
 public:
  Name() = default;
  explicit Name(std::string text) : text_(std::move(text)) {}
  explicit Name(std::string_view text) : text_(text) {}
  explicit Name(const char* text) : text_(text) {}

  const std::string& str() const { return text_; }
  std::string_view view() const { return text_; }
  bool empty() const { return text_.empty(); }

  friend auto operator<=>(const Name&, const Name&) = default;

 private:
  std::string text_;
};

using Namespace = Name<struct NamespaceTag>;
using ResourceName = Name<struct ResourceNameTag>;
using OwnerId = Name<struct OwnerIdTag>;
using LeaseId = Name<struct LeaseIdTag>;
using ActorId = Name<struct ActorIdTag>;

// A number below 2^53, taken from one counter at each grant (P2). Zero: none yet.
enum class FencingToken : std::uint64_t {};
inline constexpr FencingToken kNoToken{0};

// The number of an audit record; zero: none.
enum class AuditId : std::uint64_t {};
inline constexpr AuditId kNoAudit{0};

// Free text that the holder attached, in the order given.
using Metadata = std::vector<std::pair<std::string, std::string>>;

enum class Mode : std::uint8_t { exclusive, shared, permit };

// A semaphore's size, and how much of it one lease takes. Both zero unless the mode is permit.
struct Permits {
  std::uint32_t limit = 0;
  std::uint32_t count = 0;
  friend auto operator<=>(const Permits&, const Permits&) = default;
};

// Which sending of a request this is. A door that waits for an answer knows it by its ticket:
// `attempt` comes from the client and grows with each re-send; `door` is the number the taking door
// drew.
struct Ticket {
  std::uint32_t attempt = 1;
  std::uint32_t door = 0;
  friend auto operator<=>(const Ticket&, const Ticket&) = default;
};

}  // namespace pawl::core
