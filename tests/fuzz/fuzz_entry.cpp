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
  pawl::fuzz::try_entry({reinterpret_cast<const char*>(data), size});
  return 0;
}

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

// Payloads are changed as messages, half of the time.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  std::mt19937_64 random(seed);
  pawl::codec::v1::Entry entry;
  const bool is_payload = size > 1 && (data[0] & 1U) != 0;
  if (!is_payload || random() % 2 == 0 ||
      !entry.ParseFromArray(data + 1, static_cast<int>(size) - 1)) {
    return LLVMFuzzerMutate(data, size, max_size);
  }
  pawl::fuzz::mutate_message(entry, random);
  const std::string payload = entry.SerializeAsString();
  if (payload.size() + 1 > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data + 1, payload.data(), payload.size());
  return payload.size() + 1;
}
