// SPDX-License-Identifier: Apache-2.0
// A log entry: a batch of commands as bytes, and back. The format, byte by byte:
// docs/formats/entry.md. Texts are carried as they are; what a command may say is for
// core/validate.h. An entry is as long as a multiple of 8, as libraft wants it. Pure functions,
// thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codec/result.h"
#include "core/command.h"

namespace pawl::codec {

inline constexpr std::uint16_t kEntryVersion = 1;
inline constexpr std::size_t kMaxEntryCommands = 4096;
inline constexpr std::size_t kMaxEntryBytes = std::size_t{4} << 20;  // the frame and all in it
inline constexpr std::size_t kEntryHeaderBytes = 16;
inline constexpr std::size_t kEntryAlignment = 8;

// The batch must keep within the bounds (see most_entry_bytes), and each command must be one that
// validate() accepts under some limits: its times are not negative. Otherwise that is a bug, and
// stops the process.
[[nodiscard]] std::string encode_entry(std::span<const core::Command> commands);

// A bound on what this command adds to an entry: a batch fits when kEntryHeaderBytes +
// kEntryAlignment and the sum of these are within kMaxEntryBytes. A command that is valid under any
// limits fits alone.
[[nodiscard]] std::size_t most_entry_bytes(const core::Command& command);

[[nodiscard]] Decoded<std::vector<core::Command>> decode_entry(std::string_view bytes);

}  // namespace pawl::codec
