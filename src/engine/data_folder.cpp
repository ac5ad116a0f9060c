// SPDX-License-Identifier: Apache-2.0
#include "engine/data_folder.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

#include "codec/crc32c.h"
#include "engine/replica/replica.h"
#include "engine/snapshot/snapshot_store.h"

namespace pawl::engine {
namespace {

constexpr const char* kFormatFile = "FORMAT";
constexpr const char* kFormatAside = "FORMAT.new";
constexpr std::string_view kMagic = "pawl data folder\nformat ";
constexpr std::string_view kIncarnation = "incarnation ";
constexpr std::string_view kChecksum = "crc32c ";
constexpr std::size_t kChecksumLine = 7 + 8 + 1;
constexpr std::size_t kMostFormatBytes = 4096;

template <class T>
std::string hex(T value) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text(sizeof(T) * 2, '0');
  for (std::size_t i = text.size(); i-- > 0; value = static_cast<T>(value >> 4)) {
    text[i] = kDigits[static_cast<std::size_t>(value & 15)];
  }
  return text;
}

std::string format_text(const FolderInfo& info) {
  std::string text(kMagic);
  text += std::to_string(info.format) + "\n";
  text += std::string(kIncarnation) + hex(info.incarnation) + "\n";
  return text + std::string(kChecksum) + hex(codec::crc32c(text)) + "\n";
}

Fault bad_format(std::size_t offset, std::string what) {
  return damaged(kFormatFile, offset, std::move(what));
}

Fault lost(const std::string& what) {
  return damaged("", 0, "the data folder has lost its " + what);
}

// The first two lines and the last one are the same in all versions; what is between them is the
// version's own affair.
ports::Result<FolderInfo, Fault> parse_format(std::string_view text) {
  const auto differs = std::mismatch(kMagic.begin(), kMagic.end(), text.begin(), text.end());
  if (differs.first != kMagic.end()) {
    return bad_format(static_cast<std::size_t>(differs.second - text.begin()),
                      "it does not begin like the FORMAT file of a data folder");
  }
  const std::size_t body = text.size() - std::min(text.size(), kChecksumLine);
  const std::string last_line = std::string(kChecksum) + hex(codec::crc32c(text.substr(0, body)));
  if (body < kMagic.size() || text.substr(body) != last_line + "\n") {
    return bad_format(body, "the checksum is wrong");
  }

  FolderInfo info;
  const char* const number = text.data() + kMagic.size();
  const auto parsed = std::from_chars(number, text.data() + body, info.format);
  if (parsed.ec == std::errc::result_out_of_range || info.format > kFolderFormat) {
    const std::string version(number, parsed.ptr);
    return Fault{FaultKind::newer, kFormatFile, 0,
                 "the data folder has format " + version +
                     ", and this version of Pawl knows only formats up to " +
                     std::to_string(kFolderFormat),
                 "start the newer version of Pawl that wrote it"};
  }
  const std::size_t at = std::min(text.find(kIncarnation, kMagic.size()), body);
  const std::string_view digits = text.substr(std::min(at + kIncarnation.size(), body), 16);
  std::from_chars(digits.data(), digits.data() + digits.size(), info.incarnation, 16);
  if (info.format != kFolderFormat || format_text(info) != text) {
    return bad_format(kMagic.size(), "it is not in the form in which it is written");
  }
  return info;
}

ports::Result<FolderInfo, Fault> read_format(ports::Disk& disk) {
  const auto file = disk.open(kFormatFile);
  if (!file) return disk_fault(file.fault());
  std::string text(kMostFormatBytes, '\0');
  const auto got = file.value()->read(0, text);
  if (!got) return disk_fault(got.fault());
  text.resize(got.value());
  return parse_format(text);
}

// The names in a folder; none if it is not there.
ports::Result<std::vector<std::string>, Fault> names_in(ports::Disk& disk,
                                                        const std::string& folder) {
  auto names = disk.list(folder);
  if (names) return std::move(names).value();
  if (names.fault().not_found) return std::vector<std::string>{};
  return disk_fault(names.fault());
}

// The first step that fails is the fault.
template <class... Steps>
std::optional<Fault> in_order(Steps... steps) {
  std::optional<Fault> fault;
  const auto take = [&fault](const auto& step) {
    if (const ports::DiskStatus status = step()) fault = disk_fault(*status);
    return fault.has_value();
  };
  (void)(take(steps) || ...);
  return fault;
}

std::optional<Fault> write_format(ports::Disk& disk, const FolderInfo& info) {
  const ports::DiskStatus removed = disk.remove(kFormatAside);
  if (removed && !removed->not_found) return disk_fault(*removed);
  const auto file = disk.create(kFormatAside);
  if (!file) return disk_fault(file.fault());
  return in_order([&] { return file.value()->write(0, format_text(info)); },
                  [&] { return file.value()->sync(); },
                  [&] { return disk.rename(kFormatAside, kFormatFile); },
                  [&] { return disk.sync_folder(""); });
}

// FORMAT comes last, so without it nothing but what leads up to it may be there.
std::optional<Fault> check_unused(ports::Disk& disk, const std::vector<std::string>& names,
                                  const LogOptions& log) {
  for (const std::string& name : names) {
    const bool known = name == "LOCK" || name == kFormatAside || name == log.folder ||
                       name == kSnapshotFolder || name == "lost+found";
    if (known) continue;
    return Fault{
        FaultKind::foreign, "", 0,
        "the folder is not a data folder of Pawl: it holds " + name + " and no FORMAT file",
        "name another folder, or an empty one"};
  }
  const auto snapshots = names_in(disk, kSnapshotFolder);
  if (!snapshots) return snapshots.fault();
  if (!snapshots.value().empty())
    return lost("FORMAT file: it has been used, for it has snapshots");
  return {};
}

// A log that was made, and in which nothing has happened.
std::optional<Fault> check_new(ports::Disk& disk, ports::Random& random, const LogOptions& log) {
  const auto opened = Log::open(disk, random, log, false);
  if (!opened) return opened.fault();
  const LogContents& found = opened.value().contents;
  if (found.term == 1 && found.vote == 0 && found.first == 1 && found.entries.size() == 1) {
    return {};
  }
  return lost("FORMAT file: it has been used, for there is more in its log than the beginning");
}

ports::Result<FolderInfo, Fault> make(ports::Disk& disk, ports::Random& random,
                                      const LogOptions& log, const Membership& membership) {
  if (auto fault = in_order([&] { return disk.make_folder(kSnapshotFolder); },
                            [&] { return disk.make_folder(log.folder); },
                            [&] { return disk.sync_folder(""); })) {
    return *std::move(fault);
  }
  if (auto fault = bootstrap(disk, random, log, membership)) return *std::move(fault);
  if (auto fault = check_new(disk, random, log)) return *std::move(fault);
  const FolderInfo info{kFolderFormat, random.next(), true};
  if (auto fault = write_format(disk, info)) return *std::move(fault);
  return info;
}

std::optional<Fault> check_whole(ports::Disk& disk, const std::vector<std::string>& names,
                                 const LogOptions& log) {
  const auto segments = names_in(disk, log.folder);
  if (!segments) return segments.fault();
  if (segments.value().empty()) return lost("log");
  if (std::find(names.begin(), names.end(), kSnapshotFolder) == names.end()) {
    return lost("folder of snapshots");
  }
  // Its maker may have been killed between the rename and this: then FORMAT could still be lost.
  return in_order([&] { return disk.sync_folder(""); });
}

}  // namespace

ports::Result<FolderInfo, Fault> prepare_folder(ports::Disk& disk, ports::Random& random,
                                                const LogOptions& log,
                                                const Membership& first_membership) {
  const auto names = names_in(disk, "");
  if (!names) return names.fault();
  const auto& all = names.value();
  if (std::find(all.begin(), all.end(), kFormatFile) == all.end()) {
    if (auto fault = check_unused(disk, all, log)) return *std::move(fault);
    return make(disk, random, log, first_membership);
  }
  auto info = read_format(disk);
  if (!info) return info;
  if (auto fault = check_whole(disk, all, log)) return *std::move(fault);
  return info;
}

}  // namespace pawl::engine
