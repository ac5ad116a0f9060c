// SPDX-License-Identifier: Apache-2.0
// pawl_lock_child: the engine as a process of its own, for tests that kill it. Commands come as
// lines on stdin, many at once if one likes, and are answered as lines on stdout the moment the
// store answers. Answers are parsed by reply.h.
//
//   pawl_lock_child FOLDER [--segment-bytes N] [--snapshot-log-bytes N] [--padding-bytes N]
//
//   N acquire LEASE RESOURCE TTL_MS    N renew LEASE    N release LEASE    N show LEASE    N list
//   stop
//
//   ready                                        once, when it leads
//   N granted TOKEN VALID_US STATE_US new|repeated
//   N renewed TOKEN VALID_US STATE_US
//   N busy STATE_US
//   N ended CAUSE ENDED_US STATE_US
//   N refused CODE STATE_US
//   N unknown
//   N not_submitted overloaded|not_leader|stopping
//   N listed STATE_US [LEASE RESOURCE TOKEN]...  all that is held, or the one lease that was shown
//
// A fault is told on stderr, in a line that begins with "fault:", and ends the process at once with
// the fault's exit code. SIGTERM, `stop` and the end of stdin are a clean stop.
#include <unistd.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/signal_set.hpp>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "core/read.h"
#include "engine/engine.h"
#include "support/print.h"

namespace pawl::testing {
namespace {

namespace asio = boost::asio;

const core::Namespace kSpace{"default"};

struct ChildSettings {
  engine::EngineOptions engine;
  std::size_t padding_bytes = 0;
};

std::string number(core::Duration duration) { return std::to_string(duration.count()); }
std::string number(core::Time time) { return number(time.time_since_epoch()); }
std::string number(core::FencingToken token) {
  return std::to_string(static_cast<std::uint64_t>(token));
}

// One write(2) for a line, so that a line is answered whole or not at all.
void say(std::string line) {
  line += '\n';
  std::string_view left = line;
  while (!left.empty()) {
    const ssize_t wrote = ::write(STDOUT_FILENO, left.data(), left.size());
    if (wrote < 0) std::_Exit(EXIT_FAILURE);  // nobody listens any more
    left.remove_prefix(static_cast<std::size_t>(wrote));
  }
}

[[noreturn]] void fail(const engine::Fault& fault) {
  static_cast<void>(std::fprintf(stderr, "fault: %s\n", engine::to_text(fault).c_str()));
  std::_Exit(engine::exit_code(fault.kind));
}

struct EffectText {
  std::string now;
  std::string operator()(const core::Granted& e) const {
    return "granted " + number(e.lease.token) + " " + number(e.valid_for) + " " + now +
           (e.repeated ? " repeated" : " new");
  }
  std::string operator()(const core::Renewed& e) const {
    return "renewed " + number(e.lease.token) + " " + number(e.valid_for) + " " + now;
  }
  std::string operator()(const core::Busy&) const { return "busy " + now; }
  std::string operator()(const core::Ended& e) const {
    return "ended " + std::string(to_text(e.cause)) + " " + now + " " + now;
  }
  std::string operator()(const core::AlreadyEnded& e) const {
    return "ended " + std::string(to_text(e.cause)) + " " + number(e.ended_at) + " " + now;
  }
  std::string operator()(const core::Refused& e) const {
    return "refused " + std::string(to_text(e.code)) + " " + now;
  }
  std::string operator()(const auto&) const { return "refused unexpected_effect " + now; }
};

std::string text_of(const ports::NotSubmitted& answer) {
  switch (answer.why) {
    case ports::NotSubmitted::Why::overloaded:
      return "not_submitted overloaded";
    case ports::NotSubmitted::Why::not_leader:
      return "not_submitted not_leader";
    case ports::NotSubmitted::Why::stopping:
      return "not_submitted stopping";
  }
  return "not_submitted ?";
}

std::string text_of(const ports::Answer& answer) {
  if (const auto* applied = std::get_if<ports::Applied>(&answer))
    return std::visit(EffectText{number(applied->effects.now)}, applied->effects.reply());
  if (const auto* none = std::get_if<ports::NotSubmitted>(&answer)) return text_of(*none);
  return "unknown";
}

class Child final : public ports::StoreListener, public ports::Observer {
 public:
  explicit Child(const ChildSettings& settings)
      : padding_(settings.padding_bytes, 'x'),
        input_(io_, ::dup(STDIN_FILENO)),
        signals_(io_, SIGTERM) {
    auto opened = engine::Engine::open(io_, settings.engine, *this, fail);
    if (!opened) fail(opened.fault());
    engine_ = std::move(opened).value();
  }
  ~Child() override { engine_->store().listen(nullptr); }

  void run() {
    signals_.async_wait([this](const boost::system::error_code& error, int) {
      if (!error) stop();
    });
    engine_->store().listen(this);
    office_changed(engine_->store().office());
    io_.run();
  }

 private:
  void applied(ports::LogPosition, const core::Command&, const core::Effects&) override {}
  void office_changed(const ports::Office& office) override {
    if (!office.in_office || ready_) return;
    ready_ = true;
    say("ready");
    read_lines();
  }
  // May be called in any thread; one fprintf is one line.
  void event(ports::Severity severity, std::string_view name,
             std::span<const ports::Field> fields) override {
    std::ostringstream line;
    line << (severity == ports::Severity::info ? "info" : "warning") << ": " << name;
    for (const ports::Field& field : fields) {
      line << " " << field.name << "=";
      std::visit([&](const auto& value) { line << value; }, field.value);
    }
    static_cast<void>(std::fprintf(stderr, "%s\n", line.str().c_str()));
  }

  void read_lines() {
    asio::async_read_until(input_, asio::dynamic_buffer(received_), '\n',
                           [this](const boost::system::error_code& error, std::size_t) {
                             if (error) return stop();
                             take_lines();
                             if (!stopping_) read_lines();
                           });
  }
  void take_lines() {
    for (std::size_t end; (end = received_.find('\n')) != std::string::npos;) {
      const std::string line = received_.substr(0, end);
      received_.erase(0, end + 1);
      line == "stop" ? stop() : take(line);
    }
  }
  void take(const std::string& line) {
    std::istringstream words(line);
    std::string request, verb, lease;
    words >> request >> verb >> lease;
    const core::LeaseId id(lease);
    if (verb == "acquire") {
      std::string resource;
      std::int64_t ttl_ms = 0;
      words >> resource >> ttl_ms;
      submit(request, acquire(id, core::ResourceName(resource), std::chrono::milliseconds(ttl_ms)));
    } else if (verb == "renew") {
      submit(request, core::Renew{kSpace, id, {}});
    } else if (verb == "release") {
      submit(request, core::Release{kSpace, id});
    } else if (verb == "show") {
      read(request, [id](const core::State& state) {
        const auto view = core::show_lease(state, kSpace, id);
        return view && !view->waiting ? told(view->lease) : "";
      });
    } else if (verb == "list") {
      read(request, [](const core::State& state) {
        std::string text;
        for (const auto& at : core::list_resources(state, kSpace, "", "", state.held))
          for (const core::LeaseInfo& holder : at.holders) text += told(holder);
        return text;
      });
    } else {
      static_cast<void>(std::fprintf(stderr, "no such command: %s\n", line.c_str()));
      std::_Exit(EXIT_FAILURE);
    }
  }

  static std::string told(const core::LeaseInfo& lease) {
    return " " + lease.id.str() + " " + lease.terms.resources.front().str() + " " +
           number(lease.token);
  }

  core::Acquire acquire(core::LeaseId id, core::ResourceName resource, core::Duration ttl) const {
    core::Acquire request;
    request.space = kSpace;
    request.id = std::move(id);
    request.terms.owner = core::OwnerId("child");
    request.terms.resources = {std::move(resource)};
    request.terms.ttl = ttl;
    if (!padding_.empty()) request.metadata = {{"padding", padding_}};
    return request;
  }

  void submit(const std::string& request, core::CommandBody body) {
    engine_->store().submit(std::move(body), [request](const ports::Answer& answer) {
      say(request + " " + text_of(answer));
    });
  }
  template <class Text>
  void read(const std::string& request, Text text) {
    engine_->store().read([request, text](const ports::ReadAnswer& answer) {
      if (const auto* none = std::get_if<ports::NotSubmitted>(&answer))
        return say(request + " " + text_of(*none));
      const core::State& state = std::get<ports::Readable>(answer).state;
      say(request + " listed " + number(state.now) + text(state));
    });
  }

  void stop() {
    if (std::exchange(stopping_, true)) return;
    boost::system::error_code ignored;
    input_.cancel(ignored);
    signals_.cancel(ignored);
    engine_->stop([this] { io_.stop(); });
  }

  const std::string padding_;
  asio::io_context io_;
  asio::posix::stream_descriptor input_;
  asio::signal_set signals_;
  std::string received_;
  bool ready_ = false;
  bool stopping_ = false;
  std::unique_ptr<engine::Engine> engine_;
};

ChildSettings parse(int count, char** words) {
  ChildSettings settings;
  if (count < 2) std::exit(2);
  settings.engine.data_folder = words[1];
  for (int i = 2; i + 1 < count; i += 2) {
    const std::string_view option = words[i];
    const std::uint64_t value = std::strtoull(words[i + 1], nullptr, 10);
    engine::ReplicaOptions& replica = settings.engine.replica;
    if (option == "--segment-bytes") {
      replica.log.segment_bytes = value;
      replica.max_entry_bytes = static_cast<std::size_t>(value / 8);
    } else if (option == "--snapshot-log-bytes") {
      replica.snapshot_log_bytes = value;
    } else if (option == "--padding-bytes") {
      settings.padding_bytes = static_cast<std::size_t>(value);
    } else {
      std::exit(2);
    }
  }
  return settings;
}

}  // namespace
}  // namespace pawl::testing

int main(int argc, char** argv) {
  pawl::testing::Child child(pawl::testing::parse(argc, argv));
  child.run();
  return 0;
}
