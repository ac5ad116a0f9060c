// SPDX-License-Identifier: Apache-2.0
#include "engine/host/folder_lock.h"

#include <sys/file.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <optional>
#include <string>

namespace pawl::engine {
namespace {

Fault disk_trouble(std::string what, std::string advice) {
  return {FaultKind::disk, "", 0, std::move(what), std::move(advice)};
}

Fault cannot(const std::string& doing, const std::filesystem::path& folder, int error) {
  return disk_trouble(
      "cannot " + doing + " the data folder " + folder.string() + ": " + reason_of(error),
      "mend that, or name another folder");
}

// The pid that the holder wrote, as text; empty if there is none.
std::string holder_of(const UniqueFd& file) {
  std::array<char, 16> text{};
  const ssize_t got = unbroken([&] { return ::pread(file.get(), text.data(), text.size(), 0); });
  std::string pid;
  for (ssize_t i = 0; i < got; ++i) {
    const char c = text[static_cast<std::size_t>(i)];
    if (c < '0' || c > '9') break;
    pid += c;
  }
  return pid;
}

Fault in_use(const std::filesystem::path& folder, const UniqueFd& file) {
  std::string who = "another process";
  if (const std::string pid = holder_of(file); !pid.empty()) who += " (pid " + pid + ")";
  return {FaultKind::in_use, "", 0, who + " uses the data folder " + folder.string(),
          "stop it first, or give this one a folder of its own"};
}

// For people only: if it can't be written, the lock holds all the same.
void sign(const UniqueFd& file) {
  const std::string pid = std::to_string(::getpid()) + "\n";
  if (::ftruncate(file.get(), 0) == 0) {
    [[maybe_unused]] const ssize_t wrote = ::pwrite(file.get(), pid.data(), pid.size(), 0);
  }
}

// The folder's own name must survive a power loss too (P9). Whoever made it may have been killed
// before this, so it is done at every start.
std::optional<Fault> sync_name(const std::filesystem::path& path, const UniqueFd& folder,
                               bool made_now) {
  const UniqueFd above(
      unbroken([&] { return ::openat(folder.get(), "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
  if (!above.valid() && !made_now) return {};  // not ours to read, so whoever made it saw to that
  if (!above.valid() || ::fsync(above.get()) != 0) {
    return cannot("sync the folder above", path, errno);
  }
  return {};
}

void warn_if_open_to_others(const std::filesystem::path& path, const UniqueFd& folder,
                            ports::Observer& observer) {
  struct stat about{};
  if (::fstat(folder.get(), &about) != 0 || (about.st_mode & (S_IRWXG | S_IRWXO)) == 0) return;
  std::string mode = "0000";
  for (std::size_t i = 1; i < 4; ++i) {
    mode[i] = static_cast<char>('0' + ((about.st_mode >> (3 * (3 - i))) & 7U));
  }
  const std::string name = path.string();
  observer.event(ports::Severity::warning, "data_folder_permissions",
                 {{"folder", std::string_view(name)},
                  {"mode", std::string_view(mode)},
                  {"wanted", std::string_view("0700")}});
}

// Not to be had: errno says whether another has it (EWOULDBLOCK).
bool taken(const UniqueFd& fd) {
  return unbroken([&] { return ::flock(fd.get(), LOCK_EX | LOCK_NB); }) != 0;
}

}  // namespace

ports::Result<std::unique_ptr<FolderLock>, Fault> FolderLock::take(
    const std::filesystem::path& folder, ports::Observer& observer) {
  const bool made_now = ::mkdir(folder.c_str(), S_IRWXU) == 0;
  if (!made_now && errno == ENOENT) {
    return disk_trouble(
        "the folder in which to make the data folder " + folder.string() + " does not exist",
        "make it first, or name another");
  }
  if (!made_now && errno != EEXIST) return cannot("make", folder, errno);
  UniqueFd held(
      unbroken([&] { return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
  if (!held.valid()) return cannot("open", folder, errno);
  UniqueFd file(unbroken([&] {
    return ::openat(held.get(), kLockFile, O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR);
  }));
  if (!file.valid()) return cannot("make the file LOCK in", folder, errno);

  if (taken(file)) {
    return errno == EWOULDBLOCK ? in_use(folder, file) : cannot("lock", folder, errno);
  }
  // Some network file systems can't lock a folder; there the file alone has to do.
  if (taken(held) && errno == EWOULDBLOCK) return in_use(folder, file);

  sign(file);
  warn_if_open_to_others(folder, held, observer);
  if (auto fault = sync_name(folder, held, made_now)) return *std::move(fault);
  return std::unique_ptr<FolderLock>(new FolderLock(std::move(held), std::move(file)));
}

}  // namespace pawl::engine
