// SPDX-License-Identifier: Apache-2.0
// Small steps from a protobuf message to core's values, each of which may find that something is
// wrong. Internal to codec. Plain values.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "core/assert.h"
#include "core/names.h"
#include "core/time.h"

namespace pawl::codec {

// The first thing found wrong while a message is read; what comes later is often only its
// consequence.
class Trouble {
 public:
  void note(const char* what) {
    if (what_ == nullptr) what_ = what;
  }
  void note_if(bool wrong, const char* what) {
    if (wrong) note(what);
  }
  bool any() const { return what_ != nullptr; }
  const char* what() const { return what_ == nullptr ? "" : what_; }

 private:
  const char* what_ = nullptr;  // a literal
};

inline core::Duration read_duration(std::int64_t us, const char* when_negative, Trouble& trouble) {
  trouble.note_if(us < 0, when_negative);
  return core::Duration(us);
}

inline core::Time read_time(std::int64_t us, const char* when_negative, Trouble& trouble) {
  return core::Time(read_duration(us, when_negative, trouble));
}

// A time that may be absent, which is never; so `never` is not written out.
inline core::Time read_time_or_never(bool there, std::int64_t us, const char* when_wrong,
                                     Trouble& trouble) {
  if (!there) return core::kNever;
  trouble.note_if(core::Time(core::Duration(us)) == core::kNever, when_wrong);
  return read_time(us, when_wrong, trouble);
}

inline std::uint32_t read_32(std::uint64_t number, const char* when_too_large, Trouble& trouble) {
  trouble.note_if(number > std::numeric_limits<std::uint32_t>::max(), when_too_large);
  return static_cast<std::uint32_t>(number);
}

inline core::Ticket read_ticket(std::uint64_t attempt, std::uint64_t door, Trouble& trouble) {
  return {read_32(attempt, "attempt is too large", trouble),
          read_32(door, "door is too large", trouble)};
}

// A text field. Made as {from.has_x(), from.mutable_x()}: the second makes the first true, and
// braces, unlike arguments, keep their order.
struct TextField {
  bool there;
  std::string* text;
};

// Takes the text out of the message: it is read once.
template <class Name>
Name take_name(TextField field, const char* when_missing, Trouble& trouble) {
  trouble.note_if(!field.there, when_missing);
  return Name(std::move(*field.text));
}

// The other way. A negative one would be written and then refused by every reader: a bug, so it
// stops here.
inline std::int64_t us(core::Duration duration) {
  PAWL_ASSERT(duration >= core::Duration::zero());
  return duration.count();
}
inline std::int64_t us(core::Time time) { return us(time.time_since_epoch()); }

}  // namespace pawl::codec
