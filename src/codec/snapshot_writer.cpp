// SPDX-License-Identifier: Apache-2.0
#include <variant>

#include "codec/pawl.pb.h"
#include "codec/piece.h"
#include "codec/record_messages.h"
#include "codec/rows.h"
#include "codec/snapshot.h"
#include "core/assert.h"
#include "core/snapshot.h"

namespace pawl::codec {

class SnapshotWriter::Impl {
 public:
  explicit Impl(const core::State& state) : reader_(state), ahead_(reader_.next()) {
    PAWL_ASSERT(ahead_ && std::holds_alternative<core::HeadRecord>(*ahead_));
    header_.state_hash = std::get<core::HeadRecord>(*ahead_).hash;
  }

  std::optional<std::string> next_piece() {
    if (!ahead_) return {};
    std::string piece(kPieceHeaderBytes, '\0');
    piece.reserve(kPieceTargetBytes + kPieceTargetBytes / 16);
    header_.records = 0;
    while (ahead_ && piece.size() < kPieceTargetBytes) {
      const bool whole =
          std::visit([&](const auto& record) { return append(record, piece); }, *ahead_);
      if (whole) ahead_ = reader_.next();
      ++header_.records;
    }
    header_.pieces = ahead_ ? 0 : header_.sequence + 1;
    const std::uint32_t checksum = seal_piece(piece, header_);
    header_.chain = chain_on(header_.chain, checksum);
    ++header_.sequence;
    return piece;
  }

 private:
  // Whether that was all of the record.
  bool append(const core::HeadRecord& record, std::string& piece) {
    return append(record, piece, head_, RecordField::head);
  }
  bool append(const core::LeaseRecord& record, std::string& piece) {
    return append(record, piece, lease_, RecordField::lease);
  }
  bool append(const core::EndRecord& record, std::string& piece) {
    return append(record, piece, end_, RecordField::end);
  }
  bool append(const core::AuditRecord& record, std::string& piece) {
    return append(record, piece, audit_, RecordField::audit);
  }
  bool append(const core::ClosureRecord& record, std::string& piece) {
    closure_.Clear();
    closed_ = write(record, closed_, closure_);
    append_row(piece, static_cast<std::uint32_t>(RecordField::closure), closure_);
    if (closure_.more()) return false;
    closed_ = 0;
    return true;
  }
  template <class Record, class Message>
  bool append(const Record& record, std::string& piece, Message& message, RecordField field) {
    message.Clear();
    write(record, message);
    append_row(piece, static_cast<std::uint32_t>(field), message);
    return true;
  }

  core::SnapshotReader reader_;
  std::optional<core::SnapshotRecord> ahead_;
  std::size_t closed_ = 0;  // how many of its permits_until are written, if `ahead_` is a closure
  PieceHeader header_;      // of the next piece

  // Reused, so that their memory is.
  v1::Head head_;
  v1::Lease lease_;
  v1::Closure closure_;
  v1::End end_;
  v1::Audit audit_;
};

SnapshotWriter::SnapshotWriter(const core::State& state) : impl_(std::make_unique<Impl>(state)) {}
SnapshotWriter::~SnapshotWriter() = default;

std::optional<std::string> SnapshotWriter::next_piece() { return impl_->next_piece(); }

}  // namespace pawl::codec
