// SPDX-License-Identifier: Apache-2.0
// The tables of engine_bench: aligned on the terminal as each is done, and all of them as JSON.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace pawl::bench {

struct Column {
  std::string key;      // in the JSON
  std::string heading;  // on the terminal
  int decimals = 0;
};

struct Row {
  std::string label;
  std::vector<std::optional<double>> values;  // one a column; nothing: it does not apply
};

struct Table {
  std::string name;   // in the JSON
  std::string title;  // on the terminal
  std::string label_heading;
  std::vector<Column> columns;
  std::vector<Row> rows;
  std::vector<std::string> notes;
};

// An aim: what was measured, and what it should be at most or at least.
struct Aim {
  std::string what;
  double measured = 0;
  bool at_most = true;
  double target = 0;
  std::string unit;
  bool met() const { return at_most ? measured <= target : measured >= target; }
};

inline constexpr double kMostOthers = 0.15;

class Report {
 public:
  void place(std::string file_system) { file_system_ = std::move(file_system); }
  void add(Table table);  // printed at once
  void add(Aim aim) { aims_.push_back(std::move(aim)); }
  // The share of the processors that other processes had. Where it is large, what was measured says
  // more about the scheduler than about us, and no aim is judged.
  void others_had(double share) { others_ = share; }
  void print_aims() const;
  bool write_json(const std::filesystem::path& path) const;

 private:
  bool quiet() const { return others_ <= kMostOthers; }

  std::string file_system_;
  double others_ = 0;
  std::vector<Table> tables_;
  std::vector<Aim> aims_;
};

}  // namespace pawl::bench
