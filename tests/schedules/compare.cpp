// SPDX-License-Identifier: Apache-2.0
#include "schedules/compare.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <variant>

#include "model/reference_model.h"
#include "support/print.h"

namespace pawl::testing {
namespace {

bool same_effect(const core::Effect& a, const core::Effect& b) {
  const auto* x = std::get_if<core::Refused>(&a);
  const auto* y = std::get_if<core::Refused>(&b);
  if (x == nullptr || y == nullptr) return a == b;
  core::Refused z = *y;
  z.why = x->why;
  return *x == z;
}

}  // namespace

bool same(const core::Effects& a, const core::Effects& b) {
  return a.now == b.now && a.reply_index == b.reply_index &&
         std::equal(a.all.begin(), a.all.end(), b.all.begin(), b.all.end(), same_effect);
}

std::optional<Difference> first_difference(const Schedule& schedule, const MakeSubject& make) {
  ReferenceModel model;
  const std::unique_ptr<Subject> subject = make();
  for (std::size_t i = 0; i < schedule.size(); ++i) {
    core::Effects expected = model.step(schedule[i]);
    core::Effects actual = subject->step(schedule[i]);
    std::string broken = subject->check().value_or("");
    if (!same(expected, actual) || !broken.empty()) {
      return Difference{i, std::move(expected), std::move(actual), std::move(broken)};
    }
  }
  return std::nullopt;
}

std::string describe(const Schedule& schedule, const Difference& difference) {
  std::string text;
  for (std::size_t i = 0; i <= difference.index && i < schedule.size(); ++i) {
    text += to_text(schedule[i]) + "\n";
  }
  if (!difference.broken.empty()) text += "the state is broken: " + difference.broken + "\n";
  if (same(difference.expected, difference.actual)) {
    return text + "effects, equal in both:\n" + to_lines(difference.expected, "    ");
  }
  return text + "expected (model): now=" + to_text(difference.expected.now) + "\n" +
         to_lines(difference.expected, "    ") + "actual: now=" + to_text(difference.actual.now) +
         "\n" + to_lines(difference.actual, "    ");
}

}  // namespace pawl::testing
