// SPDX-License-Identifier: Apache-2.0
#include "cli/text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace pawl::cli {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";

struct Letter {
  char32_t code = 0;
  std::size_t bytes = 0;  // 0: not UTF-8
};

struct Range {
  char32_t first;
  char32_t last;
};

constexpr bool is_in(std::span<const Range> ranges, char32_t code) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const Range& r) { return code >= r.first && code <= r.last; });
}

// Control characters, line and paragraph separators, direction marks, tags.
constexpr std::array kUnsafe = {
    Range{0x0, 0x1f},        Range{0x7f, 0x9f},        Range{0x61c, 0x61c},   Range{0x200b, 0x200f},
    Range{0x2028, 0x202e},   Range{0x2060, 0x206f},    Range{0xfeff, 0xfeff}, Range{0xfff9, 0xfffb},
    Range{0xe0000, 0xe0fff}, Range{0x10fffe, 0x10ffff}};
constexpr std::array kZeroWidth = {Range{0x300, 0x36f}, Range{0x20d0, 0x20ff},
                                   Range{0xfe00, 0xfe0f}};
constexpr std::array kWide = {
    Range{0x1100, 0x115f}, Range{0x2e80, 0xa4cf},   Range{0xac00, 0xd7a3},
    Range{0xf900, 0xfaff}, Range{0xfe30, 0xfe6f},   Range{0xff00, 0xff60},
    Range{0xffe0, 0xffe6}, Range{0x1f300, 0x1faff}, Range{0x20000, 0x3fffd}};

std::uint8_t byte_at(std::string_view text, std::size_t i) {
  return static_cast<std::uint8_t>(text[i]);
}

// The first letter of a text that is not empty.
Letter first_letter(std::string_view text) {
  const std::uint8_t lead = byte_at(text, 0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {};
  char32_t code = lead & (0xffU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    const std::uint8_t next = byte_at(text, i);
    if ((next & 0xc0) != 0x80) return {};
    code = code << 6 | (next & 0x3fU);
  }
  constexpr std::array<char32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < kLeast[bytes] || code > 0x10ffff || surrogate) return {};
  return {code, bytes};
}

void append_hex(std::string& out, std::uint32_t value, int digits) {
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) out += kHex[value >> shift & 15];
}

void append_spelled(std::string& out, char32_t code) {
  if (code == '\n') {
    out += "\\n";
  } else if (code == '\t') {
    out += "\\t";
  } else if (code < 0x100) {
    out += "\\x";
    append_hex(out, code, 2);
  } else if (code < 0x10000) {
    out += "\\u";
    append_hex(out, code, 4);
  } else {
    out += "\\U";
    append_hex(out, code, 8);
  }
}

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({change, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Letter letter = first_letter(text);
    if (letter.bytes == 0) {
      append_spelled(out, byte_at(text, 0));
    } else if (is_in(kUnsafe, letter.code)) {
      append_spelled(out, letter.code);
    } else {
      out.append(text, 0, letter.bytes);
    }
    text.remove_prefix(std::max<std::size_t>(letter.bytes, 1));
  }
  return out;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const Letter letter = first_letter(text);
    if (is_in(kWide, letter.code)) {
      width += 2;
    } else if (!is_in(kZeroWidth, letter.code)) {
      width += 1;
    }
    text.remove_prefix(std::max<std::size_t>(letter.bytes, 1));
  }
  return width;
}

std::string_view nearest(std::string_view word, std::span<const std::string> candidates) {
  constexpr std::size_t kLongest = 64;  // nobody mistypes that much
  if (word.size() > kLongest) return {};
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(word.size() / 3, 1) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t d = distance(word, candidate);
    if (d >= best_distance || d >= candidate.size()) continue;
    best = candidate;
    best_distance = d;
  }
  return best;
}

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view kHexUpper = "0123456789ABCDEF";
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
  std::string out;
  for (const char c : text) {
    if (kPlain.find(c) != std::string_view::npos) {
      out += c;
      continue;
    }
    const auto byte = static_cast<std::uint8_t>(c);
    out += '%';
    out += kHexUpper[byte >> 4];
    out += kHexUpper[byte & 15];
  }
  return out;
}

}  // namespace pawl::cli
