// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <thread>
#include <vector>

#include "http_child.h"
#include "http_servers.h"
#include "latencies.h"

namespace pawl::bench {
namespace {

constexpr auto kStartPatience = std::chrono::seconds(30);
constexpr std::string_view kGrantLease = R"({"TTL":"3600"})";

class EtcdTalk final : public Talk {
 public:
  EtcdTalk(const std::string& lock, std::uint64_t lease)
      : acquire_(post_request("/v3/lock/lock", R"({"name":")" + base64(lock) + R"(","lease":")" +
                                                   std::to_string(lease) + R"("})")) {}
  std::string_view acquire() override { return acquire_; }
  std::string_view granted(const HttpAnswer& answer) override {
    if (answer.status != 200)
      throw CannotMeasure("etcd did not grant: " + std::string(answer.body));
    const std::string key(text_member(answer.body, "key"));
    release_ = post_request("/v3/lock/unlock", R"({"key":")" + key + R"("})");
    return release_;
  }
  void released(const HttpAnswer& answer) override {
    if (answer.status != 200)
      throw CannotMeasure("etcd did not release: " + std::string(answer.body));
  }

 private:
  std::string acquire_;
  std::string release_;
};

std::uint16_t free_port() {
  std::uint16_t port = 0;
  (void)listen_anywhere(port);
  return port;
}

std::string url_of(std::uint16_t port) { return "http://127.0.0.1:" + std::to_string(port); }

std::vector<std::string> arguments(const std::filesystem::path& folder, std::uint16_t clients,
                                   std::uint16_t peers) {
  return {"--name=bench",
          "--data-dir=" + (folder / "data").string(),
          "--listen-client-urls=" + url_of(clients),
          "--advertise-client-urls=" + url_of(clients),
          "--listen-peer-urls=" + url_of(peers),
          "--initial-advertise-peer-urls=" + url_of(peers),
          "--initial-cluster=bench=" + url_of(peers)};
}

class EtcdServer final : public LockServer {
 public:
  EtcdServer(const std::filesystem::path& program, const std::filesystem::path& folder)
      : port_(free_port()),
        child_(program, arguments(folder, port_, free_port()), folder / "log"),
        asker_(port_) {
    wait_until_ready();
  }

  std::string_view name() const override { return "etcd"; }
  std::uint16_t port() const override { return port_; }
  std::unique_ptr<Talk> talk(const Wish& wish) override {
    while (leases_.size() <= wish.client) leases_.push_back(grant_lease());
    return std::make_unique<EtcdTalk>(wish.lock, leases_[wish.client]);
  }
  double cpu_seconds() const override { return child_.cpu_seconds(); }
  std::optional<double> resident_mib() const override { return child_.resident_mib(); }

  // Each who holds or waits has a key below the lock's name.
  std::size_t waiting_for(const std::string& prefix, unsigned locks) override {
    std::string end = prefix;
    ++end.back();
    const WholeAnswer answer = asker_.ask(
        post_request("/v3/kv/range", R"({"key":")" + base64(prefix) + R"(","range_end":")" +
                                         base64(end) + R"(","count_only":true})"));
    const std::size_t keys = number_member(answer.body, "count").value_or(0);
    return keys > locks ? keys - locks : 0;
  }

 private:
  std::uint64_t grant_lease() {
    const WholeAnswer answer = asker_.ask(post_request("/v3/lease/grant", kGrantLease));
    const auto lease = number_member(answer.body, "ID");
    if (answer.status != 200 || !lease) throw CannotMeasure("etcd grants no lease: " + answer.body);
    return *lease;
  }

  void wait_until_ready() {
    for (const SteadyTime end = steady_now() + kStartPatience; steady_now() < end;) {
      try {
        leases_.push_back(grant_lease());
        return;
      } catch (const CannotMeasure&) {
        if (!child_.running()) throw CannotMeasure("etcd ended: " + child_.output());
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    throw CannotMeasure("etcd does not become ready: " + child_.output());
  }

  std::uint16_t port_;
  Child child_;
  Asker asker_;
  std::vector<std::uint64_t> leases_;  // one a client
};

std::filesystem::path in_path(const std::string& program) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const auto candidate = std::filesystem::path(folder) / program;
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return {};
}

}  // namespace

std::unique_ptr<LockServer> start_etcd(const HttpOptions& options, Scratch& scratch) {
  const std::filesystem::path program = options.etcd.empty() ? in_path("etcd") : options.etcd;
  if (program.empty()) return nullptr;
  return std::make_unique<EtcdServer>(program, scratch.fresh("etcd"));
}

}  // namespace pawl::bench
