// SPDX-License-Identifier: Apache-2.0
#include "scratch.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <fstream>
#include <sstream>
#include <system_error>
#include <thread>
#include <vector>

namespace pawl::bench {
namespace {

namespace fs = std::filesystem;

struct Mount {
  std::string type = "unknown";
  std::string device;
};

bool is_below(const fs::path& path, const fs::path& folder) {
  auto part = path.begin();
  for (const fs::path& wanted : folder) {
    if (wanted.empty()) continue;
    if (part == path.end() || *part != wanted) return false;
    ++part;
  }
  return true;
}

Mount mount_of(const fs::path& path) {
  const fs::path whole = fs::canonical(path);
  Mount found;
  std::size_t longest = 0;
  std::ifstream mounts("/proc/self/mounts");
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream words(line);
    std::string device, place, type;
    words >> device >> place >> type;
    if (place.size() < longest || !is_below(whole, place)) continue;
    longest = place.size();
    found = {type, device};
  }
  return found;
}

bool in_memory(const fs::path& path) {
  const std::string type = mount_of(path).type;
  return type == "tmpfs" || type == "ramfs";
}

fs::path default_parent() {
  if (const char* named = std::getenv("TMPDIR"); named != nullptr && *named != '\0') {
    std::error_code failed;
    if (fs::is_directory(named, failed) && !in_memory(named)) return named;
  }
  if (in_memory("."))
    throw CannotMeasure(
        "the current folder is in memory, where a sync costs nothing; name one on a disk with "
        "--folder");
  return ".";
}

// Waits for a signal in a thread of its own: there it may do what a handler may not.
void remove_on_signal(const fs::path& path) {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, number);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread([signals, path] {
    int number = 0;
    while (sigwait(&signals, &number) != 0) {
    }
    std::error_code ignored;
    for (int tries = 0; tries < 10 && fs::exists(path, ignored); ++tries)
      fs::remove_all(path, ignored);  // the others still write: what they make meanwhile goes too
    _exit(128 + number);
  }).detach();
}

}  // namespace

Scratch::Scratch(fs::path parent) {
  if (parent.empty()) parent = default_parent();
  std::error_code failed;
  if (!fs::is_directory(parent, failed)) throw CannotMeasure(parent.string() + " is not a folder");
  std::string name = (fs::absolute(parent) / "pawl_bench.XXXXXX").lexically_normal().string();
  if (mkdtemp(name.data()) == nullptr)
    throw CannotMeasure("no folder can be made in " + parent.string() + ": " +
                        std::generic_category().message(errno));
  path_ = name;
  const Mount mount = mount_of(path_);
  file_system_ = mount.type + " (" + mount.device + ")";
  remove_on_signal(path_);
}

Scratch::~Scratch() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

fs::path Scratch::fresh(const std::string& name) {
  fs::path folder = path_ / (name + "-" + std::to_string(++made_));
  fs::create_directory(folder);
  return folder;
}

std::uint64_t bytes_below(const fs::path& folder) {
  std::uint64_t bytes = 0;
  std::error_code failed;
  if (!fs::exists(folder, failed)) return 0;
  for (const auto& item : fs::recursive_directory_iterator(folder))
    if (item.is_regular_file()) bytes += item.file_size();
  return bytes;
}

}  // namespace pawl::bench
