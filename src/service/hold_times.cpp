// SPDX-License-Identifier: Apache-2.0
#include "service/hold_times.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <list>
#include <random>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/containers/hashing.h"

namespace pawl::service {
namespace {

constexpr std::size_t kHolds = 128;

struct Key {
  std::string_view space;
  std::string_view resource;
  friend bool operator==(const Key&, const Key&) = default;
};

// Clients choose the names; nobody may aim at one chain.
struct KeyHash {
  core::SipKey key;
  std::size_t operator()(const Key& of) const {
    return core::sip13(key, of.resource) ^ std::hash<std::string_view>{}(of.space);
  }
};

core::SipKey random_key() {
  std::random_device random;
  const auto number = [&] { return (std::uint64_t{random()} << 32) | random(); };
  return {number(), number()};
}

// The last holds of one resource, in seconds: a float is exact to a microsecond up to 16 s and to
// a ten-millionth beyond.
struct Holds {
  core::Namespace space;
  core::ResourceName resource;
  std::vector<float> seconds;
  std::size_t next = 0;

  Key key() const { return {space.view(), resource.view()}; }

  void add(core::Duration lasted) {
    const float value = std::chrono::duration<float>(lasted).count();
    if (seconds.size() < kHolds) {
      if (seconds.size() == seconds.capacity()) {
        seconds.reserve(std::min(kHolds, 2 * seconds.size() + 2));
      }
      seconds.push_back(value);
    } else {
      seconds[next] = value;
      next = (next + 1) % kHolds;
    }
  }
};

// Nearest rank: the smallest value that `percent` of all do not exceed.
core::Duration percentile(std::vector<float>& values, std::size_t percent) {
  const std::size_t rank = (values.size() * percent + 99) / 100;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(rank - 1);
  std::nth_element(values.begin(), at, values.end());
  return core::Duration(std::llround(static_cast<double>(*at) * 1e6));
}

}  // namespace

class HoldTimes::Impl {
 public:
  explicit Impl(std::size_t max_resources) : max_(max_resources), index_(0, {random_key()}) {}

  void add(const core::Namespace& space, const core::ResourceName& name, core::Duration lasted) {
    if (max_ == 0) return;
    const auto found = index_.find({space.view(), name.view()});
    if (found != index_.end()) {
      by_use_.splice(by_use_.begin(), by_use_, found->second);
    } else {
      if (by_use_.size() == max_) {
        index_.erase(by_use_.back().key());
        by_use_.pop_back();
      }
      by_use_.push_front({space, name, {}, 0});
      index_.emplace(by_use_.front().key(), by_use_.begin());
    }
    by_use_.front().add(lasted);
  }

  const Holds* find(const core::Namespace& space, const core::ResourceName& name) const {
    const auto found = index_.find({space.view(), name.view()});
    return found == index_.end() ? nullptr : &*found->second;
  }

 private:
  std::size_t max_;
  std::list<Holds> by_use_;  // the last one let go is first
  std::unordered_map<Key, std::list<Holds>::iterator, KeyHash> index_;  // keys point into the list
};

HoldTimes::HoldTimes(std::size_t max_resources) : impl_(std::make_unique<Impl>(max_resources)) {}
HoldTimes::~HoldTimes() = default;

void HoldTimes::ended(const core::Ended& end) {
  if (!end.held) return;
  for (const core::ResourceName& name : end.lease.terms.resources) {
    impl_->add(end.lease.space, name, end.lasted);
  }
}

std::optional<HoldTimes::Usual> HoldTimes::usual(const core::Namespace& space,
                                                 const core::ResourceName& name) const {
  const Holds* holds = impl_->find(space, name);
  if (holds == nullptr) return {};
  std::vector<float> values = holds->seconds;
  return Usual{percentile(values, 50), percentile(values, 99), values.size()};
}

}  // namespace pawl::service
