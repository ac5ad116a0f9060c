// SPDX-License-Identifier: Apache-2.0
#include "cli/url.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "cli/text.h"

namespace pawl::cli {
namespace {

std::string quoted(std::string_view url) { return "'" + printable(url) + "'"; }

std::optional<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size() || port == 0) return {};
  return port;
}

bool is_host_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_';
}

bool is_address_letter(char c) { return is_host_letter(c) || c == ':' || c == '%'; }

}  // namespace

std::string Address::authority() const {
  const bool v6 = host.find(':') != std::string::npos;
  return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

ports::Result<Address, std::string> parse_url(std::string_view url) {
  std::string_view rest = url;
  std::optional<std::uint16_t> port = kDefaultPort;
  const std::size_t scheme_end = rest.find("://");
  if (scheme_end != std::string_view::npos) {
    const std::string_view scheme = rest.substr(0, scheme_end);
    rest.remove_prefix(scheme_end + 3);
    if (scheme == "http") {
      port = 80;
    } else if (scheme == "https") {
      return quoted(url) + ": https is not supported yet; use http:// or a local proxy";
    } else if (scheme != "pawl") {
      return quoted(url) + ": the URL must begin with http:// or pawl://";
    }
  }
  if (rest.ends_with('/')) rest.remove_suffix(1);
  if (rest.find_first_of("/?#") != std::string_view::npos)
    return quoted(url) + ": the URL must end after the port";
  if (rest.find('@') != std::string_view::npos)
    return quoted(url) + ": a user name or password in the URL is not supported";
  if (rest.find(',') != std::string_view::npos)
    return quoted(url) + ": several addresses are not supported yet; name one";

  std::string_view host = rest;
  if (rest.starts_with('[')) {
    const std::size_t end = rest.find(']');
    if (end == std::string_view::npos) return quoted(url) + ": ']' is missing";
    host = rest.substr(1, end - 1);
    rest.remove_prefix(end + 1);
    if (!rest.empty() && rest[0] != ':') return quoted(url) + ": a port must follow the ']'";
  } else {
    host = rest.substr(0, rest.find(':'));
    rest.remove_prefix(host.size());
    if (rest.find(':', 1) != std::string_view::npos)
      return quoted(url) + ": put an IPv6 address in brackets, as in http://[::1]:7420";
  }
  const bool bracketed = !host.empty() && host.find(':') != std::string_view::npos;
  if (host.empty()) return quoted(url) + ": the host is missing";
  if (!std::all_of(host.begin(), host.end(), bracketed ? is_address_letter : is_host_letter))
    return quoted(url) + ": the host has a character that no host has";
  if (!rest.empty()) port = parse_port(rest.substr(1));
  if (!port) return quoted(url) + ": the port must be a number from 1 to 65535";
  return Address{std::string(host), *port};
}

}  // namespace pawl::cli
