// SPDX-License-Identifier: Apache-2.0
// A node's process: the engine on its machine, between clients, peers and the record of the run.
// Gone with the machine's power, and all that it knew with it.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "simulation/node.h"

namespace pawl::testing {

class Node::Process final : public engine::Peers,
                            public ports::StoreListener,
                            public ports::Observer {
 public:
  using OnFault = engine::Replica::OnFault;
  Process(const Surroundings& around, NodeNumber number, SimDisk& disk, Machine::OnCrash crashed);

  // `deaf`: what it applies is not heard of.
  std::optional<engine::Fault> open(bool deaf, OnFault failed);
  // The machine, or the kernel, ends it.
  void cut_off(CrashKind kind);

  Machine machine;

  Door& door() { return door_; }
  engine::Replica& replica() { return *replica_; }

 private:
  // engine::Peers
  void send(const engine::Message& message) override;
  void send_snapshot(engine::NodeId to, const engine::InstallSnapshot& announcement,
                     const std::string& path, std::function<void()> over) override;
  // ports::StoreListener
  void applied(ports::LogPosition where, const core::Command& command,
               const core::Effects& effects) override;
  void office_changed(const ports::Office& office) override;
  // ports::Observer
  void event(ports::Severity severity, std::string_view name,
             std::span<const ports::Field> fields) override;

  void entry_applied(engine::Index index, engine::Term term, const core::State& state);
  void set_limits();

  Surroundings around_;
  NodeNumber number_;
  SimDisk& disk_;
  Hand writer_;
  Hand preparer_;
  Hand background_;
  Door door_;
  Notes notes_;  // of the entry that is being applied
  bool in_office_ = false;
  std::unique_ptr<engine::Replica> replica_;
};

}  // namespace pawl::testing
