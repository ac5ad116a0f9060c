// SPDX-License-Identifier: Apache-2.0
#include "codec/entry.h"

#include <google/protobuf/arena.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "codec/bytes.h"
#include "codec/command_messages.h"
#include "codec/crc32c.h"
#include "codec/pawl.pb.h"
#include "codec/rows.h"
#include "core/assert.h"

namespace pawl::codec {
namespace {

constexpr std::string_view kMagic = "PWLE";
constexpr std::size_t kVersionAt = 4;
constexpr std::size_t kReservedAt = 6;
constexpr std::size_t kLengthAt = 8;
constexpr std::size_t kChecksumAt = 12;
constexpr std::uint32_t kCommandsField = 1;  // of the message Entry

constexpr std::size_t padded(std::size_t bytes) {
  return (bytes + kEntryAlignment - 1) / kEntryAlignment * kEntryAlignment;
}

// All but the checksum itself.
std::uint32_t checksum(std::string_view entry) {
  return crc32c(entry.substr(kEntryHeaderBytes), crc32c(entry.substr(0, kChecksumAt)));
}

// Memory for the messages of one entry; a small batch needs no more than what is on the stack.
class Scratch {
 public:
  v1::Command& command() { return *google::protobuf::Arena::CreateMessage<v1::Command>(&arena_); }

 private:
  static google::protobuf::ArenaOptions options(std::array<char, 4096>& block) {
    google::protobuf::ArenaOptions options;
    options.initial_block = block.data();
    options.initial_block_size = block.size();
    return options;
  }

  alignas(8) std::array<char, 4096> block_;
  google::protobuf::Arena arena_{options(block_)};
};

// Generous: no number takes more than 11 bytes with its key, no text more than 6 beside its own
// bytes.
struct Bound {
  static constexpr std::size_t kText = 6;
  static constexpr std::size_t kNumbers = 256;  // more than any command's numbers and frames need

  std::size_t operator()(const core::Acquire& c) const {
    std::size_t bytes = c.space.view().size() + c.id.view().size() + c.terms.owner.view().size();
    for (const core::ResourceName& name : c.terms.resources) bytes += kText + name.view().size();
    for (const auto& [key, value] : c.metadata) bytes += 3 * kText + key.size() + value.size();
    return bytes;
  }
  std::size_t operator()(const core::ForceRelease& c) const {
    return c.space.view().size() + c.resource.view().size() + c.actor.view().size() +
           c.reason.size() + (c.only_lease ? c.only_lease->view().size() : 0);
  }
  std::size_t operator()(const core::Advance&) const { return 0; }
  std::size_t operator()(const core::Takeover&) const { return 0; }
  std::size_t operator()(const core::SetLimits&) const { return 0; }
  template <class Command>
  std::size_t operator()(const Command& c) const {
    return c.space.view().size() + c.id.view().size();
  }
};

// Nothing, or what is wrong with the frame.
std::optional<Unreadable> check_frame(std::string_view bytes) {
  if (bytes.size() < kEntryHeaderBytes) {
    return Unreadable{"an entry is at least 16 bytes, this is " + std::to_string(bytes.size()),
                      bytes.size()};
  }
  if (!bytes.starts_with(kMagic)) return Unreadable{"not a log entry of Pawl", 0};
  const auto version = get_le<std::uint16_t>(bytes.data() + kVersionAt);
  if (version == 0) return Unreadable{"version 0 was never written", kVersionAt};
  if (version > kEntryVersion) {
    return Unreadable{"written by a newer Pawl: version " + std::to_string(version) +
                          ", this build reads " + std::to_string(kEntryVersion),
                      kVersionAt};
  }
  if (get_le<std::uint16_t>(bytes.data() + kReservedAt) != 0) {
    return Unreadable{"reserved bytes are not zero", kReservedAt};
  }
  const std::size_t length = get_le<std::uint32_t>(bytes.data() + kLengthAt);
  if (length > kMaxEntryBytes || padded(kEntryHeaderBytes + length) > kMaxEntryBytes) {
    return Unreadable{"longer than " + std::to_string(kMaxEntryBytes) + " bytes", kLengthAt};
  }
  const std::size_t size = padded(kEntryHeaderBytes + length);
  if (bytes.size() < size) {
    return Unreadable{
        "cut off: " + std::to_string(bytes.size()) + " of " + std::to_string(size) + " bytes",
        bytes.size()};
  }
  if (bytes.size() > size) return Unreadable{"something follows the entry", size};
  if (checksum(bytes) != get_le<std::uint32_t>(bytes.data() + kChecksumAt)) {
    return Unreadable{"the checksum is wrong", kChecksumAt};
  }
  const std::size_t end = kEntryHeaderBytes + length;
  if (const auto bad = bytes.find_first_not_of('\0', end); bad != std::string_view::npos) {
    return Unreadable{"the padding is not zero", bad};
  }
  return {};
}

core::Command read_row(const Row& row, Scratch& scratch, Trouble& trouble) {
  v1::Command& message = scratch.command();
  if (row.field != kCommandsField) {
    trouble.note("is something else");
  } else if (!parse_row(row.body, message)) {
    trouble.note("is not in the form in which it is written");
  }
  return trouble.any() ? core::Command{} : read(message, trouble);
}

}  // namespace

std::size_t most_entry_bytes(const core::Command& command) {
  return Bound::kNumbers + std::visit(Bound(), command.body);
}

std::string encode_entry(std::span<const core::Command> commands) {
  PAWL_ASSERT(commands.size() <= kMaxEntryCommands);
  std::size_t most = kEntryHeaderBytes + kEntryAlignment;
  for (const core::Command& command : commands) most += most_entry_bytes(command);
  std::string entry;
  entry.reserve(std::min(most, kMaxEntryBytes));
  entry.resize(kEntryHeaderBytes);
  Scratch scratch;
  for (const core::Command& command : commands) {
    v1::Command& message = scratch.command();
    write(command, message);
    append_row(entry, kCommandsField, message);
  }
  const std::size_t length = entry.size() - kEntryHeaderBytes;
  entry.resize(padded(entry.size()));
  PAWL_ASSERT(entry.size() <= kMaxEntryBytes);

  kMagic.copy(entry.data(), kMagic.size());
  put_le(entry.data() + kVersionAt, kEntryVersion);
  put_le(entry.data() + kLengthAt, static_cast<std::uint32_t>(length));
  put_le(entry.data() + kChecksumAt, checksum(entry));
  return entry;
}

Decoded<std::vector<core::Command>> decode_entry(std::string_view bytes) {
  if (auto bad = check_frame(bytes)) return *std::move(bad);
  const std::string_view payload =
      bytes.substr(kEntryHeaderBytes, get_le<std::uint32_t>(bytes.data() + kLengthAt));
  const auto count = count_rows(payload);
  if (!count) return Unreadable{"the payload is not a row of commands", kEntryHeaderBytes};
  if (*count > kMaxEntryCommands) {
    return Unreadable{"more than " + std::to_string(kMaxEntryCommands) + " commands",
                      kEntryHeaderBytes};
  }
  std::vector<core::Command> commands;
  commands.reserve(*count);
  Scratch scratch;
  Rows rows(payload);
  while (const auto row = rows.next()) {
    Trouble trouble;
    core::Command command = read_row(*row, scratch, trouble);
    if (trouble.any()) {
      return Unreadable{"command " + std::to_string(commands.size() + 1) + " of " +
                            std::to_string(*count) + ": " + trouble.what(),
                        kEntryHeaderBytes + row->offset};
    }
    commands.push_back(std::move(command));
  }
  return commands;
}

}  // namespace pawl::codec
