// SPDX-License-Identifier: Apache-2.0
#include "cli/times.h"

#include <array>

#include "cli/durations.h"

namespace pawl::cli {
namespace {

using std::chrono::milliseconds;

// Reads fixed-width fields one after the other; once something is wrong, all of it is.
class Fields {
 public:
  explicit Fields(std::string_view text) : text_(text) {}

  int number(std::size_t digits) {
    int value = 0;
    const std::string_view field = take(digits);
    for (const char c : field) {
      if (c < '0' || c > '9') ok_ = false;
      value = value * 10 + (c - '0');
    }
    return value;
  }

  std::string_view take(std::size_t count) {
    if (text_.size() < count) {
      ok_ = false;
      return {};
    }
    const std::string_view field = text_.substr(0, count);
    text_.remove_prefix(count);
    return field;
  }

  void literal(std::string_view expected) { ok_ = take(expected.size()) == expected && ok_; }

  milliseconds fraction() {
    int value = 0;
    int weight = 100;
    if (!text_.starts_with('.')) return milliseconds(0);
    text_.remove_prefix(1);
    std::size_t digits = 0;
    for (; !text_.empty() && text_[0] >= '0' && text_[0] <= '9'; text_.remove_prefix(1)) {
      value += weight * (text_[0] - '0');
      weight /= 10;
      ++digits;
    }
    if (digits == 0) ok_ = false;
    return milliseconds(value);
  }

  bool done() const { return ok_ && text_.empty(); }
  bool ok() const { return ok_; }

 private:
  std::string_view text_;
  bool ok_ = true;
};

std::optional<WallTime> join(int year, int month, int day, int hour, int minute, int second,
                             milliseconds fraction) {
  namespace chr = std::chrono;
  const chr::year_month_day date{chr::year(year), chr::month(static_cast<unsigned>(month)),
                                 chr::day(static_cast<unsigned>(day))};
  if (!date.ok() || hour > 23 || minute > 59 || second > 60) return {};
  return WallTime(chr::sys_days(date)) + chr::hours(hour) + chr::minutes(minute) +
         chr::seconds(second) + fraction;
}

int month_of(std::string_view name) {
  constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  for (std::size_t i = 0; i < kMonths.size(); ++i) {
    if (kMonths[i] == name) return static_cast<int>(i) + 1;
  }
  return 0;
}

}  // namespace

std::optional<WallTime> parse_rfc3339(std::string_view text) {
  Fields in(text);
  const int year = in.number(4);
  in.literal("-");
  const int month = in.number(2);
  in.literal("-");
  const int day = in.number(2);
  in.literal("T");
  const int hour = in.number(2);
  in.literal(":");
  const int minute = in.number(2);
  in.literal(":");
  const int second = in.number(2);
  if (!in.ok()) return {};
  const milliseconds fraction = in.fraction();
  in.literal("Z");
  if (!in.done()) return {};
  return join(year, month, day, hour, minute, second, fraction);
}

std::optional<WallTime> parse_http_date(std::string_view text) {
  Fields in(text);
  in.take(3);
  in.literal(", ");
  const int day = in.number(2);
  in.literal(" ");
  const int month = month_of(in.take(3));
  in.literal(" ");
  const int year = in.number(4);
  in.literal(" ");
  const int hour = in.number(2);
  in.literal(":");
  const int minute = in.number(2);
  in.literal(":");
  const int second = in.number(2);
  in.literal(" GMT");
  if (!in.done()) return {};
  return join(year, month, day, hour, minute, second, milliseconds(0));
}

std::string relative(WallTime then, WallTime now) {
  constexpr milliseconds kNow{500};
  if (then > now + kNow) return "in " + rough_duration(then - now);
  if (then < now - kNow) return rough_duration(now - then) + " ago";
  return "now";
}

}  // namespace pawl::cli
