// SPDX-License-Identifier: Apache-2.0
#include "engine/engine.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <utility>

#include "engine/data_folder.h"
#include "engine/host/asio_loop.h"
#include "engine/host/folder_lock.h"
#include "engine/host/posix_disk.h"
#include "engine/host/system_clock.h"
#include "engine/host/system_random.h"
#include "engine/host/thread_worker.h"
#include "engine/replica/peers.h"
#include "engine/replica/replica.h"

namespace pawl::engine {
namespace {

// How a node is called while it is alone, and nobody needs an address to find it.
constexpr const char* kOwnAddress = "self";

// Snapshots are large and never urgent: clients and the log come first.
constexpr int kBackgroundNice = 10;

}  // namespace

// Made from top to bottom and destroyed the other way round: the replica goes first, then the
// threads that worked for it, and the folder is another's to take only when nothing can write to it
// any more.
class Engine::Impl {
 public:
  Impl(boost::asio::io_context& io, ports::Observer& observer, std::unique_ptr<FolderLock> lock,
       std::unique_ptr<PosixDisk> disk)
      : lock_(std::move(lock)),
        disk_(std::move(disk)),
        loop_(io, clock_),
        writer_(loop_, {"pawl-writer", 0}),
        preparer_(loop_, {"pawl-preparer", 0}),
        background_(loop_, {"pawl-background", kBackgroundNice}),
        observer_(observer),
        has_work_(io.get_executor()) {}

  [[nodiscard]] std::optional<Fault> start(const ReplicaOptions& options, OnFault failed) {
    const Membership alone{{{options.id, kOwnAddress, Role::voter}}};
    const auto folder = prepare_folder(*disk_, random_, options.log, alone);
    if (!folder) return folder.fault();
    const World world{*disk_,    clock_,      random_,   loop_, writer_,
                      preparer_, background_, observer_, peers_};
    auto replica = Replica::open(world, options, std::move(failed));
    if (!replica) return replica.fault();
    replica_ = std::move(replica).value();
    return {};
  }

  Replica& replica() { return *replica_; }

 private:
  std::unique_ptr<FolderLock> lock_;
  std::unique_ptr<PosixDisk> disk_;
  SystemClock clock_;
  SystemRandom random_;
  AsioLoop loop_;
  ThreadWorker writer_;
  ThreadWorker preparer_;
  ThreadWorker background_;
  NoPeers peers_;
  ports::Observer& observer_;
  // What the threads do is work that the io_context does not see.
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> has_work_;
  std::unique_ptr<Replica> replica_;
};

Engine::Engine(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Engine::~Engine() = default;

ports::Result<std::unique_ptr<Engine>, Fault> Engine::open(boost::asio::io_context& io,
                                                           const EngineOptions& options,
                                                           ports::Observer& observer,
                                                           OnFault failed) {
  auto lock = FolderLock::take(options.data_folder, observer);
  if (!lock) return lock.fault();
  auto disk = PosixDisk::at(options.data_folder);
  if (!disk) return disk_fault(disk.fault());
  auto impl =
      std::make_unique<Impl>(io, observer, std::move(lock).value(), std::move(disk).value());
  if (auto fault = impl->start(options.replica, std::move(failed))) return *std::move(fault);
  return std::unique_ptr<Engine>(new Engine(std::move(impl)));
}

ports::LockStore& Engine::store() { return impl_->replica(); }

void Engine::stop(ports::Action done) { impl_->replica().stop(std::move(done)); }

}  // namespace pawl::engine
