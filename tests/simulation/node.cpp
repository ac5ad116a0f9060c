// SPDX-License-Identifier: Apache-2.0
#include "simulation/node.h"

#include <utility>

#include "simulation/flip.h"
#include "simulation/process.h"

namespace pawl::testing {

Node::Node(const Surroundings& around, NodeNumber number)
    : around_(around), number_(number), disk_(around.sim.random) {}

Node::~Node() = default;

bool Node::asleep() const { return up() && process_->machine.asleep(); }
bool Node::in_office() const { return up() && process_->replica().office().in_office; }
const core::State& Node::state() const { return process_->replica().state(); }
std::uint64_t Node::applied() const { return process_->replica().progress().applied; }

void Node::compare_with_promises() {
  const auto contents = peek_log(DiskCopy(disk_), around_.sim.plan.engine.log, around_.sim.random);
  if (!contents) return;  // the start will say why
  if (auto complaint = around_.promises.compare(number_, *contents))
    around_.ledger.break_with(*std::move(complaint));
}

bool Node::start() {
  compare_with_promises();
  const auto fault = open(false);
  if (!fault) return up();
  if (fault->kind != engine::FaultKind::disk) {
    around_.ledger.break_with("node " + std::to_string(number_) +
                              " does not start: " + engine::to_text(*fault));
  }
  around_.sim.stats.add(Count::disk_failures);
  ended();
  return false;
}

std::optional<engine::Fault> Node::open(bool deaf) {
  ++lives_;
  process_ = std::make_shared<Process>(around_, number_, disk_,
                                       [this](const SimCrash& crash) { crashed_inside(crash); });
  std::optional<engine::Fault> fault;
  Process* const process = process_.get();
  process->machine.run(
      [&] { fault = process->open(deaf, [this](const engine::Fault& later) { failed(later); }); });
  if (fault) process->machine.go_down();
  return fault;
}

// The process is in the middle of something, perhaps: it goes when that is over.
void Node::ended() {
  around_.sim.events.after(Micros::zero(), [process = std::exchange(process_, nullptr)] {});
  around_.network.break_all(number_);
  on_down();
}

void Node::crash(CrashKind kind) {
  process_->cut_off(kind);
  ended();
}

void Node::crashed_inside(const SimCrash& crash) {
  around_.sim.stats.add(Count::crashed_at_operation);
  process_->cut_off(crash.kind);
  ended();
}

// Told by the replica that its disk fails: the process exits (P9).
void Node::failed(const engine::Fault& fault) {
  if (fault.kind == engine::FaultKind::disk) {
    around_.sim.stats.add(Count::disk_failures);
  } else {
    around_.ledger.break_with("node " + std::to_string(number_) +
                              " stopped: " + engine::to_text(fault));
  }
  process_->cut_off(CrashKind::killed);
  ended();
}

void Node::stop() {
  Process* const process = process_.get();
  process->machine.run([this, process] {
    process->replica().stop(process->machine.guard([this, process] {
      around_.sim.stats.add(Count::clean_stops);
      process->machine.go_down();
      ended();
    }));
  });
}

void Node::sleep(bool clock_stops) { process_->machine.sleep(clock_stops); }

void Node::wake() {
  if (up()) process_->machine.wake();
}

void Node::take(const Request& request) {
  if (!up()) return around_.network.refuse(request, "");
  process_->machine.run([process = process_.get(), request] { process->door().take(request); });
}

void Node::closed(ConnectionId connection) {
  if (!up()) return;
  process_->machine.run(
      [process = process_.get(), connection] { process->door().closed(connection); });
}

void Node::receive(const engine::Message& message) {
  if (!up()) return;
  process_->machine.run(
      [process = process_.get(), message] { process->replica().receive(message); });
}

void Node::receive_snapshot(NodeNumber from, const PeerNetwork::Snapshot& snapshot,
                            const PeerNetwork::Over& over) {
  if (!up()) return;
  process_->machine.run([process = process_.get(), from, snapshot, over] {
    process->replica().receive_snapshot(from + 1, snapshot.announcement, snapshot.file, over);
  });
}

void Node::probe() {
  if (!up()) return;
  process_->machine.run([this, process = process_.get()] {
    const std::uint64_t answered = around_.ledger.answered();
    process->replica().read([this, process, answered](const ports::ReadAnswer& answer) {
      if (!std::holds_alternative<ports::Readable>(answer)) return;
      around_.sim.stats.add(Count::reads);
      const std::uint64_t seen = process->replica().progress().applied;
      if (seen >= answered) return;
      around_.ledger.break_with("a read from node " + std::to_string(number_) +
                                " showed the state of entry " + std::to_string(seen) +
                                ", but entry " + std::to_string(answered) +
                                " had been answered before it was asked for");
    });
  });
}

void Node::flip_a_bit() {
  Sim& sim = around_.sim;
  const std::optional<Flip> flip = draw_flip(disk_, sim.random);
  if (!flip) return;
  sim.stats.add(Count::bit_flips);
  const DiskCopy good(disk_);
  disk_.flip_bit(flip->path, flip->bit);
  const DiskCopy flipped(disk_);
  const std::optional<engine::Fault> fault = open(true);
  process_->machine.go_down();
  process_.reset();
  disk_.crash(CrashKind::killed);
  good.restore(disk_);
  if (fault) return sim.stats.add(Count::flips_refused);
  const FlipVerdict verdict =
      judge_flip(good, flipped, flip->path, sim.plan.engine.log, sim.random);
  if (verdict == FlipVerdict::last_record) sim.stats.add(Count::flips_in_last_record);
  if (verdict != FlipVerdict::unnoticed) return;
  around_.ledger.break_with("node " + std::to_string(number_) + " did not notice that bit " +
                            std::to_string(flip->bit) + " of " + flip->path + " had changed");
}

}  // namespace pawl::testing
