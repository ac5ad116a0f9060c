// SPDX-License-Identifier: Apache-2.0
// How a subcommand joins the `pawl` command: its add_...() function declares flags and help, and
// sets `chosen.run` when it is the one that was asked for. main() parses, then runs it.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace pawl::cli {

struct Chosen {
  std::function<int()> run;  // returns the exit code
};

// Exit codes of everything but `serve`, whose faults have their own (docs/operations.md).
enum ExitCode : int {
  kOk = 0,
  kFailed = 1,       // the service refused, or something went wrong
  kUsage = 2,        // the command line is wrong
  kNotAcquired = 3,  // somebody else holds it
  kLost = 4,         // the lease is over, or was never there
  kUnreachable = 5,  // the service can't be reached
  kUnknown = 6,      // it may have happened: repeat it with the same lease id (P11)
};

void add_serve(CLI::App& app, Chosen& chosen);  // serve.cpp

}  // namespace pawl::cli
