// SPDX-License-Identifier: Apache-2.0
// P9 for the log: after any crash every append that returned is there in full, the one under way
// whole or not at all, and nothing else.
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/log/log.h"
#include "engine/log/log_lab.h"

namespace pawl::engine {
namespace {

using testing::CrashKind;
using testing::LogModel;
using testing::Random;
using testing::random_append;
using testing::SimCrash;
using testing::SimDisk;

constexpr CrashKind kBothKinds[] = {CrashKind::power_loss, CrashKind::killed};

// A log on a disk, and what it may hold: one thing, or with a write under way two.
class Subject {
 public:
  explicit Subject(std::uint64_t seed) : random_(seed), port_(seed + 1), disk_(random_) {}

  SimDisk& disk() { return disk_; }
  Random& random() { return random_; }
  Log& log() { return *log_; }
  bool is_open() const { return log_ != nullptr; }

  // Throws SimCrash if it was asked for.
  void open() {
    auto opened = Log::open(disk_, port_, options_, fresh_);
    ASSERT_TRUE(opened.ok()) << to_text(opened.fault());
    settle(opened.value().contents);
    fresh_ = false;
    log_ = std::move(opened.value().log);
  }

  std::optional<Fault> append() {
    const Append append = random_append(before_, random_, most_record_bytes(options_));
    after_ = before_;
    after_->apply(append);
    auto fault = log_->append(append);
    if (!fault) {
      before_ = *after_;
      after_.reset();
    }
    return fault;
  }

  std::optional<Fault> cut() {
    if (before_.next - 1 <= before_.cut) return std::nullopt;
    before_.cut += 1 + random_.below(before_.next - 1 - before_.cut);
    return log_->cut_prefix(before_.cut);
  }

  std::optional<Fault> do_something() {
    switch (random_.below(12)) {
      case 0:
        return cut();
      case 1:
        return log_->prepare_segment();
      default:
        return append();
    }
  }

  void down() { log_.reset(); }

 private:
  void settle(const LogContents& contents) {
    const std::string difference = before_.difference(contents);
    if (after_ && !difference.empty()) {
      ASSERT_EQ(after_->difference(contents), "") << "and not the one before: " << difference;
      before_ = *after_;
    } else {
      ASSERT_EQ(difference, "");
    }
    after_.reset();
  }

  Random random_;
  testing::PortRandom port_;
  SimDisk disk_;
  LogOptions options_{"log", 1024};
  bool fresh_ = true;
  std::unique_ptr<Log> log_;
  LogModel before_;
  std::optional<LogModel> after_;
};

// Whether it came to its end.
bool runs(Subject& subject, const std::function<void()>& act) {
  try {
    act();
    return true;
  } catch (const SimCrash&) {
    subject.down();
    return false;
  }
}

// A first start, two dozen writes with all that belongs to them, a second start.
void story(Subject& subject) {
  subject.open();
  for (int i = 0; i < 24 && !::testing::Test::HasFailure(); ++i) {
    if (i % 12 == 7) {
      ASSERT_FALSE(subject.log().prepare_segment());
    }
    ASSERT_FALSE(i % 12 == 11 ? subject.cut() : subject.append());
  }
  subject.down();
  subject.open();
  for (int i = 0; i < 6; ++i) ASSERT_FALSE(subject.append());
}

TEST(LogCrash, AtEveryOperationLosesNothingThatReturned) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    Subject whole(seed);
    story(whole);
    const std::uint64_t operations = whole.disk().operations();
    for (const CrashKind kind : kBothKinds) {
      for (std::uint64_t n = 1; n <= operations; ++n) {
        SCOPED_TRACE("seed " + std::to_string(seed) + ", crash at " + std::to_string(n));
        Subject subject(seed);
        subject.disk().crash_at(n, kind);
        EXPECT_FALSE(runs(subject, [&] { story(subject); }));
        subject.open();
        ASSERT_FALSE(HasFailure());
        ASSERT_FALSE(subject.append());
        subject.down();
        subject.disk().crash(CrashKind::power_loss);
        subject.open();
        ASSERT_FALSE(HasFailure());
      }
    }
  }
}

TEST(LogCrash, DuringTheStartAfterACrashLosesNothingEither) {
  Subject whole(1);
  story(whole);
  const std::uint64_t operations = whole.disk().operations();
  for (std::uint64_t n = 1; n <= operations; ++n) {
    for (const CrashKind kind : kBothKinds) {
      for (const CrashKind nested : kBothKinds) {
        for (std::uint64_t m = 1, whole_start = 0; whole_start == 0; ++m) {
          SCOPED_TRACE("crash at " + std::to_string(n) + ", then at " + std::to_string(m));
          Subject subject(1);
          subject.disk().crash_at(n, kind);
          EXPECT_FALSE(runs(subject, [&] { story(subject); }));
          subject.disk().crash_at(m, nested);
          if (runs(subject, [&] { subject.open(); })) whole_start = m;
          subject.disk().heal();
          subject.down();
          subject.disk().crash(CrashKind::power_loss);
          subject.open();
          ASSERT_FALSE(HasFailure());
          ASSERT_FALSE(subject.append());
        }
      }
    }
  }
}

TEST(LogCrash, AFailureAtAnyOperationLosesNothingThatReturned) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Subject subject(seed);
    subject.open();
    for (int round = 0; round < 12 && !HasFailure(); ++round) {
      Random& random = subject.random();
      subject.disk().fail_at(1 + random.below(60), random.percent(50));
      while (!subject.do_something()) {
      }
      EXPECT_TRUE(subject.log().append({}).has_value()) << "it went on after a fault";
      subject.down();
      subject.disk().crash(random.pick({CrashKind::power_loss, CrashKind::killed}));
      subject.disk().heal();
      subject.open();
    }
    ASSERT_FALSE(HasFailure());
  }
}

TEST(LogCrash, RandomLivesLoseNothingThatReturned) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Subject subject(seed);
    Random& random = subject.random();
    for (int life = 0; life < 15; ++life) {
      const CrashKind kind = random.pick({CrashKind::power_loss, CrashKind::killed});
      subject.disk().crash_at(1 + random.below(random.pick({10U, 100U, 200U})), kind);
      EXPECT_FALSE(runs(subject, [&] {
        subject.open();
        while (!HasFailure()) ASSERT_FALSE(subject.do_something());
      }));
      ASSERT_FALSE(HasFailure());
    }
  }
}

}  // namespace
}  // namespace pawl::engine
