// SPDX-License-Identifier: Apache-2.0
#include "cli/table.h"

#include <algorithm>
#include <ostream>

#include "cli/console.h"
#include "cli/text.h"
#include "core/assert.h"

namespace pawl::cli {

Table::Table(std::vector<Column> columns, bool styled)
    : columns_(std::move(columns)), styled_(styled) {
  for (const Column& column : columns_) widths_.push_back(display_width(column.heading));
}

void Table::add(const std::vector<std::string>& cells) {
  PAWL_ASSERT(cells.size() == columns_.size());
  std::vector<std::string>& row = rows_.emplace_back();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    row.push_back(cells[i].empty() ? "-" : printable(cells[i]));
    widths_[i] = std::max(widths_[i], display_width(row[i]));
  }
}

void Table::print(std::ostream& out) {
  if (!headed_ && !rows_.empty()) {
    std::vector<std::string> headings;
    for (const Column& column : columns_) headings.push_back(column.heading);
    out << (styled_ ? dimmed(line(headings)) : line(headings)) << '\n';
    headed_ = true;
  }
  for (const auto& row : rows_) out << line(row) << '\n';
  rows_.clear();
}

std::string Table::line(const std::vector<std::string>& cells) const {
  std::string text;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string space(widths_[i] - display_width(cells[i]), ' ');
    if (i > 0) text += "  ";
    text += columns_[i].align == Align::right ? space + cells[i] : cells[i] + space;
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

}  // namespace pawl::cli
