// SPDX-License-Identifier: Apache-2.0
#include "model/trace.h"

#include <gtest/gtest.h>

#include <memory>

#include "model/reference_model.h"

namespace pawl::testing {
namespace {

TEST(Traces, ThereAreSome) { EXPECT_GE(trace_files().size(), 8U); }

TEST(Traces, TheModelFollowsTheGoldenTraces) {
  EXPECT_EQ(check_traces([] {
              auto model = std::make_shared<ReferenceModel>();
              return [model](const core::Command& command) { return model->step(command); };
            }),
            "");
}

}  // namespace
}  // namespace pawl::testing
