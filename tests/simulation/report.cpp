// SPDX-License-Identifier: Apache-2.0
#include "simulation/report.h"

#include <algorithm>
#include <cstdio>
#include <set>
#include <utility>
#include <vector>

namespace pawl::testing {

using std::chrono::seconds;

namespace {

constexpr std::size_t kMostLines = 60;
constexpr std::size_t kMostViolations = 3;  // that are traced; the others are only named

std::string with_commas(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3)
    text.insert(static_cast<std::size_t>(at), ",");
  return text;
}

bool shares_resource(const Operation& op, const core::ResourceName& resource) {
  return std::find(op.resources.begin(), op.resources.end(), resource) != op.resources.end();
}

// The operations on the leases and the resource of a violation, nearest in time first, then in
// order of their calls.
std::vector<std::size_t> around(const History& history, const Violation& violation) {
  std::set<std::string_view> leases{violation.lease.view()};
  Micros from = kNoAnswer;
  Micros until{0};
  for (const std::size_t i : violation.operations) {
    const Operation& op = history.operations[i];
    leases.insert(op.lease.view());
    from = std::min(from, op.called);
    until = std::max(until, op.returned == kNoAnswer ? op.called : op.returned);
  }
  leases.erase(std::string_view{});
  std::set<std::string_view> on_resource;
  for (const Operation& op : history.operations) {
    if (op.kind == OpKind::acquire && shares_resource(op, violation.resource))
      on_resource.insert(op.lease.view());
  }
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < history.operations.size(); ++i) {
    const Operation& op = history.operations[i];
    const bool own = leases.contains(op.lease.view());
    const Micros last = op.returned == kNoAnswer ? op.called + seconds(5) : op.returned;
    const bool near = op.called <= until + seconds(1) && last >= from - seconds(1);
    const bool same =
        on_resource.contains(op.lease.view()) || shares_resource(op, violation.resource);
    if (own || (near && same && op.kind != OpKind::plain_write)) found.push_back(i);
  }
  std::sort(found.begin(), found.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(history.operations[a].called, a) < std::pair(history.operations[b].called, b);
  });
  return found;
}

std::string trace(const SimResult& result, const Violation& violation) {
  std::string text;
  std::vector<std::size_t> found = around(result.history, violation);
  const std::size_t all = found.size();
  const auto& named = violation.operations;
  const auto is_named = [&](std::size_t i) {
    return std::find(named.begin(), named.end(), i) != named.end();
  };
  if (all > kMostLines) {
    // Keep what leads up to the last operation that the violation names.
    auto last = std::find_if(found.rbegin(), found.rend(), is_named).base();
    last += std::min<std::ptrdiff_t>(8, found.end() - last);
    const auto first = last - std::min<std::ptrdiff_t>(kMostLines, last - found.begin());
    found = std::vector<std::size_t>(first, last);
    text += "      (" + std::to_string(all - found.size()) + " more operations not shown)\n";
  }
  for (const std::size_t i : found) {
    text += is_named(i) ? "  --> " : "      ";
    text += to_line(result.history.operations[i]) + "\n";
  }
  return text;
}

}  // namespace

std::string table(const Stats& stats) {
  std::string text;
  for (std::size_t i = 0; i < kCounts; ++i) {
    char line[120];
    static_cast<void>(std::snprintf(line, sizeof line, "  %15s  %s\n",
                                    with_commas(stats.counts[i]).c_str(),
                                    name_of(static_cast<Count>(i))));
    text += line;
  }
  return text;
}

std::string summary(const Stats& stats) {
  char hours[64];
  static_cast<void>(
      std::snprintf(hours, sizeof hours, "%.1f",
                    std::chrono::duration<double, std::ratio<3600>>(stats.simulated).count()));
  std::string text = "Simulated " + with_commas(stats.seeds) + " worlds, " + hours +
                     " hours of their time:\n" + table(stats);
  text +=
      "Checked " + with_commas(stats.operations) +
      " operations: tokens unique and in order (I1, I2), no two conflicting holds at once (I3),\n"
      "nothing dead renewed, released or granted (I4-I6), no update lost behind the fence (I7), "
      "every waiter\n"
      "answered in turn once the faults healed (I8), the same state on all nodes (I9), no lease "
      "ended "
      "early (I10): 0 violations.\n";
  return text;
}

std::string explain(const SimResult& result, const SimOptions& options) {
  std::string text;
  const std::string seed = std::to_string(result.seed);
  if (result.broken_state) text += "seed " + seed + ": broken: " + *result.broken_state + "\n";
  for (std::size_t i = 0; i < result.violations.size(); ++i) {
    const Violation& violation = result.violations[i];
    text += "seed " + seed + ": " + name_of(violation.invariant) + " violated: " + violation.what +
            "\n";
    if (i < kMostViolations) text += trace(result, violation);
  }
  text += "To see it again: lock_sim --seed " + seed + " --steps " + std::to_string(options.steps);
  if (options.nodes != 0) text += " --nodes " + std::to_string(options.nodes);
  if (options.clients != 0) text += " --clients " + std::to_string(options.clients);
  if (options.resources != 0) text += " --resources " + std::to_string(options.resources);
  return text + "\n";
}

}  // namespace pawl::testing
