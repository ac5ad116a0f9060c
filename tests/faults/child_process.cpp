// SPDX-License-Identifier: Apache-2.0
#include "faults/child_process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <system_error>

namespace pawl::testing {
namespace {

[[noreturn]] void give_up(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}
int checked(int result, const char* what) {
  if (result < 0) give_up(what);
  return result;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> found;
  for (std::string& word : words) found.push_back(word.data());
  found.push_back(nullptr);
  return found;
}

std::vector<std::string> arguments(const ChildOptions& options) {
  std::vector<std::string> words{PAWL_LOCK_CHILD, options.folder.string()};
  const auto add = [&](const char* name, std::uint64_t value) {
    if (value == 0) return;
    words.emplace_back(name);
    words.push_back(std::to_string(value));
  };
  add("--segment-bytes", options.segment_bytes);
  add("--snapshot-log-bytes", options.snapshot_log_bytes);
  add("--padding-bytes", options.padding_bytes);
  return words;
}

std::vector<std::string> environment(const ChildOptions& options) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) all.emplace_back(*entry);
  if (options.stop == nullptr) return all;
  for (std::string& entry : options.stop->environment()) all.push_back(std::move(entry));
  // AddressSanitizer wants to be the first library, but is content with being the second.
  const std::string name = "ASAN_OPTIONS=";
  const auto at = std::find_if(all.begin(), all.end(),
                               [&](const std::string& entry) { return entry.starts_with(name); });
  if (at == all.end()) {
    all.push_back(name + "verify_asan_link_order=0");
  } else {
    *at += ":verify_asan_link_order=0";
  }
  return all;
}

}  // namespace

Scratch::Scratch() {
  std::string pattern =
      std::filesystem::canonical(std::filesystem::temp_directory_path()) / "pawl-faults-XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr) give_up("mkdtemp");
  path_ = pattern;
}

Scratch::~Scratch() {
  if (::testing::Test::HasFailure()) {
    static_cast<void>(std::fprintf(stderr, "kept for a look: %s\n", path_.c_str()));
    return;
  }
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

StopAt::StopAt(const Scratch& scratch) : StopAt(scratch, "", 0) {}

StopAt::StopAt(const Scratch& scratch, std::string how, std::uint64_t at, std::string kind)
    : folder_(scratch.path()),
      file_(scratch.path().string() + ".calls"),
      how_(std::move(how)),
      at_(at),
      kind_(std::move(kind)) {
  const int fd =
      checked(::open(file_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), "open");
  checked(::ftruncate(fd, sizeof(StopPage)), "ftruncate");
  void* page = ::mmap(nullptr, sizeof(StopPage), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (page == MAP_FAILED) give_up("mmap");
  ::close(fd);
  page_ = static_cast<StopPage*>(page);
}

StopAt::~StopAt() {
  ::munmap(page_, sizeof(StopPage));
  ::unlink(file_.c_str());
}

std::vector<std::string> StopAt::environment() const {
  std::vector<std::string> all{"LD_PRELOAD=" PAWL_STOP_AT_LIBRARY,
                               "PAWL_STOP_FOLDER=" + folder_.string(),
                               "PAWL_STOP_PAGE=" + file_.string()};
  if (at_ != 0) {
    all.push_back("PAWL_STOP_AT=" + std::to_string(at_));
    all.push_back("PAWL_STOP_HOW=" + how_);
  }
  if (!kind_.empty()) all.push_back("PAWL_STOP_KIND=" + kind_);
  return all;
}

std::uint64_t StopAt::calls() const { return page_->calls.load(); }
bool StopAt::stopped() const { return page_->stopped.load() != 0; }
std::string StopAt::stopped_call() const { return stopped() ? page_->name : ""; }

std::string to_text(const Exit& exit) {
  return exit.signal != 0 ? "signal " + std::to_string(exit.signal)
                          : "exit code " + std::to_string(exit.code);
}

ChildProcess::ChildProcess(const ChildOptions& options) {
  static_cast<void>(std::signal(SIGPIPE, SIG_IGN));
  errors_ = checked(::memfd_create("stderr", MFD_CLOEXEC), "memfd_create");
  std::vector<std::string> words = arguments(options);
  std::vector<std::string> variables = environment(options);
  const std::vector<char*> argv = pointers(words);
  const std::vector<char*> envp = pointers(variables);
  int in[2];
  int out[2];
  checked(::pipe2(in, O_CLOEXEC), "pipe2");
  checked(::pipe2(out, O_CLOEXEC), "pipe2");
  pid_ = checked(::fork(), "fork");
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::dup2(in[0], STDIN_FILENO);
    ::dup2(out[1], STDOUT_FILENO);
    ::dup2(errors_, STDERR_FILENO);
    ::execve(argv[0], argv.data(), envp.data());
    ::_exit(127);
  }
  ::close(in[0]);
  ::close(out[1]);
  input_ = in[1];
  output_ = out[0];
}

ChildProcess::~ChildProcess() {
  if (!exit_) {
    kill();
    static_cast<void>(wait());
  }
  ::close(input_);
  ::close(output_);
  ::close(errors_);
}

bool ChildProcess::send(std::string line) {
  line += '\n';
  std::string_view left = line;
  while (!left.empty()) {
    const ssize_t wrote = ::write(input_, left.data(), left.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return false;
    left.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return true;
}

ChildProcess::Read ChildProcess::read_line(std::string& line, Moment deadline) {
  for (;;) {
    if (const std::size_t end = received_.find('\n'); end != std::string::npos) {
      line = received_.substr(0, end);
      received_.erase(0, end + 1);
      return Read::line;
    }
    const auto left = std::max(deadline - Clock::now(), Clock::duration::zero());
    const timespec limit{
        std::chrono::duration_cast<std::chrono::seconds>(left).count(),
        std::chrono::duration_cast<std::chrono::nanoseconds>(left % std::chrono::seconds(1))
            .count()};
    pollfd waits{output_, POLLIN, 0};
    const int found = ::ppoll(&waits, 1, &limit, nullptr);
    if (found < 0 && errno == EINTR) continue;
    if (checked(found, "ppoll") == 0) return Read::timeout;
    char bytes[65536];
    const ssize_t got = ::read(output_, bytes, sizeof bytes);
    if (got < 0 && errno == EINTR) continue;
    if (checked(static_cast<int>(got), "read") == 0) return Read::closed;
    received_.append(bytes, static_cast<std::size_t>(got));
  }
}

bool ChildProcess::ready(Moment deadline) {
  std::string line;
  return read_line(line, deadline) == Read::line && line == "ready";
}

void ChildProcess::kill() {
  if (!exit_) ::kill(pid_, SIGKILL);
}
void ChildProcess::terminate() {
  if (!exit_) ::kill(pid_, SIGTERM);
}

Exit ChildProcess::wait() {
  if (exit_) return *exit_;
  // Its end closes its output: that is what is waited for.
  std::string line;
  const Moment deadline = Clock::now() + kPatience;
  Read read = Read::line;
  while (read == Read::line) read = read_line(line, deadline);
  if (read == Read::timeout) {
    ADD_FAILURE() << "the child does not end; its stderr:\n" << errors();
    kill();
  }
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0) {
    if (errno != EINTR) give_up("waitpid");
  }
  exit_ = WIFSIGNALED(status) ? Exit{WTERMSIG(status), 0} : Exit{0, WEXITSTATUS(status)};
  return *exit_;
}

std::string ChildProcess::errors() const {
  std::string all;
  char bytes[4096];
  for (ssize_t got;
       (got = ::pread(errors_, bytes, sizeof bytes, static_cast<off_t>(all.size()))) > 0;)
    all.append(bytes, static_cast<std::size_t>(got));
  return all;
}

std::string ChildProcess::fault() const {
  const std::string all = errors();
  const std::size_t at = all.find("fault:");
  return at == std::string::npos ? "" : all.substr(at);
}

}  // namespace pawl::testing
