// SPDX-License-Identifier: Apache-2.0
// Reads one HTTP/1.x request from bytes as they come, and keeps of it what the Api wants to know.
// Beast's parser does the reading; the bounds on the head are ours, since Beast counts only what
// is in the buffer. Nothing is allocated for what a request merely announces. One thread.
#pragma once

#include <boost/beast/http/basic_parser.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "doors/http/api.h"

namespace pawl::doors::http {

// A session keeps one, so that requests of usual size cost no allocation.
struct RequestText {
  std::string method;
  std::string target;
  std::string content_type;
  std::string last_event_id;
  std::string body;
  std::string host;
  std::string origin;
  std::string fetch_site;

  Request view() const {
    return {method, target, content_type, last_event_id, body, host, origin, fetch_site};
  }
  void clear();
  // For one that is done with: gives back what an unusually large request took.
  void trim();
};

struct RequestBounds {
  std::size_t max_header_bytes;
  std::size_t max_body_bytes;
};

class RequestParser final : private boost::beast::http::basic_parser<true> {
 public:
  enum class Fault : std::uint8_t { none, malformed, head_too_large, body_too_large };

  // Writes to `into`, which must outlive it.
  RequestParser(RequestText& into, const RequestBounds& bounds);

  // Takes what it can from the front of `bytes` and says how much. The rest must be offered again,
  // with more behind it. Not after the request is done() or has a fault.
  std::size_t take(std::string_view bytes);

  bool head_done() const { return is_header_done(); }
  bool done() const { return is_done() && fault_ == Fault::none; }
  Fault fault() const { return fault_; }
  const std::string& why() const { return why_; }  // the fault, in a few words

  // Only if head_done().
  bool keeps_alive() const { return keep_alive(); }
  bool wants_continue() const { return expects_continue_ && http_1_1_; }
  bool http_1_1() const { return http_1_1_; }

 private:
  using Verb = boost::beast::http::verb;
  using FieldName = boost::beast::http::field;
  using Text = boost::beast::string_view;
  using Error = boost::beast::error_code;

  void on_request_impl(Verb method, Text method_text, Text target, int version,
                       Error& error) override;
  void on_response_impl(int status, Text reason, int version, Error& error) override;
  void on_field_impl(FieldName name, Text name_text, Text value, Error& error) override;
  void on_header_impl(Error& error) override;
  void on_body_init_impl(const boost::optional<std::uint64_t>& length, Error& error) override;
  std::size_t on_body_impl(Text piece, Error& error) override;
  void on_chunk_header_impl(std::uint64_t size, Text extensions, Error& error) override;
  std::size_t on_chunk_body_impl(std::uint64_t left, Text piece, Error& error) override;
  void on_finish_impl(Error& error) override;

  // False: the head is too large.
  bool count_head(std::size_t bytes, Error& error);
  void take_host(Text value, Error& error);
  void refuse(std::string_view why, Error& error);
  void fail(const Error& error);

  RequestText& text_;
  const std::size_t max_header_bytes_;
  std::size_t head_bytes_ = 0;
  bool head_read_ = false;  // fields from now on are trailers
  bool http_1_1_ = true;
  bool has_host_ = false;
  bool expects_continue_ = false;
  Fault fault_ = Fault::none;
  std::string why_;
};

}  // namespace pawl::doors::http
