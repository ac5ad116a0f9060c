// SPDX-License-Identifier: Apache-2.0
#include "cli/table.h"

#include <gtest/gtest.h>

#include <sstream>

namespace pawl::cli {
namespace {

Table two_columns() { return Table({{"NAME"}, {"TOKEN", Table::Align::right}}, false); }

std::string printed(Table& table) {
  std::ostringstream out;
  table.print(out);
  return out.str();
}

TEST(Table, ColumnsAreAlignedByWhatIsSeen) {
  Table table = two_columns();
  table.add({"größe", "7"});
  table.add({"a", "123456"});
  EXPECT_EQ(printed(table),
            "NAME    TOKEN\n"
            "größe       7\n"
            "a      123456\n");
}

TEST(Table, NoLineEndsInSpaces) {
  Table table({{"A"}, {"LONG HEADING"}}, false);
  table.add({"x", "y"});
  EXPECT_EQ(printed(table), "A  LONG HEADING\nx  y\n");
}

TEST(Table, AnEmptyCellIsADash) {
  Table table = two_columns();
  table.add({"", ""});
  EXPECT_EQ(printed(table), "NAME  TOKEN\n-         -\n");
}

TEST(Table, TheHeadingComesOnceAndLaterPagesKeepTheColumns) {
  Table table = two_columns();
  table.add({"a-long-name", "1"});
  EXPECT_EQ(printed(table), "NAME         TOKEN\na-long-name      1\n");
  table.add({"b", "2"});
  EXPECT_EQ(printed(table), "b                2\n");
}

TEST(Table, WithoutRowsNothingIsPrinted) {
  Table table = two_columns();
  EXPECT_EQ(printed(table), "");
}

TEST(Table, CellsCannotBreakTheTableOrTheTerminal) {
  Table table = two_columns();
  table.add({"a\nb\x1b[2J", "1"});
  EXPECT_EQ(printed(table), "NAME         TOKEN\na\\nb\\x1b[2J      1\n");
}

TEST(Table, StyledHeadingsAreDim) {
  Table table({{"A"}}, true);
  table.add({"x"});
  EXPECT_EQ(printed(table), "\x1b[2mA\x1b[0m\nx\n");
}

}  // namespace
}  // namespace pawl::cli
