// SPDX-License-Identifier: Apache-2.0
// A table with aligned columns, printed a page at a time: the heading once, columns that only grow
// wider. Cells are made printable here. Plain value; holds one page.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

namespace pawl::cli {

class Table {
 public:
  enum class Align { left, right };
  struct Column {
    std::string heading;
    Align align = Align::left;
  };

  Table(std::vector<Column> columns, bool styled);

  // As many cells as there are columns.
  void add(const std::vector<std::string>& cells);
  // Prints what was added since, and forgets it.
  void print(std::ostream& out);

 private:
  std::string line(const std::vector<std::string>& cells) const;

  std::vector<Column> columns_;
  std::vector<std::size_t> widths_;
  std::vector<std::vector<std::string>> rows_;
  bool styled_;
  bool headed_ = false;
};

}  // namespace pawl::cli
