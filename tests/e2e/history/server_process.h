// SPDX-License-Identifier: Apache-2.0
// One life of `pawl serve`, from spawn to its end. Its log goes to a file, which is what it leaves.
// Never outlives the object, nor the test's own process. One thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "faults/child_process.h"

namespace pawl::testing {

class ServerProcess {
 public:
  // On any free port of 127.0.0.1.
  ServerProcess(const std::filesystem::path& data, std::filesystem::path log);
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  // Waits until it serves. Zero: it has ended, or hangs.
  std::uint16_t port();

  void send(int signal);
  // One that does not end in time is killed, and says so.
  Exit wait();
  std::string log_text() const;

 private:
  bool ended();

  std::filesystem::path log_;
  int pid_ = -1;
  std::optional<Exit> exit_;
};

}  // namespace pawl::testing
