// SPDX-License-Identifier: Apache-2.0
// What operators are told: events with a name and some fields, for log lines, and figures, for
// metrics. The names are part of the product (docs/operations.md). Called in the loop, except where
// an event says otherwise; must not block and must not call back.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <variant>

#include "ports/clock.h"

namespace pawl::ports {

enum class Severity : std::uint8_t { info, warning, error };

// A value that is JSON already, such as a list of texts.
struct JsonText : std::string_view {
  explicit JsonText(std::string_view json) : std::string_view(json) {}
};

struct Field {
  std::string_view name;
  std::variant<std::string_view, std::int64_t, double, JsonText> value;
};

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void event(Severity severity, std::string_view name, std::span<const Field> fields) = 0;
  void event(Severity severity, std::string_view name, std::initializer_list<Field> fields) {
    event(severity, name, std::span<const Field>(fields.begin(), fields.size()));
  }
  // A write to the log is on disk, `took` after it was begun.
  virtual void log_written(Ticks /*took*/) {}
};

}  // namespace pawl::ports
