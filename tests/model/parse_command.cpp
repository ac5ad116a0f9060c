// SPDX-License-Identifier: Apache-2.0
#include "model/parse_command.h"

#include <charconv>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/print.h"

namespace pawl::testing {
namespace {

// Cuts at `separator`, but not inside quotes or brackets.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  int depth = 0;
  bool in_quotes = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') in_quotes = !in_quotes;
    if (in_quotes) continue;
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (c == separator && depth == 0) {
      if (i > begin) parts.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  if (begin < text.size()) parts.push_back(text.substr(begin));
  return parts;
}

template <class T>
T number(std::string_view text, int base = 10) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw ParseError("not a number: " + std::string(text));
  }
  return value;
}

std::string unquoted(std::string_view text) {
  if (text.size() < 2 || text.front() != '"') return std::string(text);
  text = text.substr(1, text.size() - 2);
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && text[i + 1] == 'x') {
      result += static_cast<char>(number<unsigned char>(text.substr(i + 2, 2), 16));
      i += 3;
    } else {
      result += text[i];
    }
  }
  return result;
}

core::Duration duration(std::string_view text) {
  if (text == "unlimited" || text == "never") return core::kUnlimited;
  if (text.empty() || text.back() != 's') throw ParseError("not a duration: " + std::string(text));
  text.remove_suffix(1);
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const std::size_t point = text.find('.');
  std::string digits(text.substr(0, point));
  std::string fraction(point == std::string_view::npos ? "" : text.substr(point + 1));
  if (fraction.size() > 6) throw ParseError("finer than a microsecond: " + std::string(text));
  fraction.resize(6, '0');
  return core::Duration(number<std::int64_t>((negative ? "-" : "") + digits + fraction));
}

// The words of one line, taken from the front; what is left at the end are the `name=value` fields.
class Words {
 public:
  explicit Words(std::string_view line) : words_(split(line, ' ')) {}

  std::string_view next() {
    if (at_ == words_.size()) throw ParseError("the line ends too early");
    return words_[at_++];
  }
  void expect(std::string_view word) {
    if (next() != word) throw ParseError("expected " + std::string(word));
  }
  template <class NameType>
  void name(core::Namespace& space, NameType& name) {
    const auto parts = split(next(), '/');
    if (parts.size() != 2) throw ParseError("expected namespace/name");
    space = core::Namespace(unquoted(parts[0]));
    name = NameType(unquoted(parts[1]));
  }
  template <class Enum>
  Enum one_of(std::initializer_list<Enum> values) {
    const std::string_view word = next();
    for (const Enum value : values) {
      if (to_text(value) == word) return value;
    }
    throw ParseError("unknown word: " + std::string(word));
  }
  // Takes the field wherever it stands.
  std::optional<std::string_view> field(std::string_view name) {
    for (std::size_t i = at_; i < words_.size(); ++i) {
      const std::string_view word = words_[i];
      if (word.size() <= name.size() || !word.starts_with(name) || word[name.size()] != '=')
        continue;
      words_.erase(words_.begin() + static_cast<std::ptrdiff_t>(i));
      return word.substr(name.size() + 1);
    }
    return std::nullopt;
  }
  bool flag(std::string_view name) {
    for (std::size_t i = at_; i < words_.size(); ++i) {
      if (words_[i] != name) continue;
      words_.erase(words_.begin() + static_cast<std::ptrdiff_t>(i));
      return true;
    }
    return false;
  }
  void take(std::string_view name, core::Duration& into) {
    if (const auto text = field(name)) into = duration(*text);
  }
  template <class T>
    requires std::is_integral_v<T>
  void take(std::string_view name, T& into) {
    if (const auto text = field(name)) into = number<T>(*text);
  }
  void take(std::string_view name, core::FencingToken& into) {
    if (const auto text = field(name)) into = core::FencingToken{number<std::uint64_t>(*text)};
  }
  void take(core::Ticket& into) {
    take("attempt", into.attempt);
    take("door", into.door);
  }
  void done() const {
    if (at_ != words_.size()) throw ParseError("unexpected: " + std::string(words_[at_]));
  }

 private:
  std::vector<std::string_view> words_;
  std::size_t at_ = 0;
};

std::string_view inside(std::string_view text, char open, char close) {
  if (text.size() < 2 || text.front() != open || text.back() != close) {
    throw ParseError("expected brackets: " + std::string(text));
  }
  return text.substr(1, text.size() - 2);
}

core::Terms terms(Words& words) {
  core::Terms terms;
  words.expect("by");
  terms.owner = core::OwnerId(unquoted(words.next()));
  terms.mode = words.one_of({core::Mode::exclusive, core::Mode::shared, core::Mode::permit});
  if (const auto permits = words.field("permits")) {
    const auto parts = split(*permits, '/');
    if (parts.size() != 2) throw ParseError("expected permits=count/limit");
    terms.permits.count = number<std::uint32_t>(parts[0]);
    terms.permits.limit = number<std::uint32_t>(parts[1]);
  }
  for (const std::string_view name : split(inside(words.next(), '[', ']'), ',')) {
    terms.resources.push_back(core::ResourceName(unquoted(name)));
  }
  words.take("ttl", terms.ttl);
  words.take("max_hold", terms.max_hold);
  words.take("min_hold", terms.min_hold);
  words.take("lock_delay", terms.lock_delay);
  return terms;
}

core::Acquire acquire(Words& words) {
  core::Acquire command;
  words.name(command.space, command.id);
  command.terms = terms(words);
  words.take("wait", command.wait);
  words.take(command.ticket);
  if (const auto metadata = words.field("metadata")) {
    for (const std::string_view pair : split(inside(*metadata, '{', '}'), ',')) {
      const auto parts = split(pair, ':');
      if (parts.size() != 2) throw ParseError("expected key:value");
      command.metadata.emplace_back(unquoted(parts[0]), unquoted(parts[1]));
    }
  }
  command.submitted_once = words.flag("once");
  return command;
}

core::Upgrade upgrade(Words& words) {
  core::Upgrade command;
  words.name(command.space, command.id);
  words.take("token", command.known);
  words.take("wait", command.wait);
  words.take(command.ticket);
  return command;
}

core::CancelWait cancel(Words& words) {
  core::CancelWait command;
  words.name(command.space, command.id);
  command.kind = words.one_of({core::WaitKind::acquire, core::WaitKind::upgrade});
  command.reason = words.one_of({core::CancelReason::timeout, core::CancelReason::gone});
  words.take(command.ticket);
  return command;
}

core::ForceRelease force_release(Words& words) {
  core::ForceRelease command;
  words.name(command.space, command.resource);
  words.expect("by");
  command.actor = core::ActorId(unquoted(words.next()));
  command.when = words.one_of({core::ForceWhen::now, core::ForceWhen::at_deadline});
  if (const auto reason = words.field("reason")) command.reason = unquoted(*reason);
  if (const auto lease = words.field("only_lease"))
    command.only_lease = core::LeaseId(unquoted(*lease));
  if (const auto token = words.field("only_token")) {
    command.only_token = core::FencingToken{number<std::uint64_t>(*token)};
  }
  words.take("wall_ms", command.wall_ms);
  return command;
}

core::SetLimits set_limits(Words& words) {
  core::SetLimits command;
  core::Limits& limits = command.limits;
  words.take("max_resource_bytes", limits.max_resource_bytes);
  words.take("max_owner_bytes", limits.max_owner_bytes);
  words.take("max_reason_bytes", limits.max_reason_bytes);
  words.take("max_metadata_pairs", limits.max_metadata_pairs);
  words.take("max_metadata_bytes", limits.max_metadata_bytes);
  words.take("max_resources", limits.max_resources);
  words.take("max_permits", limits.max_permits);
  words.take("min_ttl", limits.min_ttl);
  words.take("max_ttl", limits.max_ttl);
  words.take("max_wait", limits.max_wait);
  words.take("max_closed", limits.max_closed);
  words.take("max_waiters", limits.max_waiters);
  words.take("max_leases", limits.max_leases);
  words.take("max_records", limits.max_records);
  words.take("max_audit", limits.max_audit);
  words.take("retention", limits.retention);
  words.take("rule_version", command.rule_version);
  return command;
}

core::CommandBody body(Words& words) {
  const std::string_view verb = words.next();
  if (verb == "acquire") return acquire(words);
  if (verb == "upgrade") return upgrade(words);
  if (verb == "cancel") return cancel(words);
  if (verb == "force_release") return force_release(words);
  if (verb == "set_limits") return set_limits(words);
  if (verb == "advance") return core::Advance{};
  if (verb == "takeover") return core::Takeover{};
  if (verb == "renew") {
    core::Renew command;
    words.name(command.space, command.id);
    words.take("ttl", command.ttl);
    return command;
  }
  if (verb == "release") {
    core::Release command;
    words.name(command.space, command.id);
    return command;
  }
  if (verb == "downgrade") {
    core::Downgrade command;
    words.name(command.space, command.id);
    words.take("token", command.known);
    return command;
  }
  throw ParseError("unknown command: " + std::string(verb));
}

}  // namespace

core::Command parse_command(std::string_view line) {
  Words words(line);
  const std::string_view at = words.next();
  if (!at.starts_with('@')) throw ParseError("a command begins with @time");
  core::Command command;
  command.at = core::Time(duration(at.substr(1)));
  command.body = body(words);
  words.done();
  return command;
}

}  // namespace pawl::testing
