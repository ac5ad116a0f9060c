// SPDX-License-Identifier: Apache-2.0
#include "simulation/flip.h"

#include <algorithm>
#include <vector>

#include "engine/snapshot/snapshot_store.h"
#include "ports/random.h"

namespace pawl::testing {
namespace {

class Chance final : public ports::Random {
 public:
  explicit Chance(testing::Random& random) : random_(random) {}
  std::uint64_t next() override { return random_.next(); }

 private:
  testing::Random& random_;
};

bool same(const engine::Entry& a, const engine::Entry& b) {
  return a.term == b.term && a.kind == b.kind && *a.bytes == *b.bytes;
}

bool is_newest_snapshot(const DiskCopy& good, const std::string& path, testing::Random& random) {
  SimDisk scratch(random);
  good.restore(scratch);
  const auto paths = engine::list_snapshots(scratch);
  return paths && !paths.value().empty() && paths.value().back() == path;
}

}  // namespace

std::optional<engine::LogContents> peek_log(const DiskCopy& copy, const engine::LogOptions& options,
                                            Random& random) {
  SimDisk scratch(random);
  copy.restore(scratch);
  Chance chance(random);
  auto opened = engine::Log::open(scratch, chance, options, false);
  if (!opened) return std::nullopt;
  return std::move(opened.value().contents);
}

DiskCopy::DiskCopy(const SimDisk& disk) {
  for (const std::string& path : disk.files()) files_[path] = disk.contents(path);
}

void DiskCopy::restore(SimDisk& disk) const {
  for (const std::string& path : disk.files()) {
    if (!files_.contains(path)) disk.erase(path);
  }
  for (const auto& [path, contents] : files_) disk.overwrite(path, contents);
}

std::optional<Flip> draw_flip(const SimDisk& disk, Random& random) {
  const std::vector<std::string> files = disk.files();
  if (files.empty()) return std::nullopt;
  const std::string& path = files[random.below(files.size())];
  std::string bytes = disk.contents(path);
  while (!bytes.empty() && bytes.back() == '\0') bytes.pop_back();
  if (bytes.empty()) return std::nullopt;
  // Often near the end, where the newest records are.
  const std::size_t from = random.percent(30) ? bytes.size() - bytes.size() / 20 - 1 : 0;
  return Flip{path, from * 8 + random.below((bytes.size() - from) * 8)};
}

FlipVerdict judge_flip(const DiskCopy& good, const DiskCopy& flipped, const std::string& path,
                       const engine::LogOptions& options, Random& random) {
  if (!path.starts_with(options.folder + "/")) {
    const bool old =
        path.starts_with(engine::kSnapshotFolder) && !is_newest_snapshot(good, path, random);
    return old ? FlipVerdict::harmless : FlipVerdict::unnoticed;
  }
  const auto was = peek_log(good, options, random);
  const auto is = peek_log(flipped, options, random);
  if (!was || !is) return FlipVerdict::unnoticed;
  // Without its last record, the log may show again what that one had replaced.
  const std::size_t common = std::min(was->entries.size(), is->entries.size());
  bool equal = was->first == is->first && was->entries.size() == is->entries.size() &&
               was->term == is->term && was->vote == is->vote;
  for (std::size_t i = 0; i < common && was->first == is->first; ++i) {
    if (same(was->entries[i], is->entries[i])) continue;
    if (is->entries[i].term >= was->entries[i].term) return FlipVerdict::unnoticed;
    equal = false;
  }
  if (equal) return FlipVerdict::harmless;
  return is->torn_bytes > was->torn_bytes ? FlipVerdict::last_record : FlipVerdict::unnoticed;
}

}  // namespace pawl::testing
