// SPDX-License-Identifier: Apache-2.0
// What an applied command counts as: attempts, what came of them, waits, holds, failures. The one
// place that decides it; where the counts are kept is the Tally's business. Pure functions.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/command.h"
#include "core/effect.h"
#include "service/verdict.h"

namespace pawl::service {

// The mode a call asks for.
enum class AskedMode : std::uint8_t { exclusive, shared, permit, none };

// Every attempt comes to one of these: at once, or, if it has to wait, when its wait ends.
enum class CameTo : std::uint8_t {
  done,                // renewed, released, downgraded, force-released
  granted,             // at once
  granted_after_wait,  //
  repeated,            // of a request that was granted, waits or was done before
  unchanged,           // the lease has the mode, or not the token, that the caller thinks
  busy,                // held by others, and it did not wait
  delayed,             // closed for a while, and it did not wait
  timed_out,           // the wait was over
  withdrawn,           // its waiter released it
  abandoned,           // its waiter was gone
  ended,               // the lease is over
  refused,             // see the refusal's code
};

// Why a lease could not be renewed, or released.
enum class Failure : std::uint8_t {
  expired,
  max_hold_reached,
  force_released,
  abandoned,
  released,
  never_held,
  lease_not_found,
  lease_not_held,
  renewal_refused,
  refused,
};

class Tally {
 public:
  virtual ~Tally() = default;
  virtual void attempted(CallKind call, AskedMode mode) = 0;
  virtual void came_to(CallKind call, AskedMode mode, CameTo outcome) = 0;
  virtual void refused(core::RefusalCode code) = 0;
  // By the first resource that an acquire names: asked for, found taken (or closed, or others
  // wait), waited for.
  virtual void wanted(const core::ResourceName& resource) = 0;
  virtual void contended(const core::ResourceName& resource) = 0;
  virtual void queued(const core::ResourceName& resource) = 0;
  // A wait is over. An upgrade's is told only if it was granted.
  virtual void waited(CallKind call, bool granted, core::Duration lasted,
                      const core::ResourceName& resource) = 0;
  // A hold is over.
  virtual void held(core::Mode mode, core::EndCause cause, core::Duration lasted,
                    const core::ResourceName& resource) = 0;
  virtual void renewal_failed(Failure why) = 0;
  virtual void release_failed(Failure why) = 0;
  virtual void force_released(core::ForceWhen when) = 0;
};

void count(const core::Command& command, const core::Effects& effects, Tally& tally);

std::string_view to_text(CallKind call);
std::string_view to_text(AskedMode mode);
std::string_view to_text(CameTo outcome);
std::string_view to_text(Failure why);
// As the API says it.
std::string_view to_text(core::RefusalCode code);

}  // namespace pawl::service
