// SPDX-License-Identifier: Apache-2.0
// What an operator can set about `pawl serve`: one value for each row of config_table.h. Plain
// values; the defaults here are the defaults.
#pragma once

#include <cstdint>
#include <string>

#include "cli/serve/endpoint.h"
#include "core/time.h"
#include "doors/http/server_options.h"
#include "service/options.h"

namespace pawl::cli {

enum class LogLevel : std::uint8_t { info, warning, error };
enum class LogFormat : std::uint8_t { automatic, json, text };

struct Config {
  std::string data_dir = "pawl-data";
  Endpoint http{"127.0.0.1", 7420};
  core::Duration drain_timeout = std::chrono::seconds(10);

  LogLevel log_level = LogLevel::info;
  LogFormat log_format = LogFormat::automatic;
  bool log_locks = true;

  service::ServiceOptions service;
  doors::http::ServerOptions server;  // where it listens is `http`
};

}  // namespace pawl::cli
