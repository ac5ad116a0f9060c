// SPDX-License-Identifier: Apache-2.0
// What comes of reading bytes: a value, or why they can't be read. Bytes that can't be read are no
// bug of this process: a disk, a peer or an older or newer build made them. Plain values.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <variant>

#include "core/assert.h"

namespace pawl::codec {

struct Unreadable {
  std::string reason;  // for people: what is wrong and, in a snapshot, in which piece
  std::size_t offset =
      0;  // where it shows: in bytes from the start of the entry, or of the first piece
  friend bool operator==(const Unreadable&, const Unreadable&) = default;
};

template <class T>
class [[nodiscard]] Decoded {
 public:
  Decoded(T value) : result_(std::in_place_index<0>, std::move(value)) {}
  Decoded(Unreadable why) : result_(std::in_place_index<1>, std::move(why)) {}

  bool ok() const { return result_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // Only if ok().
  T& value() & {
    PAWL_ASSERT(ok());
    return *std::get_if<0>(&result_);
  }
  const T& value() const& {
    PAWL_ASSERT(ok());
    return *std::get_if<0>(&result_);
  }
  T&& value() && {
    PAWL_ASSERT(ok());
    return std::move(*std::get_if<0>(&result_));
  }

  // Only if not ok().
  const Unreadable& error() const {
    PAWL_ASSERT(!ok());
    return *std::get_if<1>(&result_);
  }

 private:
  std::variant<T, Unreadable> result_;
};

}  // namespace pawl::codec
