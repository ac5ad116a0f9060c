// SPDX-License-Identifier: Apache-2.0
// SIGTERM and SIGINT: the first asks the loop to stop, the second ends the process at once with
// 128 + its number, whatever the loop is doing. SIGHUP, SIGPIPE and SIGXFSZ are ignored. There is
// one of these in a process; it is used in the thread that runs the io_context.
#pragma once

#include <functional>
#include <memory>

namespace boost::asio {
class io_context;
}

namespace pawl::cli {

class Signals {
 public:
  // `asked` is told the number of the first signal, in the loop; also of one that came before the
  // loop ran.
  Signals(boost::asio::io_context& io, std::function<void(int signal)> asked);
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pawl::cli
