// SPDX-License-Identifier: Apache-2.0
#include "support/sim_disk.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "core/assert.h"

namespace pawl::testing {
namespace {

constexpr std::uint64_t kSector = 512;

struct Write {
  std::uint64_t offset = 0;
  std::string bytes;
};

void put(std::string& file, std::uint64_t offset, std::string_view bytes) {
  if (bytes.empty()) return;
  if (file.size() < offset + bytes.size()) file.resize(offset + bytes.size());
  std::memcpy(file.data() + offset, bytes.data(), bytes.size());
}

// Any subset of its sectors, and perhaps the size without the bytes.
void put_torn(std::string& file, const Write& write, Random& random) {
  const std::uint64_t end = write.offset + write.bytes.size();
  for (std::uint64_t at = write.offset; at < end;) {
    const std::uint64_t next = std::min(end, (at / kSector + 1) * kSector);
    if (random.percent(50)) {
      put(file, at, std::string_view(write.bytes).substr(at - write.offset, next - at));
    }
    at = next;
  }
  if (file.size() < end && random.percent(50)) file.resize(end);
}

void put_by_chance(std::string& file, const Write& write, Random& random) {
  switch (random.below(3)) {
    case 0:
      return put(file, write.offset, write.bytes);
    case 1:
      return put_torn(file, write, random);
    default:
      return;
  }
}

ports::DiskError error(std::string_view operation, const std::string& path,
                       std::string_view reason) {
  ports::DiskError error;
  error.operation = operation;
  error.path = path;
  error.reason = reason;
  return error;
}

ports::DiskError not_found(std::string_view operation, const std::string& path) {
  ports::DiskError missing = error(operation, path, "No such file or directory");
  missing.not_found = true;
  return missing;
}

ports::DiskError no_space(std::string_view operation, const std::string& path) {
  ports::DiskError full = error(operation, path, "No space left on device");
  full.full = true;
  return full;
}

constexpr auto kNoPart = [] {};

}  // namespace

// One operation on the names of a folder: each name's new node, or none.
struct SimDisk::Change {
  std::vector<std::pair<std::string, std::shared_ptr<Node>>> names;
};

struct SimDisk::Node {
  using Names = std::map<std::string, std::shared_ptr<Node>>;

  bool is_folder = false;

  // A file.
  std::string visible;
  std::string durable;
  std::vector<Write> unsynced;

  // A folder.
  Names names;
  Names durable_names;
  std::vector<Change> unsynced_names;

  void write(std::uint64_t offset, std::string_view bytes) {
    put(visible, offset, bytes);
    unsynced.push_back({offset, std::string(bytes)});
  }

  void sync() {
    for (const Write& write : unsynced) put(durable, write.offset, write.bytes);
    unsynced.clear();
  }

  void fail_to_sync(Random& random) {
    for (const Write& write : unsynced) put_by_chance(durable, write, random);
    unsynced.clear();
  }

  void change(Change change) {
    apply(change, names);
    unsynced_names.push_back(std::move(change));
  }

  void sync_names() {
    for (const Change& change : unsynced_names) apply(change, durable_names);
    unsynced_names.clear();
  }

  void lose_power(Random& random) {
    for (const Write& write : unsynced) put_by_chance(durable, write, random);
    unsynced.clear();
    visible = durable;
    const std::uint64_t kept = random.below(unsynced_names.size() + 1);
    for (std::uint64_t i = 0; i < kept; ++i) apply(unsynced_names[i], durable_names);
    unsynced_names.clear();
    names = durable_names;
    for (const auto& [name, node] : names) node->lose_power(random);
  }

  // The page cache outlives the process, except for what a failed sync gave up: those pages count
  // as clean, and may be dropped and read again from the disk.
  void outlive_process(Random& random) {
    std::string on_disk = durable;
    for (const Write& write : unsynced) put(on_disk, write.offset, write.bytes);
    if (on_disk != visible && random.percent(50)) visible = std::move(on_disk);
    for (const auto& [name, node] : names) node->outlive_process(random);
  }

  void settle() {
    durable = visible;
    unsynced.clear();
  }

  void settle_names() {
    durable_names = names;
    unsynced_names.clear();
  }

  static void apply(const Change& change, Names& names) {
    for (const auto& [name, node] : change.names) {
      if (node) {
        names[name] = node;
      } else {
        names.erase(name);
      }
    }
  }
};

class SimDisk::OpenFile final : public ports::File {
 public:
  OpenFile(SimDisk& disk, std::shared_ptr<Node> node, std::string path)
      : disk_(disk), node_(std::move(node)), path_(std::move(path)), boots_(disk.boots_) {}

  ports::DiskStatus write(std::uint64_t offset, std::string_view bytes) override {
    const std::lock_guard lock(disk_.mutex_);
    if (dead()) return corpse("write");
    return disk_.write(*node_, path_, offset, bytes);
  }

  ports::DiskResult<std::size_t> read(std::uint64_t offset, std::span<char> into) const override {
    const std::lock_guard lock(disk_.mutex_);
    if (dead()) return corpse("read");
    const std::uint64_t size = node_->visible.size();
    if (offset >= size) return std::size_t{0};
    const std::size_t count = std::min<std::size_t>(into.size(), size - offset);
    std::memcpy(into.data(), node_->visible.data() + offset, count);
    return count;
  }

  ports::DiskStatus sync() override {
    const std::lock_guard lock(disk_.mutex_);
    if (dead()) return corpse("sync");
    return disk_.sync(*node_, path_);
  }

  ports::DiskResult<std::uint64_t> size() const override {
    const std::lock_guard lock(disk_.mutex_);
    if (dead()) return corpse("size");
    return std::uint64_t{node_->visible.size()};
  }

 private:
  bool dead() const { return boots_ != disk_.boots_; }
  ports::DiskError corpse(std::string_view operation) const {
    return error(operation, path_, "the file was opened before the crash");
  }

  SimDisk& disk_;
  std::shared_ptr<Node> node_;
  std::string path_;
  std::uint64_t boots_;
};

SimDisk::SimDisk(Random& random) : random_(random), root_(std::make_shared<Node>()) {
  root_->is_folder = true;
}

SimDisk::~SimDisk() = default;

SimDisk::Fate SimDisk::begin(std::string_view operation, const std::string& path) {
  if (on_operation) on_operation(operation, path);
  ++counters_.operations;
  if (crash_in_ && --*crash_in_ == 0) {
    return random_.percent(50) ? Fate::crashes_after : Fate::crashes_before;
  }
  if (fail_in_ && --*fail_in_ == 0) {
    fail_in_.reset();
    failing_ = true;
  }
  return failing_ ? Fate::fails : Fate::goes_well;
}

ports::DiskError SimDisk::failure(std::string_view operation, const std::string& path) const {
  return full_ ? no_space(operation, path) : error(operation, path, "Input/output error");
}

// `part` is what may have happened of an operation that did not come to its end.
template <class Whole, class Part>
ports::DiskStatus SimDisk::mutate(std::string_view operation, const std::string& path, Whole whole,
                                  Part part) {
  switch (begin(operation, path)) {
    case Fate::goes_well:
      return whole();
    case Fate::fails:
      part();
      return failure(operation, path);
    case Fate::crashes_before:
      part();
      go_down();
    case Fate::crashes_after:
      (void)whole();
      go_down();
  }
  return {};
}

void SimDisk::go_down() {
  const CrashKind kind = crash_kind_;
  crash_now(kind);
  throw SimCrash{kind};
}

void SimDisk::crash_now(CrashKind kind) {
  ++boots_;
  crash_in_.reset();
  if (kind == CrashKind::power_loss) {
    root_->lose_power(random_);
  } else {
    root_->outlive_process(random_);
  }
}

std::shared_ptr<SimDisk::Node> SimDisk::find(const std::string& path) const {
  std::shared_ptr<Node> node = root_;
  std::string_view rest = path;
  while (!rest.empty()) {
    const std::size_t slash = rest.find('/');
    const auto child = node->names.find(std::string(rest.substr(0, slash)));
    if (child == node->names.end()) return nullptr;
    node = child->second;
    rest = slash == std::string_view::npos ? std::string_view() : rest.substr(slash + 1);
  }
  return node;
}

std::optional<SimDisk::Place> SimDisk::place_of(const std::string& path) const {
  const std::size_t slash = path.rfind('/');
  const bool top = slash == std::string::npos;
  const std::shared_ptr<Node> folder = find(top ? std::string() : path.substr(0, slash));
  if (!folder || !folder->is_folder) return std::nullopt;
  return Place{folder.get(), top ? path : path.substr(slash + 1)};
}

SimDisk::Node& SimDisk::file_at(const std::string& path) const {
  const std::shared_ptr<Node> node = find(path);
  PAWL_ASSERT(node && !node->is_folder);
  return *node;
}

ports::DiskResult<std::unique_ptr<ports::File>> SimDisk::create(const std::string& path) {
  const std::lock_guard lock(mutex_);
  const auto node = std::make_shared<Node>();
  const auto whole = [&]() -> ports::DiskStatus {
    const std::optional<Place> place = place_of(path);
    if (!place) return not_found("create", path);
    if (place->folder->names.contains(place->name)) return error("create", path, "File exists");
    place->folder->change({{{place->name, node}}});
    return {};
  };
  if (ports::DiskStatus failed = mutate("create", path, whole, kNoPart)) return *std::move(failed);
  return std::unique_ptr<ports::File>(std::make_unique<OpenFile>(*this, node, path));
}

ports::DiskResult<std::unique_ptr<ports::File>> SimDisk::open(const std::string& path) {
  const std::lock_guard lock(mutex_);
  const std::shared_ptr<Node> node = find(path);
  if (!node) return not_found("open", path);
  if (node->is_folder) return error("open", path, "Is a directory");
  return std::unique_ptr<ports::File>(std::make_unique<OpenFile>(*this, node, path));
}

ports::DiskStatus SimDisk::make_folder(const std::string& path) {
  const std::lock_guard lock(mutex_);
  const auto whole = [&]() -> ports::DiskStatus {
    const std::optional<Place> place = place_of(path);
    if (!place) return not_found("make_folder", path);
    const auto there = place->folder->names.find(place->name);
    if (there != place->folder->names.end()) {
      if (there->second->is_folder) return {};
      return error("make_folder", path, "File exists");
    }
    const auto node = std::make_shared<Node>();
    node->is_folder = true;
    place->folder->change({{{place->name, node}}});
    return {};
  };
  return mutate("make_folder", path, whole, kNoPart);
}

ports::DiskResult<std::vector<std::string>> SimDisk::list(const std::string& folder) {
  const std::lock_guard lock(mutex_);
  const std::shared_ptr<Node> node = find(folder);
  if (!node) return not_found("list", folder);
  if (!node->is_folder) return error("list", folder, "Not a directory");
  std::vector<std::string> names;
  names.reserve(node->names.size());
  for (const auto& [name, child] : node->names) names.push_back(name);
  return names;
}

ports::DiskStatus SimDisk::rename(const std::string& from, const std::string& to) {
  const std::lock_guard lock(mutex_);
  const auto whole = [&]() -> ports::DiskStatus {
    const std::optional<Place> old_place = place_of(from);
    const std::optional<Place> new_place = place_of(to);
    const std::shared_ptr<Node> node = find(from);
    if (!node || !old_place || !new_place) return not_found("rename", from);
    PAWL_ASSERT(old_place->folder == new_place->folder);
    if (old_place->name == new_place->name) return {};
    old_place->folder->change({{{old_place->name, nullptr}, {new_place->name, node}}});
    return {};
  };
  return mutate("rename", from, whole, kNoPart);
}

ports::DiskStatus SimDisk::remove(const std::string& path) {
  const std::lock_guard lock(mutex_);
  const auto whole = [&]() -> ports::DiskStatus {
    const std::shared_ptr<Node> node = find(path);
    if (!node) return not_found("remove", path);
    if (node->is_folder) return error("remove", path, "Is a directory");
    const std::optional<Place> place = place_of(path);
    place->folder->change({{{place->name, nullptr}}});
    return {};
  };
  return mutate("remove", path, whole, kNoPart);
}

ports::DiskStatus SimDisk::sync_folder(const std::string& folder) {
  const std::lock_guard lock(mutex_);
  ++counters_.folder_syncs;
  const auto whole = [&]() -> ports::DiskStatus {
    const std::shared_ptr<Node> node = find(folder);
    if (!node) return not_found("sync_folder", folder);
    node->sync_names();
    return {};
  };
  return mutate("sync_folder", folder, whole, kNoPart);
}

ports::DiskStatus SimDisk::write(Node& file, const std::string& path, std::uint64_t offset,
                                 std::string_view bytes) {
  ++counters_.writes;
  counters_.bytes_written += bytes.size();
  const auto part = [&] { file.write(offset, bytes.substr(0, random_.below(bytes.size() + 1))); };
  const auto whole = [&]() -> ports::DiskStatus {
    const std::uint64_t size = file.visible.size();
    const std::uint64_t grown = std::max<std::uint64_t>(size, offset + bytes.size()) - size;
    const std::uint64_t used = space_ ? count_bytes() : 0;
    if (space_ && grown > 0 && used + grown > *space_) {
      const std::uint64_t left = (*space_ > used ? *space_ - used : 0) + size;
      if (left > offset) file.write(offset, bytes.substr(0, left - offset));
      return no_space("write", path);
    }
    file.write(offset, bytes);
    return {};
  };
  return mutate("write", path, whole, part);
}

ports::DiskStatus SimDisk::sync(Node& file, const std::string& path) {
  ++counters_.syncs;
  const auto whole = [&]() -> ports::DiskStatus {
    file.sync();
    return {};
  };
  const auto part = [&] {
    if (failing_) file.fail_to_sync(random_);
  };
  return mutate("sync", path, whole, part);
}

void SimDisk::crash(CrashKind kind) {
  const std::lock_guard lock(mutex_);
  crash_now(kind);
}

void SimDisk::crash_at(std::uint64_t n, CrashKind kind) {
  const std::lock_guard lock(mutex_);
  PAWL_ASSERT(n > 0);
  crash_in_ = n;
  crash_kind_ = kind;
}

void SimDisk::fail_at(std::uint64_t n, bool full) {
  const std::lock_guard lock(mutex_);
  PAWL_ASSERT(n > 0);
  fail_in_ = n;
  full_ = full;
}

void SimDisk::heal() {
  const std::lock_guard lock(mutex_);
  crash_in_.reset();
  fail_in_.reset();
  failing_ = false;
}

void SimDisk::set_space(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  space_ = bytes;
}

std::uint64_t SimDisk::operations() const { return counters().operations; }

SimDisk::Counters SimDisk::counters() const {
  const std::lock_guard lock(mutex_);
  return counters_;
}

std::uint64_t SimDisk::bytes_in_use() const {
  const std::lock_guard lock(mutex_);
  return count_bytes();
}

std::uint64_t SimDisk::count_bytes() const {
  std::uint64_t bytes = 0;
  const auto count = [&](const auto& self, const Node& node) -> void {
    bytes += node.visible.size();
    for (const auto& [name, child] : node.names) self(self, *child);
  };
  count(count, *root_);
  return bytes;
}

std::vector<std::string> SimDisk::files() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> paths;
  const auto walk = [&](const auto& self, const Node& folder, const std::string& above) -> void {
    for (const auto& [name, child] : folder.names) {
      if (child->is_folder) {
        self(self, *child, above + name + "/");
      } else {
        paths.push_back(above + name);
      }
    }
  };
  walk(walk, *root_, "");
  std::sort(paths.begin(), paths.end());
  return paths;
}

bool SimDisk::exists(const std::string& path) const {
  const std::lock_guard lock(mutex_);
  return find(path) != nullptr;
}

std::string SimDisk::contents(const std::string& path) const {
  const std::lock_guard lock(mutex_);
  return file_at(path).visible;
}

void SimDisk::flip_bit(const std::string& path, std::uint64_t bit_offset) {
  const std::lock_guard lock(mutex_);
  Node& file = file_at(path);
  PAWL_ASSERT(bit_offset / 8 < file.visible.size());
  char& byte = file.visible[bit_offset / 8];
  byte = static_cast<char>(static_cast<unsigned char>(byte) ^ (1U << (bit_offset % 8)));
  file.settle();
}

void SimDisk::overwrite(const std::string& path, std::string bytes) {
  const std::lock_guard lock(mutex_);
  Node* folder = root_.get();
  std::string_view rest = path;
  for (std::size_t slash = rest.find('/'); slash != std::string_view::npos;
       slash = rest.find('/')) {
    std::shared_ptr<Node>& child = folder->names[std::string(rest.substr(0, slash))];
    if (!child) {
      child = std::make_shared<Node>();
      child->is_folder = true;
    }
    folder->settle_names();
    folder = child.get();
    rest = rest.substr(slash + 1);
  }
  std::shared_ptr<Node>& file = folder->names[std::string(rest)];
  if (!file) file = std::make_shared<Node>();
  folder->settle_names();
  file->visible = std::move(bytes);
  file->settle();
}

void SimDisk::truncate(const std::string& path, std::uint64_t size) {
  const std::lock_guard lock(mutex_);
  Node& file = file_at(path);
  file.visible.resize(size);
  file.settle();
}

void SimDisk::erase(const std::string& path) {
  const std::lock_guard lock(mutex_);
  const std::optional<Place> place = place_of(path);
  PAWL_ASSERT(place && place->folder->names.erase(place->name) == 1);
  place->folder->settle_names();
}

}  // namespace pawl::testing
