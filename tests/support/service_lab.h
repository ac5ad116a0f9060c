// SPDX-License-Identifier: Apache-2.0
// A service over the real core, in virtual time, for tests of it and of what stands on it. One
// thread.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "service/metrics.h"
#include "service/service.h"
#include "support/manual_loop.h"
#include "support/memory_store.h"

namespace pawl::testing {

class CountingRandom final : public ports::Random, public ports::Secrets {
 public:
  std::uint64_t next() override { return value_ += 0x9e3779b97f4a7c15; }
  void fill(std::span<std::byte> out) override {
    for (std::byte& byte : out) byte = static_cast<std::byte>(next() >> 56);
  }

 private:
  std::uint64_t value_ = 0;
};

class QuietObserver final : public ports::Observer {
 public:
  using ports::Observer::event;
  void event(ports::Severity, std::string_view, std::span<const ports::Field>) override {}
};

class ServiceLab {
 public:
  using Prepare = std::function<void(MemoryStore&)>;
  using Call = int;

  // `prepare` sees the store before the service does.
  explicit ServiceLab(const service::ServiceOptions& with = {}, const Prepare& prepare = {})
      : options(with), store(loop.clock), service(world(prepare), options) {}

  Call call(core::CommandBody body) {
    const Call number = ++last_;
    service.call(std::move(body), [this, number](const service::Outcome& outcome) {
      if (const auto* problem = std::get_if<service::Problem>(&outcome)) {
        problems_[number] = *problem;
      } else {
        const auto& happened = std::get<service::Happened>(outcome);
        effects_[number] = happened.effect;
        receipts_[number] = happened.receipt;
      }
    });
    return number;
  }
  bool answered(Call call) const { return effects_.contains(call) || problems_.contains(call); }
  template <class E>
  std::optional<E> happened(Call call) const {
    const auto at = effects_.find(call);
    if (at == effects_.end()) return {};
    const E* effect = std::get_if<E>(&at->second);
    return effect == nullptr ? std::nullopt : std::optional<E>(*effect);
  }
  std::optional<service::Problem> problem(Call call) const {
    const auto at = problems_.find(call);
    if (at == problems_.end()) return {};
    return at->second;
  }
  std::optional<service::Receipt> receipt(Call call) const {
    const auto at = receipts_.find(call);
    if (at == receipts_.end()) return {};
    return at->second;
  }

  service::ServiceOptions options;
  ManualLoop loop;
  CountingRandom random;
  QuietObserver observer;
  service::Metrics metrics{100};
  MemoryStore store;
  service::Service service;

 private:
  service::World world(const Prepare& prepare) {
    if (prepare) prepare(store);
    return {store, loop, loop.clock, loop.wall, random, random, observer, metrics};
  }

  Call last_ = 0;
  std::map<Call, core::Effect> effects_;
  std::map<Call, service::Problem> problems_;
  std::map<Call, std::optional<service::Receipt>> receipts_;
};

}  // namespace pawl::testing
