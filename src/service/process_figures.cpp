// SPDX-License-Identifier: Apache-2.0
#include "service/process_figures.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace pawl::service {
namespace {

// Since the machine started, in clock ticks: field 22. The second may contain spaces.
std::uint64_t start_in_ticks() {
  std::ifstream file("/proc/self/stat");
  std::string line;
  std::getline(file, line);
  const std::size_t after_name = line.rfind(')');
  if (after_name == std::string::npos) return 0;
  std::istringstream rest(line.substr(after_name + 1));
  std::string skipped;
  for (int field = 3; field < 22; ++field) rest >> skipped;
  std::uint64_t ticks = 0;
  rest >> ticks;
  return ticks;
}

double machine_start() {
  std::ifstream file("/proc/stat");
  for (std::string word; file >> word;) {
    double seconds = 0;
    if (word == "btime" && file >> seconds) return seconds;
  }
  return 0;
}

std::uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t all = 0;
  std::uint64_t resident = 0;
  file >> all >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

// Newer kernels tell the number as the folder's size; listing thousands takes a while.
std::uint64_t open_descriptors() {
  struct stat folder{};
  if (stat("/proc/self/fd", &folder) == 0 && folder.st_size > 0)
    return static_cast<std::uint64_t>(folder.st_size);
  std::uint64_t count = 0;
  std::error_code error;
  std::filesystem::directory_iterator at("/proc/self/fd", error);
  for (; !error && at != std::filesystem::directory_iterator{}; at.increment(error)) ++count;
  return count == 0 ? 0 : count - 1;  // one is the listing's own
}

}  // namespace

ProcessFigures process_figures() {
  static const double started = machine_start() + static_cast<double>(start_in_ticks()) /
                                                      static_cast<double>(sysconf(_SC_CLK_TCK));
  return {started, resident_bytes(), open_descriptors()};
}

}  // namespace pawl::service
