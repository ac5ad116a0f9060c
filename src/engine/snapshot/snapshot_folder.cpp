// SPDX-License-Identifier: Apache-2.0
// Which snapshots there are: the names in the folder.
#include <algorithm>
#include <cstdio>

#include "core/assert.h"
#include "engine/snapshot/snapshot_store.h"

namespace pawl::engine {
namespace {

constexpr std::size_t kNumberDigits = 16;

bool is_made_of(std::string_view text, std::string_view characters) {
  return !text.empty() && text.find_first_not_of(characters) == text.npos;
}

// Not zero: neither an index nor a term is.
bool is_number(std::string_view text) {
  return is_made_of(text, "0123456789abcdef") && text.find_first_not_of('0') != text.npos;
}

bool is_snapshot(std::string_view name) {
  return name.size() == 2 * kNumberDigits + 1 && name[kNumberDigits] == '-' &&
         is_number(name.substr(0, kNumberDigits)) && is_number(name.substr(kNumberDigits + 1));
}

bool is_temporary(std::string_view name) {
  constexpr std::string_view kBefore = "new-";
  constexpr std::string_view kBehind = ".tmp";
  if (!name.starts_with(kBefore) || !name.ends_with(kBehind)) return false;
  if (name.size() < kBefore.size() + kBehind.size()) return false;
  name.remove_prefix(kBefore.size());
  name.remove_suffix(kBehind.size());
  return is_made_of(name, "0123456789");
}

std::string in_folder(const std::string& name) { return std::string(kSnapshotFolder) + '/' + name; }

struct Names {
  std::vector<std::string> snapshots;  // paths, all of them
  std::vector<std::string> temporaries;
};

ports::Result<Names, Fault> read_names(ports::Disk& disk) {
  const auto all = disk.list(kSnapshotFolder);
  if (!all) return disk_fault(all.fault());
  Names names;
  for (const std::string& name : all.value()) {
    if (is_snapshot(name)) {
      names.snapshots.push_back(in_folder(name));
    } else if (is_temporary(name)) {
      names.temporaries.push_back(in_folder(name));
    } else {
      return Fault{FaultKind::foreign, in_folder(name), 0, "Pawl puts no file of this name here",
                   "look what it is, move it out of the data folder, and start again"};
    }
  }
  std::sort(names.snapshots.begin(), names.snapshots.end());
  return names;
}

std::optional<Fault> remove_all(ports::Disk& disk, const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    if (auto error = disk.remove(path)) return disk_fault(*error);
  }
  if (paths.empty()) return {};
  if (auto error = disk.sync_folder(kSnapshotFolder)) return disk_fault(*error);
  return {};
}

bool contains(const std::vector<std::string>& paths, const std::string& path) {
  return std::find(paths.begin(), paths.end(), path) != paths.end();
}

}  // namespace

std::string snapshot_path(Index index, Term term) {
  char name[2 * kNumberDigits + 2];
  (void)std::snprintf(name, sizeof name, "%016llx-%016llx", static_cast<unsigned long long>(index),
                      static_cast<unsigned long long>(term));
  return in_folder(name);
}

ports::Result<std::vector<std::string>, Fault> list_snapshots(ports::Disk& disk) {
  auto names = read_names(disk);
  if (!names) return names.fault();
  return std::move(names).value().snapshots;
}

std::optional<Fault> tidy_snapshots(ports::Disk& disk) {
  const auto names = read_names(disk);
  if (!names) return names.fault();
  return remove_all(disk, names.value().temporaries);
}

std::optional<Fault> remove_snapshots_but(ports::Disk& disk, const std::vector<std::string>& keep) {
  PAWL_ASSERT(!keep.empty());
  auto names = read_names(disk);
  if (!names) return names.fault();
  std::vector<std::string> paths = std::move(names).value().snapshots;
  for (const std::string& path : keep) {
    if (!contains(paths, path)) return damaged(path, 0, "this snapshot is missing");
  }
  std::erase_if(paths, [&](const std::string& path) { return contains(keep, path); });
  return remove_all(disk, paths);
}

}  // namespace pawl::engine
