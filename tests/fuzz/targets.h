// SPDX-License-Identifier: Apache-2.0
// What the fuzzers do with an input, apart from libFuzzer: the same functions replay the corpus in
// every build. Whatever the bytes are, they return; a broken promise stops the process. Test code,
// thread-safe.
#pragma once

#include <string_view>

namespace pawl::fuzz {

// A log entry as it is, or, if the first byte is odd, only its payload: the frame is made right, so
// that the fuzzer gets behind the checksum.
void try_entry(std::string_view input);

// A row of pieces as it is, or, if the first byte is odd, the payload of one piece: frame,
// checksums and the hash of the state are made right, so that whatever the restorer lets through
// must be a state.
void try_snapshot(std::string_view input);

// A snapshot file as it is, or, if the first byte is odd, with checksums and total length made
// right.
void try_snapshot_file(std::string_view input);

// The files of a log's folder; try_log.cpp says how they are cut out of the input.
void try_log(std::string_view input);

// Decisions from which commands are made, and steps taken.
void try_core(std::string_view input);

// The bytes of an HTTP connection, or, if the first byte is odd, a script of requests; try_http.cpp
// says what may stand in it.
void try_http(std::string_view input);

}  // namespace pawl::fuzz
