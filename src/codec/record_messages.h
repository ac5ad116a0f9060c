// SPDX-License-Identifier: Apache-2.0
// The records of a snapshot to protobuf and back. The write functions fill a cleared message; the
// read functions take texts out of the message, and their result counts only if there is no
// trouble. Internal to codec. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "codec/reading.h"
#include "core/snapshot.h"

namespace pawl::codec {

namespace v1 {
class Audit;
class Closure;
class End;
class Head;
class Lease;
}  // namespace v1

// The fields of the message Piece.
enum class RecordField : std::uint32_t { head = 1, lease = 2, closure = 3, end = 4, audit = 5 };

// A closure with more times than this is written as several.
inline constexpr std::size_t kMaxClosedTimes = 4096;

void write(const core::HeadRecord& from, v1::Head& to);  // but the hash
void write(const core::LeaseRecord& from, v1::Lease& to);
void write(const core::EndRecord& from, v1::End& to);
void write(const core::AuditRecord& from, v1::Audit& to);
// From the time numbered `begin` on; returns the number of the first that is not in `to`.
std::size_t write(const core::ClosureRecord& from, std::size_t begin, v1::Closure& to);

core::HeadRecord read(v1::Head& from, Trouble& trouble);
core::LeaseRecord read(v1::Lease& from, Trouble& trouble);
core::EndRecord read(v1::End& from, Trouble& trouble);
core::AuditRecord read(v1::Audit& from, Trouble& trouble);
core::ClosureRecord read(v1::Closure& from, Trouble& trouble);  // as far as it goes

}  // namespace pawl::codec
