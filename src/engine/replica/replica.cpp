// SPDX-License-Identifier: Apache-2.0
#include "engine/replica/replica.h"

#include <utility>

#include "engine/replica/impl.h"

namespace pawl::engine {

Replica::Replica(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Replica::~Replica() = default;

ports::Result<std::unique_ptr<Replica>, Fault> Replica::open(const World& world,
                                                             const ReplicaOptions& options,
                                                             OnFault failed, Ears ears) {
  std::unique_ptr<Replica> replica(
      new Replica(std::make_unique<Impl>(world, options, std::move(failed), std::move(ears))));
  if (auto fault = replica->impl_->start()) return *std::move(fault);
  return replica;
}

void Replica::submit(core::CommandBody body, ports::OnAnswer done) {
  impl_->submit(std::move(body), std::move(done));
}
void Replica::read(ports::OnRead done) { impl_->read(std::move(done)); }
ports::Office Replica::office() const { return impl_->office(); }
void Replica::listen(ports::StoreListener* listener) { impl_->listen(listener); }
void Replica::receive(Message message) { impl_->receive(std::move(message)); }
void Replica::receive_snapshot(NodeId from, InstallSnapshot announcement, std::string file,
                               ports::Action done) {
  impl_->receive_snapshot(from, std::move(announcement), std::move(file), std::move(done));
}
void Replica::stop(ports::Action done) { impl_->stop(std::move(done)); }
Replica::Progress Replica::progress() const { return impl_->progress(); }
const core::State& Replica::state() const { return impl_->state(); }

}  // namespace pawl::engine
