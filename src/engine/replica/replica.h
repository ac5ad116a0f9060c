// SPDX-License-Identifier: Apache-2.0
// One node: the loop between consensus, log, peers and core. What clients ask for is stamped,
// batched into entries, written, committed, applied and answered, in this order and never in
// another:
//
//   submit() -> arrivals_ -> entry -> consensus_ -> writer_ -> committed -> step() -> answer
//               arrivals.h                          writer.h   tail.h       apply.cpp
//
// Everything happens in the loop; only writes and snapshots are with other threads (World). It
// reads time from its Clock alone, so that the simulator runs this very code. A fault of the disk
// is told to `failed` once, and nothing is answered after that: the process must exit (P9).
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "engine/consensus/consensus.h"
#include "engine/fault.h"
#include "engine/log/log.h"
#include "engine/replica/options.h"
#include "engine/replica/peers.h"
#include "ports/clock.h"
#include "ports/disk.h"
#include "ports/lock_store.h"
#include "ports/loop.h"
#include "ports/observer.h"
#include "ports/random.h"

namespace pawl::engine {

// The world around a node. All of it must outlive the replica.
struct World {
  ports::Disk& disk;
  ports::Clock& clock;
  ports::Random& random;
  ports::Loop& loop;
  ports::Worker& writer;      // writes and syncs the log
  ports::Worker& preparer;    // makes the log's next segment beforehand
  ports::Worker& background;  // makes and stores snapshots
  ports::Observer& observer;
  Peers& peers;
};

// Makes the data folder's log with its first entry, the membership. Once in a cluster's life, the
// same on every first member. Does nothing if it is there already.
[[nodiscard]] std::optional<Fault> bootstrap(ports::Disk& disk, ports::Random& random,
                                             const LogOptions& options,
                                             const Membership& membership);

// Who hears of what is applied. Given to open(), they hear of the replay too.
struct Ears {
  ports::StoreListener* listener = nullptr;
  // After each entry; for those who compare nodes (I9).
  std::function<void(Index, Term, const core::State&)> on_applied;
};

class Replica final : public ports::LockStore {
 public:
  // Told once, in the loop.
  using OnFault = std::function<void(const Fault&)>;

  // Reads the disk, which must have been bootstrapped, and starts. Blocks; in the loop.
  [[nodiscard]] static ports::Result<std::unique_ptr<Replica>, Fault> open(
      const World& world, const ReplicaOptions& options, OnFault failed, Ears ears = {});
  ~Replica() override;

  // ports::LockStore
  void submit(core::CommandBody body, ports::OnAnswer done) override;
  void read(ports::OnRead done) override;
  ports::Office office() const override;
  void listen(ports::StoreListener* listener) override;

  // From peers.
  void receive(Message message);
  // A whole snapshot file came with its announcement. `done`: it was taken in, or was of no use.
  void receive_snapshot(NodeId from, InstallSnapshot announcement, std::string file,
                        ports::Action done);

  // A clean stop: takes nothing new, logs the time, lets what is under way end, then calls `done`.
  void stop(ports::Action done);

  // For operators and tests.
  struct Progress {
    Index applied = 0;
    Term applied_term = 0;
    Index commit = 0;
    Index last = 0;
    Term term = 0;
    RaftRole role = RaftRole::follower;
    NodeId leader = 0;
    Index snapshot = 0;
  };
  Progress progress() const;
  const core::State& state() const;

 private:
  class Impl;
  explicit Replica(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace pawl::engine
