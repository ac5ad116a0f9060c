// SPDX-License-Identifier: Apache-2.0
// The servers that are measured, and how each is asked for a lock. All of them are started once and
// stay for the whole run. Used by one thread; throws CannotMeasure.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http_options.h"
#include "http_wire.h"
#include "scratch.h"

namespace pawl::bench {

// How one client asks for one lock. A request stays valid until the next is asked for.
class Talk {
 public:
  virtual ~Talk() = default;
  virtual std::string_view acquire() = 0;
  // The answer to an acquire: what to send to release it. Throws if the lock was not granted.
  virtual std::string_view granted(const HttpAnswer& answer) = 0;
  virtual void released(const HttpAnswer& answer) = 0;
};

struct Wish {
  std::string lock;
  unsigned client = 0;        // others than this one may hold it
  unsigned wait_seconds = 0;  // etcd waits for ever
  unsigned ttl_seconds = 60;
};

class LockServer {
 public:
  virtual ~LockServer() = default;
  virtual std::string_view name() const = 0;
  virtual std::uint16_t port() const = 0;
  virtual std::unique_ptr<Talk> talk(const Wish& wish) = 0;
  // How many wait for these locks, of which each is held by one.
  virtual std::size_t waiting_for(const std::string& prefix, unsigned locks) = 0;

  // Of its process; nothing: it has none of its own.
  virtual double cpu_seconds() const = 0;
  virtual std::optional<double> resident_mib() const { return std::nullopt; }
};

// Answers fixed bytes as long as Pawl's, in a thread of this process.
std::unique_ptr<LockServer> start_fixed();
std::unique_ptr<LockServer> start_pawl(const HttpOptions& options, Scratch& scratch);
// Nothing: there is no etcd on this machine.
std::unique_ptr<LockServer> start_etcd(const HttpOptions& options, Scratch& scratch);

}  // namespace pawl::bench
