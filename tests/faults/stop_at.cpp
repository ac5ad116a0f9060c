// SPDX-License-Identifier: Apache-2.0
// libpawl_stop_at.so, for LD_PRELOAD: counts the calls of a process that change the disk, and ends
// the process, or lets the disk fail, at the one that the environment names (stop_at.h). It keeps
// no table of open files: what a descriptor stands for is read from /proc. Thread-safe.
#include "faults/stop_at.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

using pawl::testing::StopPage;

enum class How { nothing, kill, kill_after, torn, eio, enospc };

struct Settings {
  const char* folder = nullptr;
  const char* kind = nullptr;
  std::uint64_t at = 0;
  How how = How::nothing;
  StopPage* page = nullptr;
};

How how_from(const char* text) {
  if (text == nullptr) return How::nothing;
  if (std::strcmp(text, "kill") == 0) return How::kill;
  if (std::strcmp(text, "kill_after") == 0) return How::kill_after;
  if (std::strcmp(text, "torn") == 0) return How::torn;
  if (std::strcmp(text, "eio") == 0) return How::eio;
  if (std::strcmp(text, "enospc") == 0) return How::enospc;
  return How::nothing;
}

template <class Function>
Function next(Function, const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}
// The function of this name that would have been called without this library.
#define PAWL_NEXT(name) next(&name, #name)

Settings read_settings() {
  Settings settings;
  settings.folder = std::getenv("PAWL_STOP_FOLDER");
  settings.kind = std::getenv("PAWL_STOP_KIND");
  settings.how = how_from(std::getenv("PAWL_STOP_HOW"));
  if (const char* at = std::getenv("PAWL_STOP_AT")) settings.at = std::strtoull(at, nullptr, 10);
  const char* path = std::getenv("PAWL_STOP_PAGE");
  if (path == nullptr) return settings;
  const int fd = PAWL_NEXT(open)(path, O_RDWR | O_CLOEXEC);
  if (fd < 0) std::abort();
  void* page = mmap(nullptr, sizeof(StopPage), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (page == MAP_FAILED) std::abort();
  close(fd);
  settings.page = static_cast<StopPage*>(page);
  return settings;
}

const Settings& settings() {
  static const Settings read = read_settings();
  return read;
}

using Path = char[PATH_MAX];

bool read_link(const char* link, Path& path) {
  const ssize_t size = readlink(link, path, sizeof path - 1);
  if (size < 0) return false;
  path[size] = '\0';
  return true;
}

bool path_of(int fd, Path& path) {
  char link[64];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  return read_link(link, path);
}

bool path_at(int folder, const char* name, Path& path) {
  if (name[0] == '/') {
    std::snprintf(path, sizeof path, "%s", name);
    return true;
  }
  if (!(folder == AT_FDCWD ? read_link("/proc/self/cwd", path) : path_of(folder, path)))
    return false;
  const std::size_t size = std::strlen(path);
  std::snprintf(path + size, sizeof path - size, "/%s", name);
  return true;
}

bool is_below(const char* path) {
  const char* folder = settings().folder;
  if (folder == nullptr || settings().page == nullptr) return false;
  const std::size_t size = std::strlen(folder);
  return std::strncmp(path, folder, size) == 0 && (path[size] == '/' || path[size] == '\0');
}

[[noreturn]] void die() {
  std::raise(SIGKILL);
  std::abort();
}

// What is to be done about a call.
class Stop {
 public:
  Stop(const char* kind, const char* call, int fd) {
    Path path;
    if (path_of(fd, path)) count(kind, call, path);
  }
  Stop(const char* kind, const char* call, int folder, const char* name) {
    Path path;
    if (path_at(folder, name, path)) count(kind, call, path);
  }

  bool now() const { return now_; }
  bool now(How how) const { return now_ && settings().how == how; }
  bool fails() const { return error_ != 0; }
  int fail() const {
    errno = error_;
    return -1;
  }

  // A call that is done whole or not at all.
  template <class Call>
  int around(Call call) const {
    if (fails()) return fail();
    if (now(How::kill) || now(How::torn)) die();
    const int result = call();
    if (now(How::kill_after)) die();
    return result;
  }

  // `call` writes that many bytes.
  template <class Call>
  ssize_t around_write(std::size_t bytes, Call call) const {
    if (now(How::kill)) die();
    if (now(How::torn) || (fails() && now())) {
      const ssize_t half = bytes < 2 ? 0 : call(bytes / 2);
      if (now(How::torn)) die();
      if (now(How::enospc) && half > 0) return half;
    }
    if (fails()) return fail();
    const ssize_t result = call(bytes);
    if (now(How::kill_after)) die();
    return result;
  }

 private:
  void count(const char* kind, const char* call, const char* path) {
    const Settings& set = settings();
    if (!is_below(path) || (set.kind != nullptr && std::strcmp(kind, set.kind) != 0)) return;
    const std::uint64_t number = set.page->calls.fetch_add(1) + 1;
    if (set.at == 0 || set.how == How::nothing) return;
    now_ = number == set.at;
    if (now_) {
      stopped_kind = kind;
      std::snprintf(set.page->name, sizeof set.page->name, "%s %.300s", call,
                    path + std::strlen(set.folder));
      set.page->stopped.store(1);
    }
    if (set.page->stopped.load() == 0 || stopped_kind != kind) return;
    if (set.how == How::eio) error_ = EIO;
    if (set.how == How::enospc) error_ = ENOSPC;
  }

  static std::atomic<const char*> stopped_kind;
  bool now_ = false;
  int error_ = 0;
};
std::atomic<const char*> Stop::stopped_kind{nullptr};

// The kinds are compared by address too.
constexpr char kWrite[] = "write";
constexpr char kSync[] = "sync";
constexpr char kCreate[] = "create";
constexpr char kRename[] = "rename";
constexpr char kRemove[] = "remove";
constexpr char kFolder[] = "folder";
constexpr char kSize[] = "size";

template <class Call>
int open_or_stop(const char* name, int folder, const char* path, int flags, Call call) {
  if ((flags & O_CREAT) == 0) return call();
  return Stop(kCreate, name, folder, path).around(call);
}

mode_t mode_from(int flags, va_list arguments) {
  const bool makes = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  return makes ? static_cast<mode_t>(va_arg(arguments, unsigned)) : mode_t{0};
}

}  // namespace

extern "C" {

#define PAWL_OPEN(name)                                                                         \
  int name(const char* path, int flags, ...) {                                                  \
    va_list arguments;                                                                          \
    va_start(arguments, flags);                                                                 \
    const mode_t mode = mode_from(flags, arguments);                                            \
    va_end(arguments);                                                                          \
    static const auto real = PAWL_NEXT(name);                                                   \
    return open_or_stop(#name, AT_FDCWD, path, flags, [&] { return real(path, flags, mode); }); \
  }
PAWL_OPEN(open)
PAWL_OPEN(open64)

#define PAWL_OPENAT(name)                                                 \
  int name(int folder, const char* path, int flags, ...) {                \
    va_list arguments;                                                    \
    va_start(arguments, flags);                                           \
    const mode_t mode = mode_from(flags, arguments);                      \
    va_end(arguments);                                                    \
    static const auto real = PAWL_NEXT(name);                             \
    return open_or_stop(#name, folder, path, flags,                       \
                        [&] { return real(folder, path, flags, mode); }); \
  }
PAWL_OPENAT(openat)
PAWL_OPENAT(openat64)

ssize_t write(int fd, const void* bytes, size_t size) {
  static const auto real = PAWL_NEXT(write);
  return Stop(kWrite, "write", fd).around_write(size, [&](size_t n) { return real(fd, bytes, n); });
}

#define PAWL_PWRITE(name, Offset)                                     \
  ssize_t name(int fd, const void* bytes, size_t size, Offset at) {   \
    static const auto real = PAWL_NEXT(name);                         \
    return Stop(kWrite, #name, fd).around_write(size, [&](size_t n) { \
      return real(fd, bytes, n, at);                                  \
    });                                                               \
  }
PAWL_PWRITE(pwrite, off_t)
PAWL_PWRITE(pwrite64, off64_t)

int fsync(int fd) {
  static const auto real = PAWL_NEXT(fsync);
  return Stop(kSync, "fsync", fd).around([&] { return real(fd); });
}
int fdatasync(int fd) {
  static const auto real = PAWL_NEXT(fdatasync);
  return Stop(kSync, "fdatasync", fd).around([&] { return real(fd); });
}

int rename(const char* from, const char* to) noexcept {
  static const auto real = PAWL_NEXT(rename);
  return Stop(kRename, "rename", AT_FDCWD, to).around([&] { return real(from, to); });
}
int renameat(int from_folder, const char* from, int to_folder, const char* to) noexcept {
  static const auto real = PAWL_NEXT(renameat);
  return Stop(kRename, "renameat", to_folder, to).around([&] {
    return real(from_folder, from, to_folder, to);
  });
}
int renameat2(int from_folder, const char* from, int to_folder, const char* to,
              unsigned flags) noexcept {
  static const auto real = PAWL_NEXT(renameat2);
  return Stop(kRename, "renameat2", to_folder, to).around([&] {
    return real(from_folder, from, to_folder, to, flags);
  });
}

int unlink(const char* path) noexcept {
  static const auto real = PAWL_NEXT(unlink);
  return Stop(kRemove, "unlink", AT_FDCWD, path).around([&] { return real(path); });
}
int unlinkat(int folder, const char* path, int flags) noexcept {
  static const auto real = PAWL_NEXT(unlinkat);
  return Stop(kRemove, "unlinkat", folder, path).around([&] { return real(folder, path, flags); });
}

int mkdir(const char* path, mode_t mode) noexcept {
  static const auto real = PAWL_NEXT(mkdir);
  return Stop(kFolder, "mkdir", AT_FDCWD, path).around([&] { return real(path, mode); });
}
int mkdirat(int folder, const char* path, mode_t mode) noexcept {
  static const auto real = PAWL_NEXT(mkdirat);
  return Stop(kFolder, "mkdirat", folder, path).around([&] { return real(folder, path, mode); });
}

#define PAWL_FTRUNCATE(name, Offset)                                      \
  int name(int fd, Offset size) noexcept {                                \
    static const auto real = PAWL_NEXT(name);                             \
    return Stop(kSize, #name, fd).around([&] { return real(fd, size); }); \
  }
PAWL_FTRUNCATE(ftruncate, off_t)
PAWL_FTRUNCATE(ftruncate64, off64_t)

#define PAWL_FALLOCATE(name, Offset)                                                \
  int name(int fd, int mode, Offset at, Offset size) {                              \
    static const auto real = PAWL_NEXT(name);                                       \
    return Stop(kSize, #name, fd).around([&] { return real(fd, mode, at, size); }); \
  }
PAWL_FALLOCATE(fallocate, off_t)
PAWL_FALLOCATE(fallocate64, off64_t)

// These two give their error back instead of setting errno.
#define PAWL_POSIX_FALLOCATE(name, Offset)                              \
  int name(int fd, Offset at, Offset size) {                            \
    static const auto real = PAWL_NEXT(name);                           \
    const Stop stop(kSize, #name, fd);                                  \
    const int result = stop.around([&] { return real(fd, at, size); }); \
    return result < 0 ? errno : result;                                 \
  }
PAWL_POSIX_FALLOCATE(posix_fallocate, off_t)
PAWL_POSIX_FALLOCATE(posix_fallocate64, off64_t)

}  // extern "C"
