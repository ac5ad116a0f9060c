// SPDX-License-Identifier: Apache-2.0
#include "engine/fault.h"

#include <gtest/gtest.h>

#include <set>

namespace pawl::engine {
namespace {

TEST(Fault, EveryKindHasANameAndAnExitCodeOfItsOwn) {
  std::set<int> codes;
  std::set<std::string> names;
  for (const FaultKind kind : {FaultKind::disk, FaultKind::damaged, FaultKind::in_use,
                               FaultKind::newer, FaultKind::foreign}) {
    codes.insert(exit_code(kind));
    names.insert(name_of(kind));
  }
  EXPECT_EQ(codes, (std::set<int>{20, 21, 22, 23, 24}));
  EXPECT_EQ(names, (std::set<std::string>{"disk", "damaged", "in_use", "newer", "foreign"}));
}

TEST(Fault, AFullDiskIsToldFromABrokenOne) {
  const ports::DiskError full{"write", "log/1", "No space left on device", false, true};
  const ports::DiskError broken{"sync", "log/1", "Input/output error", false, false};
  EXPECT_EQ(disk_fault(full).kind, FaultKind::disk);
  EXPECT_EQ(to_text(disk_fault(full)),
            "log/1: write failed: No space left on device. Make room on the disk, then start "
            "again; nothing that was answered is lost.");
  EXPECT_NE(disk_fault(full).advice, disk_fault(broken).advice);
}

TEST(Fault, DamageIsNamedByFileAndOffset) {
  const Fault fault = damaged("log/1", 4096, "the checksum is wrong");
  EXPECT_EQ(fault.kind, FaultKind::damaged);
  EXPECT_EQ(to_text(fault).rfind("log/1 at byte 4096: the checksum is wrong. Change nothing", 0),
            0U);
}

TEST(Fault, AFaultOfTheFolderItselfNamesNoFile) {
  const Fault fault{FaultKind::foreign, "", 0, "it holds something else.", "take another"};
  EXPECT_EQ(to_text(fault), "It holds something else. Take another.");
}

}  // namespace
}  // namespace pawl::engine
