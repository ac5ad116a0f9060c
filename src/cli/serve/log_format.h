// SPDX-License-Identifier: Apache-2.0
// What a log line looks like, without its line end: one JSON object, or text for people with the
// names of events and fields in columns. Whatever a client put into a name stays on its line, and
// reaches no terminal as a control character. Pure functions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "ports/observer.h"
#include "ports/wall_clock.h"

namespace pawl::cli {

enum class LogStyle : std::uint8_t { json, text, coloured_text };

struct LogEvent {
  ports::Severity severity = ports::Severity::info;
  std::string_view name;
  std::span<const ports::Field> fields;
  ports::WallTime at;
};

std::string log_line(LogStyle style, const LogEvent& event);

}  // namespace pawl::cli
