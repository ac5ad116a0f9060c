// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>

#include "codec/pawl.pb.h"
#include "fuzz/mutate_message.h"
#include "fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  pawl::fuzz::try_snapshot({reinterpret_cast<const char*>(data), size});
  return 0;
}

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

// Payloads are changed as messages, most of the time; their head counts right again afterwards.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  std::mt19937_64 random(seed);
  pawl::codec::v1::Piece piece;
  const bool is_payload = size > 1 && (data[0] & 1U) != 0;
  if (!is_payload || random() % 8 == 0 ||
      !piece.ParseFromArray(data + 1, static_cast<int>(size) - 1)) {
    return LLVMFuzzerMutate(data, size, max_size);
  }
  for (auto changes = 1 + random() % 3; changes > 0; --changes)
    pawl::fuzz::mutate_message(piece, random);
  if (random() % 8 != 0) {
    pawl::codec::v1::Head& head = *piece.mutable_head();
    head.set_leases(static_cast<std::uint64_t>(piece.leases_size()));
    head.set_closures(static_cast<std::uint64_t>(piece.closures_size()));
    head.set_ends(static_cast<std::uint64_t>(piece.ends_size()));
    head.set_audits(static_cast<std::uint64_t>(piece.audits_size()));
  }
  const std::string payload = piece.SerializeAsString();
  if (payload.size() + 1 > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data + 1, payload.data(), payload.size());
  return payload.size() + 1;
}
