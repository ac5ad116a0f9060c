// SPDX-License-Identifier: Apache-2.0
// ports::Loop on an io_context that one thread runs, the doors' own. post() from any thread; made,
// used otherwise and destroyed in the thread that runs it. Destroying it drops what was posted and
// has not run, so that nothing reaches objects that are gone. The io_context must outlive it.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>

#include "ports/clock.h"
#include "ports/loop.h"

namespace pawl::engine {

class AsioLoop final : public ports::Loop {
 public:
  AsioLoop(boost::asio::io_context& io, const ports::Clock& clock);
  ~AsioLoop() override;
  AsioLoop(const AsioLoop&) = delete;
  AsioLoop& operator=(const AsioLoop&) = delete;

  void post(ports::Action action) override;
  std::unique_ptr<ports::Timer> make_timer(ports::Action action) override;

 private:
  boost::asio::io_context& io_;
  const ports::Clock& clock_;
  std::shared_ptr<bool> alive_;  // read and written in the loop only
};

}  // namespace pawl::engine
