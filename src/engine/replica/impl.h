// SPDX-License-Identifier: Apache-2.0
// The inside of a Replica; its parts stand in one file each:
//   start.cpp      from disk to a running node
//   submit.cpp     commands and reads come in, become entries, and end
//   events.cpp     consensus: events in, updates carried out in order
//   apply.cpp      committed entries go through step() and are answered
//   time.cpp       taking office, Advance
//   snapshots.cpp  made, sent, received
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/replica/arrivals.h"
#include "engine/replica/replica.h"
#include "engine/replica/tail.h"
#include "engine/replica/timekeeper.h"
#include "engine/replica/writer.h"
#include "engine/snapshot/snapshot_store.h"

namespace pawl::engine {

class Replica::Impl {
 public:
  Impl(const World& world, const ReplicaOptions& options, OnFault failed, Ears ears);
  ~Impl();
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  [[nodiscard]] std::optional<Fault> start();

  void submit(core::CommandBody body, ports::OnAnswer done);
  void read(ports::OnRead done);
  ports::Office office() const;
  void stop(ports::Action done);
  void receive(Message message);
  void receive_snapshot(NodeId from, InstallSnapshot announcement, std::string file,
                        ports::Action done);
  Progress progress() const;
  const core::State& state() const { return *state_; }

  void listen(ports::StoreListener* listener) { ears_.listener = listener; }

 private:
  // Put into the log by this node in its present term, and not yet answered.
  struct InFlight {
    Index index = 0;
    Batch batch;
  };
  struct Read {
    Index after = 0;  // the entry that proves it
    ports::OnRead done;
  };
  struct Snapshot {
    SnapshotMark mark;  // index zero: none yet
    std::string path;
    std::uint64_t bytes = 0;
  };

  // start.cpp
  [[nodiscard]] std::optional<Fault> load_snapshot();
  [[nodiscard]] std::optional<Fault> open_log();
  [[nodiscard]] std::optional<Fault> misfit(const LogContents& found) const;
  [[nodiscard]] std::optional<Fault> give_way_to_snapshot(LogContents& contents);
  void start_consensus(Term term, NodeId vote);
  void lead_alone();

  // submit.cpp
  bool leads() const { return consensus_->role() == RaftRole::leader; }
  bool has_room(std::size_t bytes) const;
  ports::NotSubmitted refusal() const;
  void accept(core::CommandBody body, ports::OnAnswer done, std::size_t bytes);
  void flush_later();
  bool can_flush() const;
  void flush();
  std::vector<Entry> next_entries(std::vector<Batch>& batches);
  void prove_reads(Index after);
  void answer_reads();
  void refuse_reads();
  void give_up(Batch batch, const ports::Answer& answer);
  void stop_when_quiet();

  // events.cpp
  Consensus::Ms ms() const;
  void carry_out(Updates updates);
  void carry_out(Update& update);
  void replace_entries(const Update& update);
  void leave_leadership();
  void take_over();
  void hold(Message message);
  void send_what_may_leave();
  void written(const Append& append, std::optional<std::uint64_t> number);
  void settle();
  void arm_raft_timer();
  void raft_timeout();
  void tell_office();
  std::string leader_address() const;
  void fail(const Fault& fault);

  // apply.cpp
  void apply_ready();
  void apply(Index index);
  void apply_own(Batch batch, Index index);
  void apply_commands(const Entry& entry, Index index);
  void apply_change(const Entry& entry, Index index);
  bool is_own(Index index, const Entry& entry) const;

  // time.cpp
  void take_office();
  void arm_time();
  void advance();
  bool nothing_under_way() const { return arrivals_.empty() && in_flight_.empty(); }

  // snapshots.cpp
  std::uint64_t snapshot_threshold() const;
  void make_snapshot_if_due();
  void snapshot_made(const SnapshotMark& mark, const WrittenSnapshot& written);
  Index cut_point(const SnapshotMark& mark) const;
  void remove_old_snapshots();
  void send_snapshot(NodeId peer, InstallSnapshot announcement);
  void snapshot_stored(NodeId from, const InstallSnapshot& announcement, LoadedSnapshot loaded);
  void begin_install(const SnapshotMark& mark);
  void finish_install();

  World world_;
  ReplicaOptions options_;
  OnFault failed_callback_;
  Ears ears_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  // posted actions look at it

  std::unique_ptr<core::State> state_;
  std::uint64_t index_seed_ = 0;
  std::unique_ptr<Log> log_;
  std::unique_ptr<Writer> writer_;
  std::unique_ptr<Consensus> consensus_;
  Tail tail_;

  Index applied_ = 0;
  Term applied_term_ = 0;
  Membership committed_;
  Index committed_index_ = 0;

  Arrivals arrivals_;
  std::deque<InFlight> in_flight_;
  std::size_t pending_commands_ = 0;
  std::size_t pending_bytes_ = 0;
  std::vector<ports::OnRead> new_reads_;
  std::deque<Read> reads_;
  std::vector<ports::Action> answers_later_;  // from where a callback must not come back in

  Timekeeper time_;
  bool was_leader_ = false;
  bool must_take_over_ = false;
  Index takeover_ = 0;  // the entry that begins our term of office
  bool restarting_alone_ = false;

  std::deque<std::pair<std::uint64_t, Message>> held_;  // until term and vote are on disk
  std::unique_ptr<ports::Timer> raft_timer_;
  std::unique_ptr<ports::Timer> time_timer_;
  ports::Office told_;
  bool settling_ = false;
  bool flush_posted_ = false;
  bool failed_ = false;
  std::optional<Fault> fault_;
  bool started_ = false;  // until then a fault is open()'s answer
  bool stopping_ = false;
  std::vector<ports::Action> on_stopped_;

  Snapshot snapshot_;
  bool making_ = false;
  bool storing_ = false;
  int removing_ = 0;
  std::optional<LoadedSnapshot> incoming_;
  bool installing_ = false;
  std::map<NodeId, Snapshot> transfers_;  // one a peer; their files stay
};

}  // namespace pawl::engine
