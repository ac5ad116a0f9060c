// SPDX-License-Identifier: Apache-2.0
#include "report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>

namespace pawl::bench {
namespace {

std::string with_decimals(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

std::string cell(const Row& row, std::size_t column, const Column& about) {
  const auto& value = row.values[column];
  return value ? with_decimals(*value, about.decimals) : "-";
}

void print(const Table& table) {
  std::size_t label_width = table.label_heading.size();
  for (const Row& row : table.rows) label_width = std::max(label_width, row.label.size());
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    std::size_t width = table.columns[i].heading.size();
    for (const Row& row : table.rows)
      width = std::max(width, cell(row, i, table.columns[i]).size());
    widths.push_back(width);
  }
  std::printf("\n%s\n  %-*s", table.title.c_str(), static_cast<int>(label_width),
              table.label_heading.c_str());
  for (std::size_t i = 0; i < widths.size(); ++i)
    std::printf("  %*s", static_cast<int>(widths[i]), table.columns[i].heading.c_str());
  std::printf("\n");
  for (const Row& row : table.rows) {
    std::printf("  %-*s", static_cast<int>(label_width), row.label.c_str());
    for (std::size_t i = 0; i < widths.size(); ++i)
      std::printf("  %*s", static_cast<int>(widths[i]), cell(row, i, table.columns[i]).c_str());
    std::printf("\n");
  }
  for (const std::string& note : table.notes) std::printf("  %s\n", note.c_str());
  std::fflush(stdout);
}

std::string json_text(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return quoted + '"';
}

std::string json_number(std::optional<double> value) {
  if (!value || !std::isfinite(*value)) return "null";
  char text[64];
  std::snprintf(text, sizeof text, "%.9g", *value);
  return text;
}

void write_row(std::ostream& out, const Table& table, const Row& row) {
  out << "{\"table\": " << json_text(table.name) << ", \"row\": " << json_text(row.label);
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    out << ", " << json_text(table.columns[i].key) << ": " << json_number(row.values[i]);
  out << "}";
}

}  // namespace

void Report::add(Table table) {
  print(table);
  tables_.push_back(std::move(table));
}

void Report::print_aims() const {
  if (!quiet())
    std::printf(
        "\nOther processes had %.0f %% of the processors: measure again when it is quiet.\n",
        others_ * 100);
  if (aims_.empty()) return;
  std::printf("\nAims\n");
  for (const Aim& aim : aims_)
    std::printf("  %-6s  %s: %.2f%s, at %s %g%s\n",
                !quiet()    ? "unsure"
                : aim.met() ? "met"
                            : "MISSED",
                aim.what.c_str(), aim.measured, aim.unit.c_str(), aim.at_most ? "most" : "least",
                aim.target, aim.unit.c_str());
}

bool Report::write_json(const std::filesystem::path& path) const {
  std::ofstream out(path);
  out << "{\"fileSystem\": " << json_text(file_system_)
      << ",\n \"othersShare\": " << json_number(others_) << ",\n \"rows\": [";
  const char* separator = "\n  ";
  for (const Table& table : tables_) {
    for (const Row& row : table.rows) {
      out << separator;
      write_row(out, table, row);
      separator = ",\n  ";
    }
  }
  out << "],\n \"aims\": [";
  separator = "\n  ";
  for (const Aim& aim : aims_) {
    out << separator << "{\"what\": " << json_text(aim.what)
        << ", \"measured\": " << json_number(aim.measured)
        << ", \"target\": " << json_number(aim.target) << ", \"met\": "
        << (!quiet()    ? "null"
            : aim.met() ? "true"
                        : "false")
        << "}";
    separator = ",\n  ";
  }
  out << "]}\n";
  return static_cast<bool>(out.flush());
}

}  // namespace pawl::bench
