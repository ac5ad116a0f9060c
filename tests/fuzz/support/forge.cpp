// SPDX-License-Identifier: Apache-2.0
#include "fuzz/support/forge.h"

#include <optional>
#include <variant>

#include "codec/bytes.h"
#include "codec/crc32c.h"
#include "codec/entry.h"
#include "codec/pawl.pb.h"
#include "codec/piece.h"
#include "codec/record_messages.h"
#include "codec/rows.h"
#include "codec/snapshot.h"

namespace pawl::codec::testing {
namespace {

struct Writer {
  std::string& payload;

  void operator()(const core::HeadRecord& record) { append<v1::Head>(record, RecordField::head); }
  void operator()(const core::LeaseRecord& record) {
    append<v1::Lease>(record, RecordField::lease);
  }
  void operator()(const core::EndRecord& record) { append<v1::End>(record, RecordField::end); }
  void operator()(const core::AuditRecord& record) {
    append<v1::Audit>(record, RecordField::audit);
  }
  void operator()(const core::ClosureRecord& record) {
    v1::Closure message;
    write(record, 0, message);
    append_row(payload, static_cast<std::uint32_t>(RecordField::closure), message);
  }
  template <class Message, class Record>
  void append(const Record& record, RecordField field) {
    Message message;
    write(record, message);
    append_row(payload, static_cast<std::uint32_t>(field), message);
  }
};

template <class Message>
std::optional<core::SnapshotRecord> read_row(const Row& row) {
  Message message;
  Trouble trouble;
  if (!parse_row(row.body, message)) return {};
  core::SnapshotRecord record = read(message, trouble);
  if (trouble.any()) return {};
  return record;
}

std::optional<core::SnapshotRecord> read_any_row(const Row& row) {
  switch (static_cast<RecordField>(row.field)) {
    case RecordField::head:
      return read_row<v1::Head>(row);
    case RecordField::lease:
      return read_row<v1::Lease>(row);
    case RecordField::closure:
      return read_row<v1::Closure>(row);
    case RecordField::end:
      return read_row<v1::End>(row);
    case RecordField::audit:
      return read_row<v1::Audit>(row);
  }
  return {};
}

}  // namespace

std::string frame_entry(std::string_view payload) {
  std::string entry = encode_entry({});  // magic and version
  entry += payload;
  entry.resize((entry.size() + kEntryAlignment - 1) / kEntryAlignment * kEntryAlignment);
  put_le(entry.data() + 8, static_cast<std::uint32_t>(payload.size()));
  return reseal_entry(std::move(entry));
}

std::string reseal_entry(std::string entry) {
  const std::string_view all = entry;
  put_le(entry.data() + 12, crc32c(all.substr(kEntryHeaderBytes), crc32c(all.substr(0, 12))));
  return entry;
}

std::string snapshot_of(const core::State& state) {
  std::string all;
  SnapshotWriter writer(state);
  while (const auto piece = writer.next_piece()) all += *piece;
  return all;
}

std::vector<core::SnapshotRecord> records_of(const core::State& state) {
  std::vector<core::SnapshotRecord> records;
  core::SnapshotReader reader(state);
  while (auto record = reader.next()) records.push_back(*std::move(record));
  return records;
}

std::string payload_of(std::span<const core::SnapshotRecord> records) {
  std::string payload;
  for (const core::SnapshotRecord& record : records) std::visit(Writer{payload}, record);
  return payload;
}

std::vector<core::SnapshotRecord> records_in(std::string_view payload) {
  std::vector<core::SnapshotRecord> records;
  Rows rows(payload);
  while (const auto row = rows.next()) {
    auto record = read_any_row(*row);
    if (!record) break;
    records.push_back(*std::move(record));
  }
  return records;
}

std::string forge_snapshot(std::span<const core::SnapshotRecord> records) {
  const auto* head = records.empty() ? nullptr : std::get_if<core::HeadRecord>(&records[0]);
  return frame_snapshot(payload_of(records), head == nullptr ? 0 : head->hash);
}

std::string frame_snapshot(std::string_view payload, std::uint64_t state_hash) {
  std::string piece(kPieceHeaderBytes, '\0');
  piece += payload;
  PieceHeader header;
  header.state_hash = state_hash;
  header.pieces = 1;
  header.records = static_cast<std::uint32_t>(count_rows(payload).value_or(0));
  seal_piece(piece, header);
  return piece;
}

}  // namespace pawl::codec::testing
