// SPDX-License-Identifier: Apache-2.0
#include "cli/serve/endpoint.h"

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <charconv>
#include <optional>

namespace pawl::cli {
namespace {

constexpr std::size_t kLongestHost = 253;  // of a name in the DNS

bool may_be_in_a_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.';
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return port;
}

// What is wrong with it, or nothing.
std::string fault_of_host(std::string_view host, bool in_brackets) {
  if (host.empty()) return "has no host; 127.0.0.1 is this machine only, 0.0.0.0 every interface";
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address(std::string(host), error);
  if (in_brackets) {
    return !error && address.is_v6() ? "" : "has something other than an IPv6 address in brackets";
  }
  if (!error) return "";
  const bool only_digits = host.find_first_not_of("0123456789.") == std::string_view::npos;
  if (host.size() > kLongestHost || !std::ranges::all_of(host, may_be_in_a_name) || only_digits) {
    return "has a host that is neither an address nor a name";
  }
  return "";
}

}  // namespace

ports::Result<Endpoint, std::string> parse_endpoint(std::string_view text) {
  const bool in_brackets = text.starts_with('[');
  const std::size_t colon = text.rfind(':');
  const std::size_t bracket = text.rfind(']');
  if (!in_brackets && std::ranges::count(text, ':') > 1) {
    return std::string("is ambiguous: an IPv6 address stands in brackets, as in [::1]:7420");
  }
  if (colon == std::string_view::npos || (bracket != std::string_view::npos && colon < bracket)) {
    return std::string("has no port; write host:port, as in 127.0.0.1:7420");
  }
  std::string_view host = text.substr(0, colon);
  if (in_brackets) {
    if (!host.ends_with(']')) return std::string("has something between ']' and the port");
    host = host.substr(1, host.size() - 2);
  }
  if (std::string fault = fault_of_host(host, in_brackets); !fault.empty()) return fault;
  const auto port = parse_port(text.substr(colon + 1));
  if (!port) return std::string("has a port that is not a number from 0 to 65535");
  return Endpoint{std::string(host), *port};
}

std::string to_text(const Endpoint& endpoint) {
  const bool v6 = endpoint.host.find(':') != std::string::npos;
  return (v6 ? '[' + endpoint.host + ']' : endpoint.host) + ':' + std::to_string(endpoint.port);
}

bool is_loopback(const Endpoint& endpoint) {
  if (endpoint.host == "localhost") return true;
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address(endpoint.host, error);
  return !error && address.is_loopback();
}

}  // namespace pawl::cli
