// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <filesystem>
#include <thread>

#include "http_child.h"
#include "http_servers.h"
#include "latencies.h"

namespace pawl::bench {
namespace {

constexpr auto kStartPatience = std::chrono::seconds(20);

class PawlTalk final : public Talk {
 public:
  explicit PawlTalk(const Wish& wish)
      : acquire_(post_request("/v1/locks/acquire", body_of(wish))) {}
  std::string_view acquire() override { return acquire_; }
  std::string_view granted(const HttpAnswer& answer) override {
    if (answer.status != 200 || !answer.body.starts_with(R"({"acquired":true)"))
      throw CannotMeasure("pawl did not grant: " + std::string(answer.body));
    release_ = delete_request("/v1/locks/" + std::string(text_member(answer.body, "leaseId")));
    return release_;
  }
  void released(const HttpAnswer& answer) override {
    if (answer.status != 200)
      throw CannotMeasure("pawl did not release: " + std::string(answer.body));
  }

 private:
  static std::string body_of(const Wish& wish) {
    std::string body = R"({"resource":")" + wish.lock + R"(","ownerId":"client-)" +
                       std::to_string(wish.client) + R"(","ttlSeconds":)" +
                       std::to_string(wish.ttl_seconds);
    if (wish.wait_seconds > 0) body += R"(,"waitSeconds":)" + std::to_string(wish.wait_seconds);
    return body + "}";
  }

  std::string acquire_;
  std::string release_;
};

class PawlServer final : public LockServer {
 public:
  PawlServer(const std::filesystem::path& program, const std::filesystem::path& folder)
      : child_(program,
               {"serve", "--http", "127.0.0.1:0", "--data-dir", (folder / "data").string()},
               folder / "log"),
        port_(wait_for_port()),
        asker_(port_) {
    wait_until_ready();
  }

  std::string_view name() const override { return "pawl"; }
  std::uint16_t port() const override { return port_; }
  std::unique_ptr<Talk> talk(const Wish& wish) override { return std::make_unique<PawlTalk>(wish); }
  double cpu_seconds() const override { return child_.cpu_seconds(); }
  std::optional<double> resident_mib() const override { return child_.resident_mib(); }

  std::size_t waiting_for(const std::string& prefix, unsigned locks) override {
    std::size_t waiting = 0;
    for (unsigned i = 0; i < locks; ++i) {
      const std::string target = "/v1/resources/" + prefix + std::to_string(i) + "?limit=1";
      const WholeAnswer answer = asker_.ask(get_request(target));
      waiting += number_member(answer.body, "waiterCount").value_or(0);
    }
    return waiting;
  }

 private:
  // The log says where it serves: {"event":"serving",...,"http":"127.0.0.1:PORT",...}
  std::uint16_t wait_for_port() {
    for (const SteadyTime end = steady_now() + kStartPatience; steady_now() < end;) {
      const std::string log = child_.output();
      const auto line = log.find(R"("event":"serving")");
      if (line != std::string::npos && log.find('\n', line) != std::string::npos) {
        const std::string_view address = text_member(std::string_view(log).substr(line), "http");
        return static_cast<std::uint16_t>(
            std::stoi(std::string(address.substr(address.rfind(':') + 1))));
      }
      if (!child_.running()) throw CannotMeasure("pawl ended: " + log);
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    throw CannotMeasure("pawl does not say where it serves: " + child_.output());
  }

  void wait_until_ready() {
    for (const SteadyTime end = steady_now() + kStartPatience; steady_now() < end;) {
      if (asker_.ask(get_request("/readyz")).status == 200) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    throw CannotMeasure("pawl does not become ready: " + child_.output());
  }

  Child child_;
  std::uint16_t port_;
  Asker asker_;
};

}  // namespace

std::unique_ptr<LockServer> start_pawl(const HttpOptions& options, Scratch& scratch) {
  std::filesystem::path program = options.pawl;
  if (program.empty())
    program = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "pawl";
  if (!std::filesystem::exists(program))
    throw CannotMeasure("there is no " + program.string() + "; build it, or name one with --pawl");
  return std::make_unique<PawlServer>(program, scratch.fresh("pawl"));
}

}  // namespace pawl::bench
