// SPDX-License-Identifier: Apache-2.0
#include "service/renewal_failures.h"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include "service/problem.h"

namespace pawl::service {
namespace {

constexpr std::size_t kLossesPerFailure = 10;
constexpr std::size_t kBytesPerFailure = 4096;

struct Loss {
  core::Namespace space;
  core::LeaseId id;
  std::vector<core::ResourceName> resources;
  core::OwnerId owner;
  core::Mode mode = core::Mode::exclusive;
  core::Duration ttl{0};
};

template <class Record>
std::size_t bytes_of(const Record& record) {
  std::size_t bytes = sizeof record + record.space.view().size() + record.id.view().size() +
                      record.owner.view().size();
  for (const core::ResourceName& name : record.resources) bytes += sizeof name + name.view().size();
  return bytes;
}

// The last so many records in so many bytes, oldest first.
template <class Record>
class Recent {
 public:
  Recent(std::size_t max, std::size_t max_bytes) : max_(max), max_bytes_(max_bytes) {}

  template <class OnForget>
  void add(Record record, OnForget forget) {
    bytes_ += bytes_of(record);
    records_.push_back(std::move(record));
    while (!records_.empty() && (records_.size() > max_ || bytes_ > max_bytes_)) {
      forget(records_.front(), first_);
      bytes_ -= bytes_of(records_.front());
      records_.pop_front();
      ++first_;
    }
  }
  std::uint64_t end() const { return first_ + records_.size(); }
  const Record& at(std::uint64_t number) const { return records_[number - first_]; }
  const std::deque<Record>& all() const { return records_; }

 private:
  std::size_t max_;
  std::size_t max_bytes_;
  std::size_t bytes_ = 0;
  std::uint64_t first_ = 0;
  std::deque<Record> records_;
};

void describe(RenewalFailure& failure, const core::LeaseInfo& lease) {
  failure.resources = lease.terms.resources;
  failure.owner = lease.terms.owner;
  failure.token = lease.token;
  failure.mode = lease.mode;
  failure.ttl = lease.terms.ttl;
}

ProblemCode code_of(core::RefusalCode code) {
  if (code == core::RefusalCode::lease_not_found) return ProblemCode::lease_not_found;
  if (code == core::RefusalCode::lease_not_held) return ProblemCode::lease_not_held;
  return ProblemCode::invalid;
}

bool passes(const RenewalFailure& failure, const RenewalFailures::Filter& filter) {
  if (filter.space && *filter.space != failure.space) return false;
  if (filter.owner && *filter.owner != failure.owner) return false;
  if (filter.prefix.empty()) return true;
  return std::any_of(
      failure.resources.begin(), failure.resources.end(),
      [&](const core::ResourceName& name) { return name.view().starts_with(filter.prefix); });
}

}  // namespace

class RenewalFailures::Impl {
 public:
  explicit Impl(std::size_t max)
      : losses_(max * kLossesPerFailure, max * kBytesPerFailure),
        failures_(max, max * kBytesPerFailure) {}

  void lost(const core::LeaseInfo& lease) {
    const std::uint64_t number = losses_.end();
    loss_by_id_[{lease.space, lease.id}] = number;
    losses_.add({lease.space, lease.id, lease.terms.resources, lease.terms.owner, lease.mode,
                 lease.terms.ttl},
                [this](const Loss& loss, std::uint64_t forgotten) {
                  const auto at = loss_by_id_.find({loss.space, loss.id});
                  if (at != loss_by_id_.end() && at->second == forgotten) loss_by_id_.erase(at);
                });
  }

  const Loss* find(const core::Namespace& space, const core::LeaseId& id) const {
    const auto at = loss_by_id_.find({space, id});
    return at == loss_by_id_.end() ? nullptr : &losses_.at(at->second);
  }

  const RenewalFailure& keep(RenewalFailure failure) {
    newest_ = failure;
    failures_.add(std::move(failure), [](const RenewalFailure&, std::uint64_t) {});
    return newest_;
  }

  const std::deque<RenewalFailure>& failures() const { return failures_.all(); }

 private:
  Recent<Loss> losses_;
  std::map<std::pair<core::Namespace, core::LeaseId>, std::uint64_t> loss_by_id_;
  Recent<RenewalFailure> failures_;
  RenewalFailure newest_;  // there, even if none may be kept
};

RenewalFailures::RenewalFailures(std::size_t max) : impl_(std::make_unique<Impl>(max)) {}
RenewalFailures::~RenewalFailures() = default;

void RenewalFailures::ended(const core::Ended& end) {
  if (end.held && end.cause != core::EndCause::released) impl_->lost(end.lease);
}

const RenewalFailure* RenewalFailures::renewed(const core::Renew& command,
                                               const core::Effect& answer, core::Time now,
                                               ports::WallTime wall) {
  RenewalFailure failure;
  failure.space = command.space;
  failure.id = command.id;
  failure.at = wall;
  if (const auto* over = std::get_if<core::AlreadyEnded>(&answer)) {
    failure.code = to_text(ProblemCode::lease_lost);
    failure.cause = over->cause;
    failure.late = now - over->ended_at;
    if (const Loss* loss = impl_->find(command.space, command.id)) {
      failure.resources = loss->resources;
      failure.owner = loss->owner;
      failure.mode = loss->mode;
      failure.ttl = loss->ttl;
    }
    failure.token = over->token;
  } else if (const auto* doomed = std::get_if<core::RenewalRefused>(&answer)) {
    failure.code = to_text(ProblemCode::renewal_refused);
    describe(failure, doomed->lease);
  } else if (const auto* refused = std::get_if<core::Refused>(&answer)) {
    failure.code = to_text(code_of(refused->code));
  } else {
    return nullptr;
  }
  return &impl_->keep(std::move(failure));
}

std::vector<RenewalFailure> RenewalFailures::recent(const Filter& filter, std::size_t limit) const {
  std::vector<RenewalFailure> found;
  const auto& all = impl_->failures();
  for (auto at = all.rbegin(); at != all.rend() && found.size() < limit; ++at) {
    if (passes(*at, filter)) found.push_back(*at);
  }
  return found;
}

}  // namespace pawl::service
