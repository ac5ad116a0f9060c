// SPDX-License-Identifier: Apache-2.0
// Every client command: its flags and help are declared on `app`, and it is chosen when it was
// asked for. The console must outlive the app and what was chosen.
#pragma once

#include "cli/command.h"
#include "cli/console.h"

namespace pawl::cli {

void add_acquire(CLI::App& app, Chosen& chosen, const Console& console);
void add_renew(CLI::App& app, Chosen& chosen, const Console& console);
void add_release(CLI::App& app, Chosen& chosen, const Console& console);
void add_show(CLI::App& app, Chosen& chosen, const Console& console);
void add_list(CLI::App& app, Chosen& chosen, const Console& console);
void add_why(CLI::App& app, Chosen& chosen, const Console& console);
void add_force_release(CLI::App& app, Chosen& chosen, const Console& console);
void add_audit(CLI::App& app, Chosen& chosen, const Console& console);
void add_failures(CLI::App& app, Chosen& chosen, const Console& console);
void add_watch(CLI::App& app, Chosen& chosen, const Console& console);
void add_status(CLI::App& app, Chosen& chosen, const Console& console);
void add_version(CLI::App& app, Chosen& chosen, const Console& console);
void add_completion(CLI::App& app, Chosen& chosen, const Console& console);

}  // namespace pawl::cli
