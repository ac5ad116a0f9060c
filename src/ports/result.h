// SPDX-License-Identifier: Apache-2.0
// What comes of something that may fail through no bug of ours: a value, or the fault. Plain
// values.
#pragma once

#include <utility>
#include <variant>

#include "core/assert.h"

namespace pawl::ports {

template <class T, class Fault>
class [[nodiscard]] Result {
 public:
  Result(T value) : result_(std::in_place_index<0>, std::move(value)) {}
  Result(Fault fault) : result_(std::in_place_index<1>, std::move(fault)) {}

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
  const Fault& fault() const {
    PAWL_ASSERT(!ok());
    return *std::get_if<1>(&result_);
  }

 private:
  std::variant<T, Fault> result_;
};

}  // namespace pawl::ports
