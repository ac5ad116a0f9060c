// SPDX-License-Identifier: Apache-2.0
#include "engine/snapshot/snapshot_store.h"

#include <algorithm>
#include <utility>

#include "codec/crc32c.h"
#include "codec/snapshot.h"
#include "engine/snapshot/snapshot_file.h"

namespace pawl::engine {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{1} << 20;
// Written out bit by bit, so that the log's own syncs need not wait behind the whole of it.
constexpr std::uint64_t kSyncEveryBytes = std::uint64_t{8} << 20;

std::string temporary_path(Index index) {
  return std::string(kSnapshotFolder) + "/new-" + std::to_string(index) + ".tmp";
}

// A file in the making, under a name that no start looks at.
class NewFile {
 public:
  NewFile(ports::Disk& disk, Index index) : disk_(disk), path_(temporary_path(index)) {}

  std::optional<Fault> create() {
    if (auto error = disk_.remove(path_); error && !error->not_found) return disk_fault(*error);
    auto made = disk_.create(path_);
    if (!made) return disk_fault(made.fault());
    file_ = std::move(made).value();
    return {};
  }

  std::optional<Fault> append(std::string_view bytes) {
    if (auto error = file_->write(size_, bytes)) return disk_fault(*error);
    size_ += bytes.size();
    if (size_ - synced_ < kSyncEveryBytes) return {};
    return sync();
  }

  std::optional<Fault> publish(const std::string& path) {
    if (auto fault = sync()) return fault;
    file_.reset();
    if (auto error = disk_.rename(path_, path)) return disk_fault(*error);
    if (auto error = disk_.sync_folder(kSnapshotFolder)) return disk_fault(*error);
    return {};
  }

  // As far as the disk still lets it: room is what may be missing.
  void discard() {
    file_.reset();
    (void)disk_.remove(path_);
  }

  std::uint64_t size() const { return size_; }

 private:
  std::optional<Fault> sync() {
    if (auto error = file_->sync()) return disk_fault(*error);
    synced_ = size_;
    return {};
  }

  ports::Disk& disk_;
  std::string path_;
  std::unique_ptr<ports::File> file_;
  std::uint64_t size_ = 0;
  std::uint64_t synced_ = 0;
};

// Makes large writes of the many pieces, and the checksum of the whole.
class Chunks {
 public:
  explicit Chunks(NewFile& file) : file_(file) {}

  std::optional<Fault> add(std::string_view bytes) {
    checksum_ = codec::crc32c(bytes, checksum_);
    chunk_ += bytes;
    return chunk_.size() < kChunkBytes ? std::nullopt : flush();
  }

  // The last.
  std::optional<Fault> add_end(std::uint64_t state_hash) {
    chunk_ += snapshot_end(file_.size() + chunk_.size(), checksum_, state_hash);
    return flush();
  }

 private:
  std::optional<Fault> flush() {
    auto fault = file_.append(chunk_);
    chunk_.clear();
    return fault;
  }

  NewFile& file_;
  std::string chunk_;
  std::uint32_t checksum_ = 0;
};

std::optional<Fault> fill(NewFile& file, const SnapshotMark& mark, const core::State& state) {
  Chunks chunks(file);
  if (auto fault = chunks.add(snapshot_header(mark, state.rule_version))) return fault;
  codec::SnapshotWriter pieces(state);
  while (const auto piece = pieces.next_piece()) {
    if (auto fault = chunks.add(*piece)) return fault;
  }
  return chunks.add_end(core::state_hash(state));
}

std::optional<Fault> fill(NewFile& file, std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size(); at += kChunkBytes) {
    if (auto fault = file.append(bytes.substr(at, kChunkBytes))) return fault;
  }
  return {};
}

// `fill` puts the bytes into the new file.
template <class Fill>
ports::Result<WrittenSnapshot, Fault> make_file(ports::Disk& disk, Index index, Term term,
                                                Fill fill) {
  NewFile file(disk, index);
  std::string path = snapshot_path(index, term);
  auto fault = file.create();
  if (!fault) fault = fill(file);
  if (!fault) fault = file.publish(path);
  if (!fault) return WrittenSnapshot{std::move(path), file.size()};
  file.discard();
  return *std::move(fault);
}

}  // namespace

ports::Result<WrittenSnapshot, Fault> write_snapshot(ports::Disk& disk, const SnapshotMark& mark,
                                                     const core::State& state) {
  return make_file(disk, mark.index, mark.term,
                   [&](NewFile& file) { return fill(file, mark, state); });
}

ports::Result<LoadedSnapshot, Fault> store_snapshot(ports::Disk& disk, std::string_view bytes,
                                                    std::uint64_t index_seed) {
  SnapshotFileParser parser("", index_seed);
  const auto taken = parser.take(bytes);
  if (!taken) return taken.fault();
  auto loaded = parser.finish(bytes.size() - taken.value());
  if (!loaded) return loaded;
  const SnapshotMark& mark = loaded.value().mark;
  const auto written =
      make_file(disk, mark.index, mark.term, [&](NewFile& file) { return fill(file, bytes); });
  if (!written) return written.fault();
  return loaded;
}

ports::Result<LoadedSnapshot, Fault> load_snapshot(ports::Disk& disk, const std::string& path,
                                                   std::uint64_t index_seed) {
  auto opened = disk.open(path);
  if (!opened) return disk_fault(opened.fault());
  const ports::File& file = *opened.value();
  SnapshotFileParser parser(path, index_seed);
  std::vector<char> buffer;
  std::size_t left = 0;  // at the beginning of the buffer, not yet taken
  for (std::uint64_t offset = 0;;) {
    if (buffer.size() < left + kChunkBytes) buffer.resize(left + kChunkBytes);
    const auto read = file.read(offset, {buffer.data() + left, kChunkBytes});
    if (!read) return disk_fault(read.fault());
    if (read.value() == 0) return parser.finish(left);
    offset += read.value();
    left += read.value();
    const auto taken = parser.take({buffer.data(), left});
    if (!taken) return taken.fault();
    left -= taken.value();
    std::copy_n(buffer.data() + taken.value(), left, buffer.data());
  }
}

ports::Result<std::string, Fault> read_snapshot_bytes(ports::Disk& disk, const std::string& path) {
  auto opened = disk.open(path);
  if (!opened) return disk_fault(opened.fault());
  const auto size = opened.value()->size();
  if (!size) return disk_fault(size.fault());
  std::string bytes(size.value(), '\0');
  const auto read = opened.value()->read(0, bytes);
  if (!read) return disk_fault(read.fault());
  if (read.value() < bytes.size()) return damaged(path, read.value(), "cut off while it was read");
  return bytes;
}

}  // namespace pawl::engine
