// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "codec/bytes.h"
#include "codec/crc32c.h"
#include "codec/piece.h"
#include "codec/snapshot.h"
#include "core/assert.h"
#include "core/check.h"
#include "engine/snapshot/snapshot_file.h"
#include "fuzz/targets.h"
#include "support/sim_disk.h"

namespace pawl::fuzz {
namespace {

using codec::get_le;
using codec::put_le;
using engine::LoadedSnapshot;
using Loaded = ports::Result<LoadedSnapshot, engine::Fault>;

constexpr std::size_t kLengthAt = 12;
constexpr std::size_t kIndexAt = 16;
constexpr std::size_t kTermAt = 24;

// How far the header goes, if the bytes say so and are there; zero: they don't.
std::size_t header_bytes(const std::string& file) {
  if (file.size() < engine::kSnapshotHeaderBytes) return 0;
  const std::size_t size = get_le<std::uint32_t>(file.data() + kLengthAt);
  return size >= engine::kSnapshotHeaderBytes && size <= file.size() ? size : 0;
}

// Makes all checksums right, and the lengths at the end: what a forger would do.
std::string mended(std::string file) {
  std::size_t at = header_bytes(file);
  if (at == 0) return file;
  put_le(file.data() + at - 4, codec::crc32c({file.data(), at - 4}));
  std::uint32_t chain = 0;
  while (file.size() - at >= codec::kPieceHeaderBytes + engine::kSnapshotEndBytes) {
    const auto size = codec::piece_size({file.data() + at, codec::kPieceHeaderBytes});
    if (!size || size.value() > file.size() - at) break;
    std::string piece = file.substr(at, size.value());
    codec::PieceHeader header = codec::read_header(piece);
    header.chain = chain;
    chain = codec::chain_on(chain, codec::seal_piece(piece, header));
    piece.copy(file.data() + at, piece.size());
    at += piece.size();
  }
  if (file.size() - at < engine::kSnapshotEndBytes) return file;
  const std::size_t end = file.size() - engine::kSnapshotEndBytes;
  put_le(file.data() + end + 8, std::uint64_t{file.size()});
  put_le(file.data() + file.size() - 4, codec::crc32c({file.data(), file.size() - 4}));
  return file;
}

// What its header would have it be called.
std::string path_of(const std::string& file) {
  if (file.size() < engine::kSnapshotHeaderBytes) return engine::snapshot_path(1, 1);
  return engine::snapshot_path(get_le<std::uint64_t>(file.data() + kIndexAt),
                               get_le<std::uint64_t>(file.data() + kTermAt));
}

// In small steps, as if from a slow disk.
Loaded parse_slowly(const std::string& file, const std::string& path) {
  engine::SnapshotFileParser parser(path, 1);
  std::size_t taken = 0;
  for (std::size_t end = 0; end < file.size();) {
    end = std::min(end + 61, file.size());
    const auto more = parser.take({file.data() + taken, end - taken});
    if (!more) return more.fault();
    taken += more.value();
  }
  return parser.finish(file.size() - taken);
}

// What was loaded is a state, and its own file says the same of it: where pieces end is free, so
// that file may be another one, but from then on nothing changes.
void use(testing::SimDisk& disk, const LoadedSnapshot& loaded, const std::string& file) {
  PAWL_ASSERT(!core::check(*loaded.state));
  PAWL_ASSERT(loaded.bytes == file.size());
  PAWL_ASSERT(engine::write_snapshot(disk, loaded.mark, *loaded.state));
  const std::string again = disk.contents(loaded.path);
  PAWL_ASSERT(again.substr(0, header_bytes(again)) == file.substr(0, header_bytes(file)));
  const auto twin = engine::load_snapshot(disk, loaded.path, 9);
  PAWL_ASSERT(twin && twin.value().mark == loaded.mark);
  PAWL_ASSERT(core::state_hash(*twin.value().state) == core::state_hash(*loaded.state));
  PAWL_ASSERT(engine::write_snapshot(disk, twin.value().mark, *twin.value().state));
  PAWL_ASSERT(disk.contents(loaded.path) == again);
}

}  // namespace

void try_snapshot_file(std::string_view input) {
  if (input.empty()) return;
  const bool mend = (static_cast<unsigned char>(input.front()) & 1U) != 0;
  input.remove_prefix(1);
  const std::string file = mend ? mended(std::string(input)) : std::string(input);
  const std::string path = path_of(file);

  testing::Random random(1);
  testing::SimDisk disk(random);
  disk.overwrite(path, file);
  const auto loaded = engine::load_snapshot(disk, path, 3);
  const auto slowly = parse_slowly(file, path);
  const auto stored = engine::store_snapshot(disk, file, 5);
  PAWL_ASSERT(loaded.ok() == slowly.ok() && loaded.ok() == stored.ok());
  if (loaded) return use(disk, loaded.value(), file);
  const engine::Fault& fault = loaded.fault();
  PAWL_ASSERT(fault == slowly.fault() && fault.file == path);
  PAWL_ASSERT(fault.kind == engine::FaultKind::damaged || fault.kind == engine::FaultKind::newer);
  PAWL_ASSERT(!fault.what.empty() && fault.offset <= file.size());
  PAWL_ASSERT(stored.fault().file.empty() && stored.fault().what == fault.what);
}

}  // namespace pawl::fuzz
