// SPDX-License-Identifier: Apache-2.0
// Golden traces: text files of commands, each followed by the effects it must have, in the words of
// support/print.h. Lines that begin with @ are commands, indented ones their effects (* marks the
// reply), all others are for the reader. Plain functions; they read and write files.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/command.h"
#include "core/effect.h"

namespace pawl::testing {

using StepFunction = std::function<core::Effects(const core::Command&)>;

// The folder tests/model/traces, in the order of names.
std::vector<std::filesystem::path> trace_files();

std::string read_trace(const std::filesystem::path& file);

// The same trace with the effects that `step` really has. Equal text: the trace holds.
std::string replay_trace(const std::string& trace, const StepFunction& step);

// Replays each file on what `make` makes, a fresh one for each, and returns what differs; empty:
// nothing. With PAWL_UPDATE_TRACES=1 it writes the effects into the files instead.
std::string check_traces(const std::function<StepFunction()>& make);

}  // namespace pawl::testing
