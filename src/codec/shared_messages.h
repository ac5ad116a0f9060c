// SPDX-License-Identifier: Apache-2.0
// The parts that commands and snapshot records have in common, to protobuf and back. The write
// functions fill a cleared message. The read functions take texts out of the message and note what
// is wrong with it. Internal to codec. Pure functions.
#pragma once

#include "codec/reading.h"
#include "core/command.h"
#include "core/limits.h"

namespace google::protobuf {
template <class T>
class RepeatedPtrField;
}

namespace pawl::codec {

namespace v1 {
class Limits;
class Pair;
class Terms;
enum Mode : int;
enum ForceWhen : int;
}  // namespace v1

using Pairs = google::protobuf::RepeatedPtrField<v1::Pair>;

v1::Mode to_message(core::Mode mode);
v1::ForceWhen to_message(core::ForceWhen when);
void write(const core::Terms& from, v1::Terms& to);
void write(const core::Metadata& from, Pairs& to);
void write(const core::Limits& from, v1::Limits& to);

core::Mode read(v1::Mode mode, Trouble& trouble);
core::ForceWhen read(v1::ForceWhen when, Trouble& trouble);
core::Terms read(v1::Terms& from, Trouble& trouble);
core::Metadata read(Pairs& from, Trouble& trouble);
core::Limits read(const v1::Limits& from, Trouble& trouble);

}  // namespace pawl::codec
