// SPDX-License-Identifier: Apache-2.0
// The only file here that knows core/state.h: everything else sees a Subject.
#include "schedules/core_subject.h"

#include <memory>

#include "core/check.h"
#include "core/state.h"
#include "core/step.h"

namespace pawl::testing {
namespace {

class CoreSubject : public Subject {
 public:
  core::Effects step(const core::Command& command) override { return core::step(state_, command); }
  std::optional<std::string> check() override { return core::check(state_); }

 private:
  core::State state_;
};

}  // namespace

MakeSubject core_subject() {
  return [] { return std::make_unique<CoreSubject>(); };
}

}  // namespace pawl::testing
