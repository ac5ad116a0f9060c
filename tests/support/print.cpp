// SPDX-License-Identifier: Apache-2.0
#include "support/print.h"

#include <algorithm>
#include <cstdio>
#include <type_traits>
#include <variant>

namespace pawl::testing {
namespace {

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '-';
}

// Appends words, each after one space; fields that have their default are left out.
class Line {
 public:
  explicit Line(std::string_view first) : text_(first) {}

  Line& word(std::string_view word) {
    text_ += ' ';
    text_ += word;
    return *this;
  }
  Line& field(std::string_view name, std::string_view value) {
    word(name);
    text_ += '=';
    text_ += value;
    return *this;
  }
  Line& flag(std::string_view name, bool set) { return set ? word(name) : *this; }
  Line& duration(std::string_view name, core::Duration value) {
    return value == core::Duration{} ? *this : field(name, to_text(value));
  }
  Line& time(std::string_view name, core::Time value) {
    return value == core::Time{} ? *this : field(name, to_text(value));
  }
  Line& text(std::string_view name, std::string_view value) {
    return value.empty() ? *this : field(name, in_quotes(value));
  }
  template <class T>
  Line& number(std::string_view name, T value, T usual = T{}) {
    if (value == usual) return *this;
    if constexpr (std::is_enum_v<T>) {
      return field(name, std::to_string(static_cast<std::uint64_t>(value)));
    } else {
      return field(name, std::to_string(value));
    }
  }
  Line& ticket(core::Ticket ticket) {
    return number("attempt", ticket.attempt, 1U).number("door", ticket.door, 0U);
  }
  Line& name(const core::Namespace& space, std::string_view name) {
    return word(in_quotes(space.view()) + "/" + in_quotes(name));
  }
  Line& metadata(const core::Metadata& metadata);
  Line& terms(const core::Terms& terms);
  Line& lease(const core::LeaseInfo& lease);
  Line& holder(const core::Holder& holder);
  Line& limits(const core::Limits& limits);

  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

Line& Line::metadata(const core::Metadata& metadata) {
  if (metadata.empty()) return *this;
  std::string all;
  for (const auto& [key, value] : metadata) {
    if (!all.empty()) all += ',';
    all += in_quotes(key) + ":" + in_quotes(value);
  }
  return field("metadata", "{" + all + "}");
}

Line& Line::terms(const core::Terms& terms) {
  word("by").word(in_quotes(terms.owner.view())).word(to_text(terms.mode));
  if (terms.permits != core::Permits{}) {
    field("permits",
          std::to_string(terms.permits.count) + "/" + std::to_string(terms.permits.limit));
  }
  std::string names;
  for (const core::ResourceName& name : terms.resources) {
    if (!names.empty()) names += ',';
    names += in_quotes(name.view());
  }
  return word("[" + names + "]")
      .duration("ttl", terms.ttl)
      .duration("max_hold", terms.max_hold)
      .duration("min_hold", terms.min_hold)
      .duration("lock_delay", terms.lock_delay);
}

Line& Line::lease(const core::LeaseInfo& lease) {
  name(lease.space, lease.id.view()).terms(lease.terms);
  if (lease.mode != lease.terms.mode) field("now", to_text(lease.mode));
  return number("token", lease.token)
      .time("granted", lease.granted_at)
      .time("renewed", lease.renewed_at)
      .time("deadline", lease.deadline)
      .metadata(lease.metadata);
}

Line& Line::holder(const core::Holder& holder) {
  Line inner(in_quotes(holder.id.view()));
  inner.word("by").word(in_quotes(holder.owner.view())).word(to_text(holder.mode));
  inner.number("permits", holder.permits)
      .number("token", holder.token)
      .time("granted", holder.granted_at)
      .time("deadline", holder.deadline);
  return word("(" + inner.take() + ")");
}

Line& Line::limits(const core::Limits& limits) {
  const core::Limits usual;
  const auto changed = [&](std::string_view name, core::Duration value, core::Duration was) {
    if (value != was) field(name, to_text(value));
  };
  number("max_resource_bytes", limits.max_resource_bytes, usual.max_resource_bytes);
  number("max_owner_bytes", limits.max_owner_bytes, usual.max_owner_bytes);
  number("max_reason_bytes", limits.max_reason_bytes, usual.max_reason_bytes);
  number("max_metadata_pairs", limits.max_metadata_pairs, usual.max_metadata_pairs);
  number("max_metadata_bytes", limits.max_metadata_bytes, usual.max_metadata_bytes);
  number("max_resources", limits.max_resources, usual.max_resources);
  number("max_permits", limits.max_permits, usual.max_permits);
  changed("min_ttl", limits.min_ttl, usual.min_ttl);
  changed("max_ttl", limits.max_ttl, usual.max_ttl);
  changed("max_wait", limits.max_wait, usual.max_wait);
  changed("max_closed", limits.max_closed, usual.max_closed);
  number("max_waiters", limits.max_waiters, usual.max_waiters);
  number("max_leases", limits.max_leases, usual.max_leases);
  number("max_records", limits.max_records, usual.max_records);
  number("max_audit", limits.max_audit, usual.max_audit);
  changed("retention", limits.retention, usual.retention);
  return *this;
}

std::string microseconds(std::int64_t count) {
  const bool negative = count < 0;
  // Through unsigned, so that the most negative number has its magnitude too.
  const std::uint64_t size =
      negative ? ~static_cast<std::uint64_t>(count) + 1 : static_cast<std::uint64_t>(count);
  std::string text = (negative ? "-" : "") + std::to_string(size / 1'000'000);
  if (const std::uint64_t fraction = size % 1'000'000; fraction != 0) {
    std::string digits = std::to_string(1'000'000 + fraction).substr(1);
    digits.erase(digits.find_last_not_of('0') + 1);
    text += "." + digits;
  }
  return text + "s";
}

std::string body(const core::Acquire& c) {
  return Line("acquire")
      .name(c.space, c.id.view())
      .terms(c.terms)
      .duration("wait", c.wait)
      .ticket(c.ticket)
      .metadata(c.metadata)
      .flag("once", c.submitted_once)
      .take();
}
std::string body(const core::Renew& c) {
  return Line("renew").name(c.space, c.id.view()).duration("ttl", c.ttl).take();
}
std::string body(const core::Release& c) {
  return Line("release").name(c.space, c.id.view()).take();
}
std::string body(const core::Upgrade& c) {
  return Line("upgrade")
      .name(c.space, c.id.view())
      .number("token", c.known)
      .duration("wait", c.wait)
      .ticket(c.ticket)
      .take();
}
std::string body(const core::Downgrade& c) {
  return Line("downgrade").name(c.space, c.id.view()).number("token", c.known).take();
}
std::string body(const core::CancelWait& c) {
  return Line("cancel")
      .name(c.space, c.id.view())
      .word(to_text(c.kind))
      .word(to_text(c.reason))
      .ticket(c.ticket)
      .take();
}
std::string body(const core::ForceRelease& c) {
  Line line("force_release");
  line.name(c.space, c.resource.view())
      .word("by")
      .word(in_quotes(c.actor.view()))
      .word(to_text(c.when));
  line.text("reason", c.reason);
  if (c.only_lease) line.field("only_lease", in_quotes(c.only_lease->view()));
  if (c.only_token)
    line.field("only_token", std::to_string(static_cast<std::uint64_t>(*c.only_token)));
  return line.number("wall_ms", c.wall_ms).take();
}
std::string body(const core::Advance&) { return "advance"; }
std::string body(const core::Takeover&) { return "takeover"; }
std::string body(const core::SetLimits& c) {
  return Line("set_limits")
      .limits(c.limits)
      .number("rule_version", c.rule_version, core::kRuleVersion)
      .take();
}

std::string body(const core::Granted& e) {
  return Line("granted")
      .lease(e.lease)
      .ticket(e.ticket)
      .duration("valid_for", e.valid_for)
      .flag("after_wait", e.after_wait)
      .duration("waited", e.waited)
      .flag("repeated", e.repeated)
      .take();
}
std::string body(const core::Queued& e) {
  return Line("queued")
      .lease(e.lease)
      .ticket(e.ticket)
      .number("waiters", e.waiters)
      .flag("repeated", e.repeated)
      .take();
}
std::string body(const core::Busy& e) {
  Line line("busy");
  line.name(e.space, e.id.view()).word("by").word(in_quotes(e.owner.view())).word(to_text(e.kind));
  line.word(to_text(e.mode))
      .ticket(e.ticket)
      .word(to_text(e.reason))
      .field("on", in_quotes(e.resource.view()));
  line.number("holder_count", e.holder_count);
  for (const core::Holder& holder : e.holders) line.holder(holder);
  return line.number("waiters", e.waiters).duration("retry_after", e.retry_after).take();
}
std::string body(const core::Refused& e) {
  return Line("refused")
      .name(e.space, e.id.view())
      .ticket(e.ticket)
      .word(to_text(e.code))
      .text("field", e.field)
      .text("why", e.why)
      .take();
}
std::string body(const core::Superseded& e) {
  return Line("superseded")
      .name(e.space, e.id.view())
      .word(to_text(e.kind))
      .ticket(e.ticket)
      .take();
}
std::string body(const core::Renewed& e) {
  return Line("renewed").lease(e.lease).duration("valid_for", e.valid_for).take();
}
std::string body(const core::RenewalRefused& e) {
  return Line("renewal_refused")
      .lease(e.lease)
      .duration("valid_for", e.valid_for)
      .number("audit", e.audit)
      .text("actor", e.actor.view())
      .text("reason", e.reason)
      .take();
}
std::string body(const core::Ended& e) {
  Line line("ended");
  line.lease(e.lease).field("cause", to_text(e.cause)).word(e.held ? "held" : "waiting");
  line.ticket(e.ticket);
  if (e.waiting_upgrade) {
    line.field("waiting_upgrade", std::to_string(e.waiting_upgrade->attempt) + "/" +
                                      std::to_string(e.waiting_upgrade->door));
  }
  return line.duration("lasted", e.lasted)
      .time("closed_until", e.closed_until)
      .number("audit", e.audit)
      .text("actor", e.actor.view())
      .text("reason", e.reason)
      .take();
}
std::string body(const core::AlreadyEnded& e) {
  return Line("already_ended")
      .name(e.space, e.id.view())
      .ticket(e.ticket)
      .field("cause", to_text(e.cause))
      .number("token", e.token)
      .time("ended", e.ended_at)
      .number("audit", e.audit)
      .text("actor", e.actor.view())
      .text("reason", e.reason)
      .take();
}
std::string body(const core::Upgraded& e) {
  return Line("upgraded")
      .lease(e.lease)
      .ticket(e.ticket)
      .number("old_token", e.old_token)
      .duration("valid_for", e.valid_for)
      .flag("after_wait", e.after_wait)
      .duration("waited", e.waited)
      .take();
}
std::string body(const core::UpgradeQueued& e) {
  return Line("upgrade_queued").lease(e.lease).ticket(e.ticket).flag("repeated", e.repeated).take();
}
std::string body(const core::UpgradeWithdrawn& e) {
  return Line("upgrade_withdrawn")
      .lease(e.lease)
      .ticket(e.ticket)
      .field("cause", to_text(e.cause))
      .take();
}
std::string body(const core::Downgraded& e) {
  return Line("downgraded").lease(e.lease).duration("valid_for", e.valid_for).take();
}
std::string body(const core::Present& e) {
  return Line("present").lease(e.lease).ticket(e.ticket).duration("valid_for", e.valid_for).take();
}
std::string body(const core::Detached& e) {
  return Line("detached").lease(e.lease).ticket(e.ticket).take();
}
std::string body(const core::ForceReleased& e) {
  const core::AuditRecord& r = e.record;
  Line line("force_released");
  line.name(r.space, r.resource.view())
      .number("audit", r.id)
      .word("by")
      .word(in_quotes(r.actor.view()));
  line.word(to_text(r.when)).text("reason", r.reason).number("holder_count", r.holder_count);
  for (const core::Holder& holder : r.holders) line.holder(holder);
  return line.time("at", r.at).number("wall_ms", r.wall_ms).take();
}
std::string body(const core::Advanced&) { return "advanced"; }
std::string body(const core::TakenOver& e) {
  return Line("taken_over").number("detached", e.detached).take();
}
std::string body(const core::LimitsSet& e) {
  return Line("limits_set")
      .limits(e.limits)
      .number("rule_version", e.rule_version, core::kRuleVersion)
      .take();
}

}  // namespace

std::string to_text(const core::Command& command) {
  return "@" + to_text(command.at) + " " +
         std::visit([](const auto& alternative) { return body(alternative); }, command.body);
}

std::string to_text(const core::Effect& effect) {
  return std::visit([](const auto& alternative) { return body(alternative); }, effect);
}

std::string to_text(const core::Effects& effects) {
  std::string text = "now=" + to_text(effects.now);
  for (std::size_t i = 0; i < effects.all.size(); ++i) {
    text += i == effects.reply_index ? "; * " : "; ";
    text += to_text(effects.all[i]);
  }
  if (effects.reply_index >= effects.all.size())
    text += "; reply=" + std::to_string(effects.reply_index);
  return text;
}

std::string to_lines(const core::Effects& effects, std::string_view indent) {
  std::string text;
  for (std::size_t i = 0; i < effects.all.size(); ++i) {
    text += indent;
    text += i == effects.reply_index ? "* " : "- ";
    text += to_text(effects.all[i]) + "\n";
  }
  return text;
}

std::string to_text(core::Duration duration) {
  return duration == core::kUnlimited ? "unlimited" : microseconds(duration.count());
}

std::string to_text(core::Time time) {
  return time == core::kNever ? "never" : microseconds(time.time_since_epoch().count());
}

std::string in_quotes(std::string_view text) {
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain)) return std::string(text);
  std::string result = "\"";
  for (const char c : text) {
    if (c >= ' ' && c <= '~' && c != '"' && c != '\\') {
      result += c;
    } else {
      char hex[5];
      std::snprintf(hex, sizeof hex, "\\x%02x",
                    static_cast<unsigned>(static_cast<unsigned char>(c)));
      result += hex;
    }
  }
  return result + "\"";
}

std::string_view to_text(core::Mode mode) {
  switch (mode) {
    case core::Mode::exclusive:
      return "exclusive";
    case core::Mode::shared:
      return "shared";
    case core::Mode::permit:
      return "permit";
  }
  return "mode?";
}

std::string_view to_text(core::EndCause cause) {
  switch (cause) {
    case core::EndCause::released:
      return "released";
    case core::EndCause::expired:
      return "expired";
    case core::EndCause::max_hold_reached:
      return "max_hold_reached";
    case core::EndCause::force_released:
      return "force_released";
    case core::EndCause::abandoned:
      return "abandoned";
    case core::EndCause::timed_out:
      return "timed_out";
    case core::EndCause::busy:
      return "busy";
    case core::EndCause::refused:
      return "refused";
    case core::EndCause::never_acquired:
      return "never_acquired";
  }
  return "cause?";
}

std::string_view to_text(core::RefusalCode code) {
  switch (code) {
    case core::RefusalCode::invalid:
      return "invalid";
    case core::RefusalCode::lease_id_conflict:
      return "lease_id_conflict";
    case core::RefusalCode::lease_id_stale:
      return "lease_id_stale";
    case core::RefusalCode::lease_not_found:
      return "lease_not_found";
    case core::RefusalCode::lease_not_held:
      return "lease_not_held";
    case core::RefusalCode::superseded:
      return "superseded";
    case core::RefusalCode::mode_mismatch:
      return "mode_mismatch";
    case core::RefusalCode::permit_limit_mismatch:
      return "permit_limit_mismatch";
    case core::RefusalCode::upgrade_conflict:
      return "upgrade_conflict";
    case core::RefusalCode::overloaded:
      return "overloaded";
    case core::RefusalCode::not_held:
      return "not_held";
    case core::RefusalCode::not_holder:
      return "not_holder";
    case core::RefusalCode::no_deadline:
      return "no_deadline";
    case core::RefusalCode::rule_version_unsupported:
      return "rule_version_unsupported";
  }
  return "code?";
}

std::string_view to_text(core::WaitKind kind) {
  return kind == core::WaitKind::acquire ? "acquire" : "upgrade";
}

std::string_view to_text(core::CancelReason reason) {
  return reason == core::CancelReason::timeout ? "timeout" : "gone";
}

std::string_view to_text(core::ForceWhen when) {
  return when == core::ForceWhen::now ? "now" : "at_deadline";
}

std::string_view to_text(core::BusyReason reason) {
  return reason == core::BusyReason::held ? "held" : "delayed";
}

}  // namespace pawl::testing
