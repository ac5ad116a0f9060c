// SPDX-License-Identifier: Apache-2.0
#include "engine_node.h"

#include <boost/asio/post.hpp>
#include <cstdio>

#include "scratch.h"
#include "workload.h"

namespace pawl::bench {
namespace {

constexpr auto kPatience = 120s;  // for one run of the loop

std::string to_text(const ports::Field& field) {
  struct Text {
    std::string operator()(std::string_view text) const { return std::string(text); }
    std::string operator()(std::int64_t number) const { return std::to_string(number); }
    std::string operator()(double number) const { return std::to_string(number); }
  };
  return std::string(field.name) + "=" + std::visit(Text{}, field.value);
}

void put_hex(std::string& text, std::size_t at, std::size_t digits, std::uint64_t number) {
  for (std::size_t i = digits; i-- > 0; number >>= 4)
    text[at + i] = "0123456789abcdef"[number & 15];
}

Acquire request_for(long number, Duration ttl) {
  return std::get<Acquire>(acquire(Time{}, number, number, ttl).body);
}

}  // namespace

LeaseId next_lease_id(Time now) {
  static std::uint64_t last = 0;
  std::string id(47, '0');
  id.replace(0, 3, "p1_");
  put_hex(id, 3, 11, static_cast<std::uint64_t>(to_ms(now)));
  id[14] = '_';
  put_hex(id, 31, 16, ++last);
  return LeaseId(std::move(id));
}

Node::Node(const std::filesystem::path& folder, engine::ReplicaOptions replica) {
  engine::EngineOptions options;
  options.data_folder = folder;
  options.replica = replica;
  auto opened = engine::Engine::open(
      io_, options, *this, [this](const engine::Fault& fault) { fail(engine::to_text(fault)); });
  if (!opened) throw CannotMeasure("the engine does not open: " + engine::to_text(opened.fault()));
  engine_ = std::move(opened).value();
  store().listen(this);
}

Node::~Node() = default;

void Node::wait_for_office() {
  if (store().office().in_office) return;
  awaiting_office_ = true;
  run();
  awaiting_office_ = false;
}

void Node::office_changed(const ports::Office& office) {
  if (awaiting_office_ && office.in_office) finish();
}

void Node::set_limits(const Limits& limits) {
  SetLimits command;
  command.limits = limits;
  const SteadyTime submitted = steady_now();
  store().submit(command, [this, submitted](const ports::Answer& answer) {
    if (effects_of(answer, submitted) != nullptr) finish();
  });
  run();
}

void Node::stop() {
  engine_->stop([this] { finish(); });
  run();
}

void Node::run() {
  io_.restart();
  watchdog_.expires_after(kPatience);
  watchdog_.async_wait([this](const boost::system::error_code& cancelled) {
    if (!cancelled) fail("the engine has not answered for two minutes");
  });
  io_.run();
  watchdog_.cancel();
  if (!failure_.empty()) throw CannotMeasure(failure_);
}

void Node::fail(std::string why) {
  if (failure_.empty()) failure_ = std::move(why);
  finish();
}

const Effects* Node::effects_of(const ports::Answer& answer, SteadyTime submitted) {
  const auto* applied = std::get_if<ports::Applied>(&answer);
  if (applied == nullptr) {
    fail("the engine did not apply a command");
    return nullptr;
  }
  if (!in_burst_) {
    in_burst_ = true;
    ++bursts_;
    boost::asio::post(io_, [this] { in_burst_ = false; });
  }
  state_ahead_ = std::chrono::duration_cast<std::chrono::microseconds>(
      applied->effects.now.time_since_epoch() - submitted.time_since_epoch());
  return &applied->effects;
}

Time Node::state_time(SteadyTime at) const {
  return Time(std::chrono::duration_cast<Duration>(at.time_since_epoch()) + state_ahead_);
}

void Node::event(ports::Severity severity, std::string_view name,
                 std::span<const ports::Field> fields) {
  if (name == "snapshot_taken") ++snapshots_;
  if (severity == ports::Severity::info) return;
  std::string line(name);
  for (const ports::Field& field : fields) line += " " + to_text(field);
  std::fprintf(stderr, "engine_bench: the engine says: %s\n", line.c_str());
}

struct Cycle::Client {
  Acquire request;  // all but its id
  LeaseId held;     // empty: none
  SteadyTime submitted;
};

Cycle::Cycle(Node& node, unsigned clients) : node_(node) {
  for (unsigned i = 0; i < clients; ++i)
    clients_.push_back(std::make_unique<Client>(Client{request_for(i, 30s), LeaseId(), {}}));
}

Cycle::~Cycle() = default;

void Cycle::run(SteadyTime begin, std::function<bool(SteadyTime)> over) {
  begin_ = begin;
  over_ = std::move(over);
  for (auto& client : clients_) submit(*client);
  node_.run();
}

void Cycle::submit(Client& client) {
  ++under_way_;
  const auto done = [this, &client](const ports::Answer& answer) { answered(client, answer); };
  client.submitted = steady_now();
  if (client.held.empty()) {
    Acquire request = client.request;
    request.id = next_lease_id(node_.state_time(client.submitted));
    client.held = request.id;
    node_.store().submit(std::move(request), done);
  } else {
    Release request{client.request.space, std::exchange(client.held, LeaseId())};
    node_.store().submit(std::move(request), done);
  }
}

void Cycle::answered(Client& client, const ports::Answer& answer) {
  const SteadyTime now = steady_now();
  --under_way_;
  const Effects* effects = node_.effects_of(answer, client.submitted);
  if (effects == nullptr) return;
  const bool granted = std::holds_alternative<Granted>(effects->reply());
  if (granted == client.held.empty() ||
      !(granted || std::holds_alternative<Ended>(effects->reply()))) {
    node_.fail("a client was refused what it must be given");
    return;
  }
  const bool over = over_(now);
  if (now >= begin_ && !over) {
    all.add(client.submitted, now);
    if (granted) grants.add(client.submitted, now);
  }
  if (!over || granted) {
    submit(client);
  } else if (under_way_ == 0) {
    node_.finish();
  }
}

namespace {

class Holding {
 public:
  Holding(Node& node, long count, const std::function<Duration(SteadyTime)>& ttl)
      : node_(node), count_(count), ttl_(ttl) {}

  void start(unsigned in_flight) {
    for (unsigned i = 0; i < in_flight && asked_ < count_; ++i) submit();
    node_.run();
  }

 private:
  void submit() {
    const SteadyTime now = steady_now();
    Acquire request = request_for(kMillion + asked_++, ttl_(now));
    request.id = next_lease_id(node_.state_time(now));
    node_.store().submit(std::move(request), [this, now](const ports::Answer& answer) {
      const Effects* effects = node_.effects_of(answer, now);
      if (effects == nullptr) return;
      if (!std::holds_alternative<Granted>(effects->reply())) {
        node_.fail("a lease was refused");
      } else if (asked_ < count_) {
        ++held_;
        submit();
      } else if (++held_ == count_) {
        node_.finish();
      }
    });
  }

  Node& node_;
  long count_;
  const std::function<Duration(SteadyTime)>& ttl_;
  long asked_ = 0;
  long held_ = 0;
};

}  // namespace

void hold(Node& node, long count, unsigned in_flight,
          const std::function<Duration(SteadyTime)>& ttl) {
  Holding(node, count, ttl).start(in_flight);
}

}  // namespace pawl::bench
