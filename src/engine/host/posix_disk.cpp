// SPDX-License-Identifier: Apache-2.0
#include "engine/host/posix_disk.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>
#include <utility>

#include "core/assert.h"

namespace pawl::engine {
namespace {

ports::DiskError failed(const char* operation, const std::string& path, int error = errno) {
  return {operation, path, reason_of(error), error == ENOENT, error == ENOSPC || error == EDQUOT};
}

// Names are made by the engine, never by a client: one that leads out of the folder is a bug.
const char* checked(const std::string& path) {
  PAWL_ASSERT(path.empty() || path.front() != '/');
  PAWL_ASSERT(path.find("..") == std::string::npos && path.find('\0') == std::string::npos);
  return path.empty() ? "." : path.c_str();
}

class PosixFile final : public ports::File {
 public:
  PosixFile(UniqueFd fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}

  ports::DiskStatus write(std::uint64_t offset, std::string_view bytes) override {
    while (!bytes.empty()) {
      const ssize_t wrote = unbroken(
          [&] { return ::pwrite(fd_.get(), bytes.data(), bytes.size(), position(offset)); });
      if (wrote < 0) return failed("write", path_);
      if (wrote == 0) return failed("write", path_, EIO);
      bytes.remove_prefix(static_cast<std::size_t>(wrote));
      offset += static_cast<std::uint64_t>(wrote);
    }
    return {};
  }

  ports::DiskResult<std::size_t> read(std::uint64_t offset, std::span<char> into) const override {
    std::size_t got = 0;
    while (got < into.size()) {
      const ssize_t more = unbroken([&] {
        return ::pread(fd_.get(), into.data() + got, into.size() - got, position(offset + got));
      });
      if (more < 0) return failed("read", path_);
      if (more == 0) break;
      got += static_cast<std::size_t>(more);
    }
    return got;
  }

  ports::DiskStatus sync() override {
    // Not again after EINTR or any other error: what a failed sync lost, the next one would not
    // tell.
    if (::fdatasync(fd_.get()) != 0) return failed("sync", path_);
    return {};
  }

  ports::DiskResult<std::uint64_t> size() const override {
    struct stat about{};
    if (::fstat(fd_.get(), &about) != 0) return failed("size", path_);
    return static_cast<std::uint64_t>(about.st_size);
  }

 private:
  static off_t position(std::uint64_t offset) {
    PAWL_ASSERT(offset <= static_cast<std::uint64_t>(std::numeric_limits<off_t>::max()));
    return static_cast<off_t>(offset);
  }

  UniqueFd fd_;
  std::string path_;
};

}  // namespace

ports::DiskResult<std::unique_ptr<PosixDisk>> PosixDisk::at(const std::filesystem::path& folder) {
  UniqueFd root(
      unbroken([&] { return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
  if (!root.valid()) return failed("open", folder.string());
  return std::unique_ptr<PosixDisk>(new PosixDisk(std::move(root)));
}

ports::DiskResult<std::unique_ptr<ports::File>> PosixDisk::open_file(const char* operation,
                                                                     const std::string& path,
                                                                     int flags) {
  UniqueFd fd(unbroken([&] {
    return ::openat(root_.get(), checked(path), flags | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
  }));
  if (!fd.valid()) return failed(operation, path);
  return std::unique_ptr<ports::File>(std::make_unique<PosixFile>(std::move(fd), path));
}

ports::DiskResult<std::unique_ptr<ports::File>> PosixDisk::create(const std::string& path) {
  return open_file("create", path, O_CREAT | O_EXCL);
}

ports::DiskResult<std::unique_ptr<ports::File>> PosixDisk::open(const std::string& path) {
  return open_file("open", path, 0);
}

ports::DiskStatus PosixDisk::make_folder(const std::string& path) {
  if (::mkdirat(root_.get(), checked(path), S_IRWXU) == 0) return {};
  if (errno != EEXIST) return failed("make folder", path);
  struct stat about{};
  if (::fstatat(root_.get(), checked(path), &about, 0) != 0) return failed("make folder", path);
  if (!S_ISDIR(about.st_mode)) return failed("make folder", path, ENOTDIR);
  return {};
}

ports::DiskResult<std::vector<std::string>> PosixDisk::list(const std::string& folder) {
  const int fd = unbroken(
      [&] { return ::openat(root_.get(), checked(folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
  if (fd < 0) return failed("list", folder);
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(fd), ::closedir);
  if (stream == nullptr) {
    const int error = errno;
    ::close(fd);
    return failed("list", folder, error);
  }
  std::vector<std::string> names;
  for (;;) {
    errno = 0;
    const dirent* entry = ::readdir(stream.get());
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  if (errno != 0) return failed("list", folder);
  std::sort(names.begin(), names.end());
  return names;
}

ports::DiskStatus PosixDisk::rename(const std::string& from, const std::string& to) {
  if (::renameat(root_.get(), checked(from), root_.get(), checked(to)) == 0) return {};
  return failed("rename", from);
}

ports::DiskStatus PosixDisk::remove(const std::string& path) {
  if (::unlinkat(root_.get(), checked(path), 0) == 0) return {};
  return failed("remove", path);
}

ports::DiskStatus PosixDisk::sync_folder(const std::string& folder) {
  const UniqueFd fd(unbroken(
      [&] { return ::openat(root_.get(), checked(folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
  if (!fd.valid() || ::fsync(fd.get()) != 0) return failed("sync", folder);
  return {};
}

}  // namespace pawl::engine
