// SPDX-License-Identifier: Apache-2.0
// What the engine tells its operators: one event with a name and some fields, for a log line. The
// names are part of the product (docs/operations.md). Called in the loop, except where the event
// says otherwise; must not block and must not call back.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <variant>

namespace pawl::ports {

enum class Severity : std::uint8_t { info, warning, error };

struct Field {
  std::string_view name;
  std::variant<std::string_view, std::int64_t, double> value;
};

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void event(Severity severity, std::string_view name,
                     std::initializer_list<Field> fields) = 0;
};

}  // namespace pawl::ports
