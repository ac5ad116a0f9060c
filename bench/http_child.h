// SPDX-License-Identifier: Apache-2.0
// A server in a process of its own, which ends with this one whatever happens. Its output goes to a
// file. Used by the thread that started it.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace pawl::bench {

class Child {
 public:
  // Throws CannotMeasure if the program can't be started.
  Child(const std::filesystem::path& program, const std::vector<std::string>& arguments,
        const std::filesystem::path& output);
  ~Child();  // stop()
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  bool running();
  // TERM, and after ten seconds KILL.
  void stop();

  std::string output() const;  // so far
  double cpu_seconds() const;
  double resident_mib() const;

 private:
  pid_t pid_ = -1;
  std::filesystem::path output_;
};

}  // namespace pawl::bench
