// SPDX-License-Identifier: Apache-2.0
#include <utility>
#include <variant>

#include "codec/pawl.pb.h"
#include "codec/piece.h"
#include "codec/record_messages.h"
#include "codec/rows.h"
#include "codec/snapshot.h"
#include "core/snapshot.h"

namespace pawl::codec {
namespace {

std::string named(std::uint64_t piece, std::string_view what) {
  return "piece " + std::to_string(piece) + ": " + std::string(what);
}

}  // namespace

class SnapshotParser::Impl {
 public:
  explicit Impl(std::uint64_t index_seed) : restorer_(index_seed) {}

  std::optional<Unreadable> add_piece(std::string_view piece) {
    if (refused_) return refused_;
    refused_ = check_piece(piece);
    if (!refused_) refused_ = add_sound_piece(piece);
    if (refused_) {
      refused_->reason = named(next_, refused_->reason);
      refused_->offset += offset_;
      return refused_;
    }
    ++next_;
    offset_ += piece.size();
    return {};
  }

  Decoded<std::unique_ptr<core::State>> finish() {
    if (refused_) return *refused_;
    if (!complete_) return Unreadable{named(next_, "missing, the last one has not come"), offset_};
    auto result = restorer_.finish();
    if (auto* why = std::get_if<std::string>(&result)) return Unreadable{*why, offset_};
    refused_ = Unreadable{"the snapshot was already read", offset_};
    return std::get<std::unique_ptr<core::State>>(std::move(result));
  }

 private:
  // The piece is what its writer made of it; whether it is the next of this snapshot is to be seen.
  std::optional<Unreadable> add_sound_piece(std::string_view piece) {
    const PieceHeader header = read_header(piece);
    if (auto why = check_place(header)) return Unreadable{*why, 0};
    const std::string_view payload = piece.substr(kPieceHeaderBytes);
    const auto count = count_rows(payload);
    if (!count) return Unreadable{"the payload is not a row of records", kPieceHeaderBytes};
    if (*count != header.records) {
      return Unreadable{"has " + std::to_string(*count) + " records and should have " +
                            std::to_string(header.records),
                        kPieceHeaderBytes};
    }
    Rows rows(payload);
    std::size_t number = 0;
    while (const auto row = rows.next()) {
      ++number;
      if (auto why = add_row(*row)) {
        return Unreadable{"record " + std::to_string(number) + ": " + *why,
                          kPieceHeaderBytes + row->offset};
      }
    }
    complete_ = header.pieces != 0;
    if (complete_ && unfinished_) return Unreadable{"a closure's rest is missing", piece.size()};
    chain_ = chain_on(chain_, header.checksum);
    return {};
  }

  std::optional<std::string> check_place(const PieceHeader& header) {
    if (complete_) return "comes after the last";
    if (next_ == 0 && header.sequence == 0) state_hash_ = header.state_hash;
    if (next_ > 0 && header.state_hash != state_hash_) return "belongs to another snapshot";
    if (header.sequence != next_) {
      return "piece " + std::to_string(header.sequence) + " came in its place";
    }
    if (header.chain != chain_) return "does not follow the pieces before it";
    if (header.pieces != 0 && header.pieces != next_ + 1) {
      return "is the last of " + std::to_string(header.pieces);
    }
    return {};
  }

  std::optional<std::string> add_row(const Row& row) {
    switch (static_cast<RecordField>(row.field)) {
      case RecordField::head:
        return add_row(row, head_);
      case RecordField::lease:
        return add_row(row, lease_);
      case RecordField::closure:
        return add_row(row, closure_);
      case RecordField::end:
        return add_row(row, end_);
      case RecordField::audit:
        return add_row(row, audit_);
    }
    return "is of a kind that this build does not know";
  }

  template <class Message>
  std::optional<std::string> add_row(const Row& row, Message& message) {
    if (!parse_row(row.body, message)) return "is not in the form in which it is written";
    Trouble trouble;
    auto record = read(message, trouble);
    if (trouble.any()) return trouble.what();
    return add(std::move(record));
  }

  std::optional<std::string> add(core::HeadRecord record) {
    record.hash = state_hash_;
    return restore(record);
  }

  std::optional<std::string> add(core::ClosureRecord record) {
    if (unfinished_) {
      if (record.space != unfinished_->space || record.resource != unfinished_->resource ||
          record.permit_limit != unfinished_->permit_limit ||
          record.all_until != unfinished_->all_until ||
          record.exclusive_until != unfinished_->exclusive_until) {
        return "a closure's rest is missing";
      }
      unfinished_->permits_until.insert(unfinished_->permits_until.end(),
                                        record.permits_until.begin(), record.permits_until.end());
    } else {
      unfinished_ = std::move(record);
    }
    if (closure_.more()) return {};
    return restore(*std::exchange(unfinished_, std::nullopt));
  }

  template <class Record>
  std::optional<std::string> add(Record record) {
    if (unfinished_) return "a closure's rest is missing";
    return restore(std::move(record));
  }

  std::optional<std::string> restore(const core::SnapshotRecord& record) {
    return restorer_.add(record);
  }

  core::Restorer restorer_;
  std::uint32_t next_ = 0;  // the number of the piece that is due
  std::size_t offset_ = 0;  // of that piece
  std::uint64_t state_hash_ = 0;
  std::uint32_t chain_ = 0;
  bool complete_ = false;
  std::optional<core::ClosureRecord> unfinished_;
  std::optional<Unreadable> refused_;

  // Reused, so that their memory is.
  v1::Head head_;
  v1::Lease lease_;
  v1::Closure closure_;
  v1::End end_;
  v1::Audit audit_;
};

SnapshotParser::SnapshotParser(std::uint64_t index_seed)
    : impl_(std::make_unique<Impl>(index_seed)) {}
SnapshotParser::~SnapshotParser() = default;

std::optional<Unreadable> SnapshotParser::add_piece(std::string_view piece) {
  return impl_->add_piece(piece);
}

Decoded<std::unique_ptr<core::State>> SnapshotParser::finish() { return impl_->finish(); }

Decoded<std::size_t> piece_size(std::string_view header) {
  if (auto bad = check_header(header)) return *std::move(bad);
  return kPieceHeaderBytes + read_header(header).payload_bytes;
}

Decoded<std::vector<std::string_view>> split_pieces(std::string_view snapshot) {
  std::vector<std::string_view> pieces;
  for (std::size_t at = 0; at < snapshot.size();) {
    const std::string_view rest = snapshot.substr(at);
    const auto size = piece_size(rest);
    if (!size)
      return Unreadable{named(pieces.size(), size.error().reason), at + size.error().offset};
    if (size.value() > rest.size()) {
      return Unreadable{named(pieces.size(), "cut off: " + std::to_string(rest.size()) + " of " +
                                                 std::to_string(size.value()) + " bytes"),
                        snapshot.size()};
    }
    pieces.push_back(rest.substr(0, size.value()));
    at += size.value();
  }
  return pieces;
}

Decoded<std::unique_ptr<core::State>> read_snapshot(std::string_view snapshot,
                                                    std::uint64_t index_seed) {
  const auto pieces = split_pieces(snapshot);
  if (!pieces) return pieces.error();
  SnapshotParser parser(index_seed);
  for (const std::string_view piece : pieces.value()) {
    if (auto bad = parser.add_piece(piece)) return *std::move(bad);
  }
  return parser.finish();
}

}  // namespace pawl::codec
