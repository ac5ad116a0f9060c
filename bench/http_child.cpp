// SPDX-License-Identifier: Apache-2.0
#include "http_child.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <fstream>
#include <sstream>
#include <system_error>
#include <thread>

#include "latencies.h"
#include "scratch.h"

namespace pawl::bench {
namespace {

constexpr auto kPatience = std::chrono::seconds(10);
constexpr int kCannotStart = 127;

std::string whole_file(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

[[noreturn]] void become(const char* program, char* const* arguments, int output) {
  (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
  sigset_t none;
  sigemptyset(&none);
  (void)sigprocmask(SIG_SETMASK, &none, nullptr);  // scratch.h blocks some
  (void)dup2(output, STDOUT_FILENO);
  (void)dup2(output, STDERR_FILENO);
  (void)execv(program, arguments);
  _exit(kCannotStart);
}

}  // namespace

Child::Child(const std::filesystem::path& program, const std::vector<std::string>& arguments,
             const std::filesystem::path& output)
    : output_(output) {
  std::vector<std::string> texts = {program.string()};
  texts.insert(texts.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  const int file =
      ::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0)
    throw CannotMeasure(output.string() + ": " + std::generic_category().message(errno));
  pid_ = fork();
  if (pid_ == 0) become(program.c_str(), pointers.data(), file);
  ::close(file);
  if (pid_ < 0) throw CannotMeasure("no process can be started");
}

Child::~Child() { stop(); }

bool Child::running() {
  if (pid_ < 0) return false;
  if (waitpid(pid_, nullptr, WNOHANG) == 0) return true;
  pid_ = -1;
  return false;
}

void Child::stop() {
  if (!running()) return;
  (void)kill(pid_, SIGTERM);
  for (const SteadyTime end = steady_now() + kPatience; steady_now() < end;) {
    if (!running()) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  (void)kill(pid_, SIGKILL);
  (void)waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

std::string Child::output() const { return whole_file(output_); }

double Child::cpu_seconds() const {
  const std::string stat = whole_file("/proc/" + std::to_string(pid_) + "/stat");
  const auto name_end = stat.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream columns(stat.substr(name_end + 1));
  std::string skipped;
  for (int column = 3; column < 14; ++column) columns >> skipped;
  double user = 0;
  double system = 0;
  columns >> user >> system;
  return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

double Child::resident_mib() const {
  std::istringstream pages(whole_file("/proc/" + std::to_string(pid_) + "/statm"));
  double all = 0;
  double resident = 0;
  pages >> all >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1024 * 1024);
}

}  // namespace pawl::bench
