// SPDX-License-Identifier: Apache-2.0
// JSON text, written piece by piece to the end of a string: no tree, no copies. The writer puts the
// commas; names and order are the caller's. Plain value, used by one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/names.h"
#include "core/time.h"
#include "ports/wall_clock.h"

namespace pawl::service {

class JsonWriter {
 public:
  explicit JsonWriter(std::string& out) : out_(out) {}

  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return shut('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return shut(']'); }
  JsonWriter& key(std::string_view name);

  JsonWriter& text(std::string_view value);
  JsonWriter& number(std::uint64_t value);
  JsonWriter& signed_number(std::int64_t value);
  JsonWriter& boolean(bool value);
  JsonWriter& null();
  // Seconds, as exact as the value is (microseconds); null for kUnlimited.
  JsonWriter& seconds(core::Duration value);
  // RFC 3339, UTC, milliseconds.
  JsonWriter& time(ports::WallTime value);
  // A value that is JSON already.
  JsonWriter& raw(std::string_view json);

  JsonWriter& token(core::FencingToken value) { return number(static_cast<std::uint64_t>(value)); }

 private:
  JsonWriter& open(char bracket);
  JsonWriter& shut(char bracket);
  void separate();

  std::string& out_;
  bool comma_ = false;
};

void append_rfc3339(std::string& out, ports::WallTime value);

// When something of state time `then` was, or will be, by the wall clock that showed `wall` at
// state time `now`: a courtesy for people (P10).
ports::WallTime wall_of(core::Time then, core::Time now, ports::WallTime wall);

}  // namespace pawl::service
