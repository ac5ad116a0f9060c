// SPDX-License-Identifier: Apache-2.0
// Release: repeatable, and remembered even for an id that was never seen, so that an acquire which
// was overtaken by its own release is refused (docs/rules.md §5; P5, P6).
#include "core/stepper.h"
#include "core/validate.h"

namespace pawl::core {

void Stepper::apply(const Release& command) {
  if (const LeaseRef ref = find_lease(state_, command.space, command.id); ref != kNone) {
    effects_.reply_index = effects_.all.size();
    end(ref, EndCause::released);
    return;
  }
  const End* ended = find_end(state_, command.space, command.id);
  if (ended != nullptr && ended->cause != EndCause::never_acquired) {
    reply_already_ended(command.space, command.id, {}, *ended);
    return;
  }
  const auto made = made_at(command.id.view());
  const bool stale = made && *made <= state_.horizon;
  if (ended == nullptr && !stale) {
    if (state_.records + 1 > state_.limits.max_records) {
      refuse(command, RefusalCode::overloaded, "records",
             "there is no place to remember this release");
      return;
    }
    remember_end(state_, end_id(command.space.view(), command.id.view()), 0,
                 EndCause::never_acquired, kNoAudit);
  }
  refuse(command, RefusalCode::lease_not_found, "leaseId",
         "no lease has this id, and none ended lately");
}

}  // namespace pawl::core
