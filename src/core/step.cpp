// SPDX-License-Identifier: Apache-2.0
#include "core/step.h"

#include <algorithm>
#include <variant>

#include "core/stepper.h"
#include "core/validate.h"

namespace pawl::core {

Effects Stepper::run(const Command& command) {
  state_.now = std::max(state_.now, command.at);
  if (state_.now.time_since_epoch() >= state_.limits.retention) {
    state_.horizon = std::max(state_.horizon, state_.now - state_.limits.retention);
  }
  effects_.now = state_.now;
  end_due();
  std::visit(
      [&](const auto& body) {
        auto invalid = validate(command, state_.limits);
        if (invalid && repeats_what_was_valid(command)) invalid.reset();
        if (invalid) {
          refuse(body, RefusalCode::invalid, std::move(invalid->field), std::move(invalid->why));
        } else {
          apply(body);
        }
      },
      command.body);
  serve();
  PAWL_ASSERT(effects_.reply_index < effects_.all.size());
  return std::move(effects_);
}

// P6: a repeat is answered as before, also when the limits have been lowered since.
bool Stepper::repeats_what_was_valid(const Command& command) const {
  const Acquire* acquire = std::get_if<Acquire>(&command.body);
  if (acquire == nullptr || validate(command, widest_limits())) return false;
  return find_lease(state_, acquire->space, acquire->id) != kNone ||
         find_end(state_, acquire->space, acquire->id) != nullptr;
}

Effects step(State& state, const Command& command) { return Stepper(state).run(command); }

void Stepper::apply(const Advance&) { reply(Advanced{}); }

void Stepper::apply(const SetLimits& command) {
  if (command.rule_version != kRuleVersion) {
    refuse(command, RefusalCode::rule_version_unsupported, "ruleVersion",
           "this build knows rule version " + std::to_string(kRuleVersion) + " only");
    return;
  }
  state_.limits = command.limits;
  state_.rule_version = command.rule_version;
  reply(LimitsSet{command.limits, command.rule_version});
}

}  // namespace pawl::core
