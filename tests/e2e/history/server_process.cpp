// SPDX-License-Identifier: Apache-2.0
#include "e2e/history/server_process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <fstream>
#include <sstream>
#include <system_error>
#include <thread>

namespace pawl::testing {
namespace {

using std::chrono::milliseconds;

// The port in a log line like {"event":"serving",...,"http":"127.0.0.1:4711"}; zero if it has none.
std::uint16_t port_in(const std::string& log) {
  const std::size_t line = log.find("{\"event\":\"serving\"");
  if (line == std::string::npos) return 0;
  const std::size_t end = log.find('\n', line);
  constexpr std::string_view kAddress = "\"127.0.0.1:";
  const std::size_t at = log.find(kAddress, line);
  if (end == std::string::npos || at > end) return 0;
  std::uint16_t port = 0;
  std::from_chars(log.data() + at + kAddress.size(), log.data() + end, port);
  return port;
}

}  // namespace

ServerProcess::ServerProcess(const std::filesystem::path& data, std::filesystem::path log)
    : log_(std::move(log)) {
  const std::string folder = data.string();
  const std::string file = log_.string();
  pid_ = ::fork();
  if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int out = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
    if (out < 0) ::_exit(126);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(out, STDERR_FILENO);
    ::execl(PAWL_BINARY, PAWL_BINARY, "serve", "--http", "127.0.0.1:0", "--data-dir",
            folder.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
}

ServerProcess::~ServerProcess() {
  if (ended()) return;
  send(SIGKILL);
  static_cast<void>(wait());
}

std::uint16_t ServerProcess::port() {
  const Moment deadline = Clock::now() + kPatience;
  for (;;) {
    const bool over = ended();
    if (const std::uint16_t found = port_in(log_text()); found != 0) return found;
    if (over || Clock::now() > deadline) return 0;
    std::this_thread::sleep_for(milliseconds(2));
  }
}

void ServerProcess::send(int signal) {
  if (!ended()) ::kill(pid_, signal);
}

bool ServerProcess::ended() {
  if (exit_) return true;
  int status = 0;
  if (::waitpid(pid_, &status, WNOHANG) != pid_) return false;
  exit_ = WIFSIGNALED(status) ? Exit{WTERMSIG(status), 0} : Exit{0, WEXITSTATUS(status)};
  return true;
}

Exit ServerProcess::wait() {
  const Moment deadline = Clock::now() + kPatience;
  bool killed = false;
  while (!ended()) {
    if (!killed && Clock::now() > deadline) {
      ADD_FAILURE() << "the server does not end; its log:\n" << log_text();
      ::kill(pid_, SIGKILL);
      killed = true;
    }
    std::this_thread::sleep_for(milliseconds(1));
  }
  return *exit_;
}

std::string ServerProcess::log_text() const {
  std::ostringstream all;
  if (const std::ifstream file(log_); file) all << file.rdbuf();
  return all.str();
}

}  // namespace pawl::testing
