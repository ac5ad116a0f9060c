// SPDX-License-Identifier: Apache-2.0
// A disk in memory, as cruel as a real one: what was not synced may be lost, torn into sectors or
// kept, names are safe only once their folder is synced, a failed sync forgets what it was to save,
// and the machine goes down at whichever operation a test asks for. All chance comes from the
// Random it is given, which must outlive it: in one thread a seed means the same run. Calls are
// safe from several threads, as ports::Disk demands. The disk must outlive its files.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ports/disk.h"
#include "support/random.h"

namespace pawl::testing {

enum class CrashKind : std::uint8_t {
  power_loss,  // only what was synced is sure to be there
  killed,      // kill -9: all that was written is visible, and still not synced
};

// Thrown out of the operation at which the machine went down.
struct SimCrash {
  CrashKind kind;
};

class SimDisk final : public ports::Disk {
 public:
  explicit SimDisk(Random& random);
  ~SimDisk() override;
  SimDisk(const SimDisk&) = delete;
  SimDisk& operator=(const SimDisk&) = delete;

  // ports::Disk. A rename stays within its folder.
  ports::DiskResult<std::unique_ptr<ports::File>> create(const std::string& path) override;
  ports::DiskResult<std::unique_ptr<ports::File>> open(const std::string& path) override;
  ports::DiskStatus make_folder(const std::string& path) override;
  ports::DiskResult<std::vector<std::string>> list(const std::string& folder) override;
  ports::DiskStatus rename(const std::string& from, const std::string& to) override;
  ports::DiskStatus remove(const std::string& path) override;
  ports::DiskStatus sync_folder(const std::string& folder) override;

  // Faults. "Operations" are those that change something: write, sync, create, make_folder, rename,
  // remove, sync_folder. The n-th from now; the next one is the first.

  // The machine goes down now. Files opened before are dead: all they do is fail.
  void crash(CrashKind kind);
  // It goes down at that operation, before, in the middle of, or after it: SimCrash is thrown.
  void crash_at(std::uint64_t n, CrashKind kind);
  // That operation and all later ones fail until heal(); a failing write may have done a part. What
  // a failing sync was to save is seen until a crash, but no later sync saves it.
  void fail_at(std::uint64_t n, bool full);
  // No more failures, and no crash that was asked for and did not happen yet.
  void heal();
  // So many bytes fit into all files together.
  void set_space(std::uint64_t bytes);

  struct Counters {
    std::uint64_t operations = 0;
    std::uint64_t writes = 0;
    std::uint64_t bytes_written = 0;
    std::uint64_t syncs = 0;
    std::uint64_t folder_syncs = 0;
  };
  std::uint64_t operations() const;
  Counters counters() const;
  std::uint64_t bytes_in_use() const;

  // Called before each operation, with its name ("write", "sync", ...) and path. It must not use
  // the disk.
  std::function<void(std::string_view operation, const std::string& path)> on_operation;

  // The hand of fate: these act on what is visible and make it durable, and count as nothing.
  std::vector<std::string> files() const;  // paths of all, sorted
  bool exists(const std::string& path) const;
  std::string contents(const std::string& path) const;
  void flip_bit(const std::string& path, std::uint64_t bit_offset);
  void overwrite(const std::string& path, std::string bytes);  // makes file and folders if need be
  void truncate(const std::string& path, std::uint64_t size);
  void erase(const std::string& path);

 private:
  struct Node;
  struct Change;
  class OpenFile;
  struct Place {
    Node* folder = nullptr;
    std::string name;
  };
  enum class Fate : std::uint8_t { goes_well, fails, crashes_before, crashes_after };

  Fate begin(std::string_view operation, const std::string& path);
  ports::DiskError failure(std::string_view operation, const std::string& path) const;
  template <class Whole, class Part>
  ports::DiskStatus mutate(std::string_view operation, const std::string& path, Whole whole,
                           Part part);
  [[noreturn]] void go_down();
  void crash_now(CrashKind kind);

  std::shared_ptr<Node> find(const std::string& path) const;
  std::optional<Place> place_of(const std::string& path) const;
  Node& file_at(const std::string& path) const;
  ports::DiskStatus write(Node& file, const std::string& path, std::uint64_t offset,
                          std::string_view bytes);
  ports::DiskStatus sync(Node& file, const std::string& path);
  std::uint64_t count_bytes() const;

  mutable std::mutex mutex_;
  Random& random_;
  std::shared_ptr<Node> root_;
  std::uint64_t boots_ = 0;
  std::optional<std::uint64_t> crash_in_;
  CrashKind crash_kind_ = CrashKind::power_loss;
  std::optional<std::uint64_t> fail_in_;
  bool failing_ = false;
  bool full_ = false;
  std::optional<std::uint64_t> space_;
  Counters counters_;
};

}  // namespace pawl::testing
