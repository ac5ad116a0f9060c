// SPDX-License-Identifier: Apache-2.0
// Listings that come in pages: followed one page at a time, so that memory stays bounded however
// long they are.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "cli/commands/common.h"
#include "cli/fields.h"
#include "cli/table.h"

namespace pawl::cli {

struct Pages {
  std::string path;   // of the call
  std::string items;  // the list's name in its answers
  std::string prefix;
  std::string after;
  std::uint64_t limit = 100;
  bool all = false;
};

// Declares [PREFIX], --after, --limit and --all.
void add_page_flags(CLI::App& command, Pages& pages, const std::string& prefix_help);

using RowOf = std::function<std::vector<std::string>(const Json& item, WallTime now)>;

// As a table, or with --json as one document.
int print_pages(const Console& console, const Where& where, const Pages& pages, Table table,
                const RowOf& row_of, std::string_view none);

}  // namespace pawl::cli
