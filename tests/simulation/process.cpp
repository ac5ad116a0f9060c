// SPDX-License-Identifier: Apache-2.0
#include "simulation/process.h"

#include <utility>

#include "engine/data_folder.h"

namespace pawl::testing {
namespace {

engine::Membership membership_of(std::uint32_t nodes) {
  engine::Membership membership;
  for (NodeNumber node = 0; node < nodes; ++node)
    membership.members.push_back({node + 1, address_of(node), engine::Role::voter});
  return membership;
}

}  // namespace

Node::Process::Process(const Surroundings& around, NodeNumber number, SimDisk& disk,
                       Machine::OnCrash crashed)
    : machine(around.sim, around.sim.draw_drift(), std::move(crashed)),
      around_(around),
      number_(number),
      disk_(disk),
      writer_(around.sim, machine, disk),
      preparer_(around.sim, machine, disk),
      background_(around.sim, machine, disk),
      door_(around.sim, around.network, around.ledger, machine, number) {}

std::optional<engine::Fault> Node::Process::open(bool deaf, OnFault failed) {
  engine::ReplicaOptions options = around_.sim.plan.engine;
  options.id = number_ + 1;
  const auto folder =
      engine::prepare_folder(disk_, machine, options.log, membership_of(around_.sim.plan.nodes));
  if (!folder) return folder.fault();
  engine::Ears ears;
  if (!deaf) {
    ears.listener = this;
    ears.on_applied = [this](engine::Index index, engine::Term term, const core::State& state) {
      entry_applied(index, term, state);
    };
  }
  auto replica = engine::Replica::open(
      {disk_, machine, machine, machine, writer_, preparer_, background_, *this, *this}, options,
      std::move(failed), std::move(ears));
  if (!replica) return replica.fault();
  replica_ = std::move(replica).value();
  door_.open(*replica_);
  return std::nullopt;
}

void Node::Process::cut_off(CrashKind kind) {
  machine.go_down();
  bool down = false;
  for (Hand* hand : {&writer_, &preparer_, &background_}) {
    if (down) {
      hand->drop();
    } else {
      down = hand->interrupt(kind);
    }
  }
  disk_.crash(kind);
}

void Node::Process::send(const engine::Message& message) { around_.peers.send(number_, message); }

void Node::Process::send_snapshot(engine::NodeId to, const engine::InstallSnapshot& announcement,
                                  const std::string& path, std::function<void()> over) {
  around_.peers.send_snapshot(number_, machine, disk_, static_cast<NodeNumber>(to - 1),
                              announcement, path, std::move(over));
}

void Node::Process::applied(ports::LogPosition, const core::Command& command,
                            const core::Effects& effects) {
  // In the replay at a start there is no state to look at yet.
  notes_.note(replica_ ? &replica_->state() : nullptr, command, effects);
  door_.applied(effects);
}

void Node::Process::entry_applied(engine::Index index, engine::Term term,
                                  const core::State& state) {
  if (door_.answered_something()) around_.ledger.answered(index);
  around_.ledger.entry_applied(number_, index, term, state, std::exchange(notes_, {}));
}

void Node::Process::office_changed(const ports::Office& office) {
  const bool was = std::exchange(in_office_, office.in_office);
  if (was && !office.in_office) door_.left_office(office.leader);
  if (was || !office.in_office) return;
  around_.sim.stats.add(Count::leader_changes);
  machine.post([this] {
    const auto progress = replica_->progress();
    if (progress.role != engine::RaftRole::leader) return;  // no longer
    around_.ledger.took_office(number_, progress.term);
    set_limits();
  });
}

// As an operator's configuration would: whoever leads sees to it that they are in force.
void Node::Process::set_limits() {
  const core::Limits& limits = around_.sim.plan.limits;
  if (replica_->state().limits != limits)
    replica_->submit(core::SetLimits{limits}, [](const ports::Answer&) {});
}

void Node::Process::event(ports::Severity, std::string_view name, std::span<const ports::Field>) {
  Stats& stats = around_.sim.stats;
  if (name == "torn_write_cut") stats.add(Count::torn_writes);
  if (name == "snapshot_taken") stats.add(Count::snapshots_taken);
  if (name == "snapshot_installed") stats.add(Count::snapshots_installed);
}

}  // namespace pawl::testing
