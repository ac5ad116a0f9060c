// SPDX-License-Identifier: Apache-2.0
// watch: follows the service's events, across lost connections, until interrupted.
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <boost/json/parse.hpp>
#include <memory>
#include <ostream>
#include <random>
#include <thread>

#include "cli/commands/commands.h"
#include "cli/commands/common.h"
#include "cli/durations.h"
#include "cli/event_stream.h"
#include "cli/fields.h"
#include "cli/text.h"

namespace pawl::cli {
namespace {

using std::chrono::milliseconds;

// Three heartbeats of the service.
constexpr milliseconds kSilence{45'000};
constexpr milliseconds kFirstPause{100};
constexpr milliseconds kLongestPause{5'000};

struct WatchAsked {
  Where where;
  std::string prefix;
  std::string after;
  std::uint64_t count = 0;  // 0: until interrupted
};

// "23:59:01 lock_acquired  billing  worker-1  token 42, waited 2s"
std::string event_line(const Json& event) {
  constexpr std::size_t kNameWidth = 24;
  const std::string at = text_at(event, "at");
  std::string name = text_at(event, "event");
  name.resize(std::max(name.size() + 1, kNameWidth), ' ');
  std::string facts;
  const auto add = [&facts](std::string_view label, const std::string& value) {
    if (value.empty()) return;
    if (!facts.empty()) facts += ", ";
    facts += std::string(label) + " " + value;
  };
  const auto duration = [&event](std::string_view field) {
    const auto value = seconds_at(event, field);
    return value && value->count() > 0 ? rough_duration(*value) : "";
  };
  const std::string mode = mode_text(event);
  add("token", number_text(event, "fencingToken"));
  add("mode", mode == "exclusive" ? "" : mode);
  add("waited", duration("waitedSeconds"));
  add("held", duration("heldSeconds"));
  add("late", duration("lateSeconds"));
  add("code", text_at(event, "code"));
  add("cause", text_at(event, "cause"));
  add("by", text_at(event, "actorId"));
  add("because", text_at(event, "reason"));
  return printable((at.size() >= 19 ? at.substr(11, 8) : at) + "  " + name + " " +
                   resources_text(event) + "  " + text_at(event, "ownerId") + "  " + facts);
}

class Watch {
 public:
  Watch(const Console& console, const WatchAsked& asked)
      : console_(console), asked_(asked), remote_(asked.where), last_id_(asked.after) {}

  int run() {
    milliseconds pause = kFirstPause;
    for (;;) {
      const std::uint64_t before = connections_;
      const HttpClient::Reply reply = follow();
      if (is_done()) return kOk;
      if (const auto code = give_up(reply)) return *code;
      if (connections_ != before) {
        pause = kFirstPause;
        console_.err << "pawl: the connection to " << asked_.where.url() << " is lost; trying again"
                     << std::endl;
      }
      std::this_thread::sleep_for(milliseconds(
          std::uniform_int_distribution<milliseconds::rep>(1, pause.count())(chance_)));
      pause = std::min(pause * 2, kLongestPause);
    }
  }

 private:
  bool is_done() const { return asked_.count > 0 && seen_ >= asked_.count; }

  HttpClient::Reply follow() {
    Target target("/v1/events");
    target.query("prefix", asked_.prefix).query("namespace", asked_.where.name_space);
    EventStream stream;
    bool first = true;
    return remote_.http().follow(
        {.target = target.text(), .accept = "text/event-stream", .last_event_id = last_id_},
        kSilence, [&](std::string_view bytes) {
          connections_ += first ? 1 : 0;
          first = false;
          return stream.feed(bytes, [this](const StreamEvent& event) { return show(event); });
        });
  }

  // What a new try can't mend.
  std::optional<int> give_up(const HttpClient::Reply& reply) {
    const bool began = connections_ > 0;
    if (!reply) {
      if (began) return {};
      return report(console_, asked_.where, remote_.unreachable(reply.fault()));
    }
    const int status = reply.value().status;
    const bool passes = status == 200 || status == 429 || status >= 500;
    if (passes && (began || status == 200)) return {};
    return report(console_, asked_.where, remote_.trouble_of(reply.value()));
  }

  bool show(const StreamEvent& event) {
    if (!event.id.empty()) last_id_ = event.id;
    if (asked_.where.json) {
      // One line each, whatever the service sent.
      std::string line = event.data;
      std::replace(line.begin(), line.end(), '\n', ' ');
      console_.out << line << std::endl;
    } else {
      show_text(event);
    }
    ++seen_;
    return !is_done();
  }

  void show_text(const StreamEvent& event) {
    boost::json::error_code error;
    const boost::json::value value = boost::json::parse(event.data, error);
    const Json& json = as_object(value);  // empty, if it was no JSON
    if (event.name == "missed") {
      console_.err << "pawl: " << printable(text_at(json, "detail")) << std::endl;
    } else {
      console_.out << event_line(json) << std::endl;
    }
  }

  const Console& console_;
  const WatchAsked& asked_;
  Remote remote_;
  std::string last_id_;
  std::uint64_t seen_ = 0;
  std::uint64_t connections_ = 0;
  std::minstd_rand chance_{std::random_device{}()};
};

}  // namespace

void add_watch(CLI::App& app, Chosen& chosen, const Console& console) {
  const auto asked = std::make_shared<WatchAsked>();
  CLI::App& command =
      add_client_command(app, chosen,
                         {"watch", "Follow what happens, until interrupted",
                          "  pawl watch\n"
                          "  pawl watch tenant_123: --json\n"
                          "  pawl watch --namespace '*'\n"},
                         asked->where, [asked, &console] { return Watch(console, *asked).run(); });
  command.add_option("PREFIX", asked->prefix, "Only names that begin so");
  command.add_option("--after", asked->after, "Begin after the event with this id")
      ->type_name("ID");
  add_count(command, "--count", asked->count, "Stop after so many events");
}

}  // namespace pawl::cli
