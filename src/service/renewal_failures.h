// SPDX-License-Identifier: Apache-2.0
// Renewals that came too late, or were refused: the last of them, with the resource and owner that
// the lease had. A renewal names only its lease id, so the losses of the last while are kept as
// well: ten times as many. Neither takes more than 4 KiB times the number of failures kept. Owned
// by the loop.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/effect.h"
#include "ports/wall_clock.h"

namespace pawl::service {

struct RenewalFailure {
  core::Namespace space;
  core::LeaseId id;
  std::vector<core::ResourceName> resources;  // empty: not known any more
  core::OwnerId owner;                        // empty: not known any more
  core::FencingToken token{};
  std::optional<core::Mode> mode;  // like the next: none if not known any more
  std::optional<core::Duration> ttl;
  std::string code;  // "lease_lost", "renewal_refused", "lease_not_found", ...
  std::optional<core::EndCause> cause;
  core::Duration late{0};  // how long after the end it came; zero if there was none
  ports::WallTime at;
};

class RenewalFailures {
 public:
  explicit RenewalFailures(std::size_t max);
  ~RenewalFailures();

  // Every end, in order. Those that the holder asked for are not kept: they are too many.
  void ended(const core::Ended& end);
  // The failure that this answer to a Renew is, if it is one; it is kept. Valid until the next.
  const RenewalFailure* renewed(const core::Renew& command, const core::Effect& answer,
                                core::Time now, ports::WallTime wall);

  struct Filter {
    std::optional<core::Namespace> space;
    std::string prefix;  // of a resource
    std::optional<core::OwnerId> owner;
  };
  // Newest first, at most `limit`.
  std::vector<RenewalFailure> recent(const Filter& filter, std::size_t limit) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pawl::service
