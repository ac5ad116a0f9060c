// SPDX-License-Identifier: Apache-2.0
// Two states in two threads share nothing: run under ThreadSanitizer, this finds any hidden global.
#include <thread>

#include "support/lab.h"

namespace pawl::core {
namespace {

using namespace std::chrono_literals;
using namespace pawl::testing;

TEST(Threads, TwoStatesShareNothing) {
  const auto work = [](std::uint64_t* hash) {
    Lab lab;
    for (int i = 0; i < 300; ++i) {
      const std::string name = "t" + std::to_string(i);
      lab.acquire(ask(name, "r" + std::to_string(i % 7)).waiting().lock_delay(1s));
      lab.acquire(ask("s" + name, "shared").shared());
      lab.acquire(ask("p" + name, "permits").permits(5, 2));
      lab.release("t" + std::to_string(i / 2));
      if (i % 50 == 0) lab.force("r1");
      lab.pass(100ms);
    }
    *hash = state_hash(lab.state);
  };
  std::uint64_t one = 0;
  std::uint64_t other = 1;
  std::thread first(work, &one);
  std::thread second(work, &other);
  first.join();
  second.join();
  EXPECT_EQ(one, other);
}

}  // namespace
}  // namespace pawl::core
