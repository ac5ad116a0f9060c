// SPDX-License-Identifier: Apache-2.0
// Whatever takes steps and is compared with the reference model: the core, a broken core, a wrapped
// model. An interface, so that the comparing, cutting down and reporting is compiled once, without
// core/state.h.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/command.h"
#include "core/effect.h"

namespace pawl::testing {

class Subject {
 public:
  virtual ~Subject() = default;
  virtual core::Effects step(const core::Command& command) = 0;
  // What is broken inside, if anything; asked after each step.
  virtual std::optional<std::string> check() { return std::nullopt; }
};

// Makes a fresh one, in the first state.
using MakeSubject = std::function<std::unique_ptr<Subject>()>;

// For any type with `Effects step(const Command&)`.
template <class Implementation>
class SubjectOf : public Subject {
 public:
  core::Effects step(const core::Command& command) override {
    return implementation_.step(command);
  }

 private:
  Implementation implementation_;
};

template <class Implementation>
MakeSubject subject_of() {
  return [] { return std::make_unique<SubjectOf<Implementation>>(); };
}

}  // namespace pawl::testing
