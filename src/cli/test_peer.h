// SPDX-License-Identifier: Apache-2.0
// A real HTTP peer for tests of the client: a thread that takes one connection at a time, reads a
// request and writes whatever the test says. Thread-safe.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace pawl::cli {

struct PeerRequest {
  std::string method;
  std::string target;
  std::string head;  // the request line and all headers
  std::string body;
};

// The bytes to write before the connection is closed; none: it is closed without an answer.
using PeerAnswer = std::function<std::string(const PeerRequest&)>;

class TestPeer {
 public:
  explicit TestPeer(PeerAnswer answer, bool v6 = false);
  ~TestPeer();

  std::string url() const;
  std::vector<PeerRequest> requests() const;

 private:
  void serve();
  void serve_one(int connection);

  PeerAnswer answer_;
  bool v6_;
  int listener_;
  int port_ = 0;
  std::atomic<bool> stopping_{false};
  mutable std::mutex mutex_;
  std::vector<PeerRequest> requests_;
  std::thread thread_;
};

std::string json_answer(int status, const std::string& body);
std::string raw_answer(int status, const std::string& type, const std::string& body);

}  // namespace pawl::cli
