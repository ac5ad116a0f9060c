// SPDX-License-Identifier: Apache-2.0
// What the locks protect: for each resource a value behind a fence, and the same value beside it
// without one. Reads carry the token too: who has read with a newer token will never see an older
// one's write.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "core/names.h"

namespace pawl::testing {

class Register {
 public:
  // The two values, unless the fence refuses.
  struct Values {
    std::uint64_t fenced = 0;
    std::uint64_t plain = 0;
  };
  std::optional<Values> read(core::FencingToken token) {
    if (token < newest_) return std::nullopt;
    newest_ = token;
    return Values{fenced_, plain_};
  }

  // The number of this write in the register's order, or zero if the fence refused it.
  std::uint64_t write_fenced(core::FencingToken token, std::uint64_t value) {
    if (token < newest_) return 0;
    newest_ = token;
    fenced_ = value;
    return ++writes_;
  }
  std::uint64_t write_plain(std::uint64_t value) {
    plain_ = value;
    return ++plain_writes_;
  }

 private:
  core::FencingToken newest_{};
  std::uint64_t fenced_ = 0;
  std::uint64_t plain_ = 0;
  std::uint64_t writes_ = 0;
  std::uint64_t plain_writes_ = 0;
};

struct Registers {
  std::map<core::ResourceName, Register> all;
  std::uint64_t last_value = 0;  // values are never the same twice
};

}  // namespace pawl::testing
