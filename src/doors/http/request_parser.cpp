// SPDX-License-Identifier: Apache-2.0
#include "doors/http/request_parser.h"

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/field.hpp>
#include <boost/beast/http/verb.hpp>
#include <utility>

#include "core/assert.h"
#include "doors/http/buffer.h"

namespace pawl::doors::http {
namespace {

namespace beast_http = boost::beast::http;

// " HTTP/1.1" with its blanks and line end; ": " and a line end.
constexpr std::size_t kRequestLineExtra = 12;
constexpr std::size_t kFieldExtra = 4;
// "0", a line end, no trailers, a line end.
constexpr std::size_t kShortestChunkedEnd = 5;

// What a host and its port may be made of (RFC 3986); what they mean is for others to judge.
constexpr std::string_view kHostMarks = "-._~%!$&'()*+,;=:[]";

std::array<std::string*, 8> parts_of(RequestText& text) {
  return {&text.method, &text.target, &text.content_type, &text.last_event_id,
          &text.body,   &text.host,   &text.origin,       &text.fetch_site};
}

void assign(std::string& to, boost::beast::string_view from) {
  to.assign(from.data(), from.size());
}

// A field that is sent twice must not hide its first value.
void add(std::string& to, boost::beast::string_view from) {
  if (!to.empty()) to += ", ";
  to.append(from.data(), from.size());
}

bool may_be_in_a_host(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         kHostMarks.find(c) != std::string_view::npos;
}

}  // namespace

void RequestText::clear() {
  for (std::string* text : parts_of(*this)) text->clear();
}

void RequestText::trim() {
  for (std::string* text : parts_of(*this)) give_back_if_large(*text);
}

RequestParser::RequestParser(RequestText& into, const RequestBounds& bounds)
    : text_(into), max_header_bytes_(bounds.max_header_bytes) {
  text_.clear();
  eager(true);
  header_limit(static_cast<std::uint32_t>(bounds.max_header_bytes));
  body_limit(bounds.max_body_bytes);
}

std::size_t RequestParser::take(std::string_view bytes) {
  PAWL_ASSERT(!done() && fault_ == Fault::none);
  // A chunked body never ends with less, and Beast asserts that it is not asked to look at less.
  if (head_done() && chunked() && bytes.size() < kShortestChunkedEnd) return 0;
  Error error;
  const std::size_t taken = put(boost::asio::const_buffer(bytes.data(), bytes.size()), error);
  if (error == beast_http::error::need_more) {
    // Whatever it is that needs so much room, a field, a chunk's extension or a trailer.
    if (bytes.size() - taken >= max_header_bytes_) fail(beast_http::error::header_limit);
  } else if (error) {
    fail(error);
  }
  return taken;
}

void RequestParser::on_request_impl(Verb /*method*/, Text method_text, Text target, int version,
                                    Error& error) {
  http_1_1_ = version >= 11;
  assign(text_.method, method_text);
  assign(text_.target, target);
  count_head(method_text.size() + target.size() + kRequestLineExtra, error);
}

void RequestParser::on_response_impl(int /*status*/, Text /*reason*/, int /*version*/,
                                     Error& /*error*/) {
  PAWL_ASSERT(false && "a parser of requests saw a response");
}

void RequestParser::on_field_impl(FieldName name, Text name_text, Text value, Error& error) {
  if (!count_head(name_text.size() + value.size() + kFieldExtra, error) || head_read_) return;
  if (name == FieldName::host) {
    take_host(value, error);
  } else if (name == FieldName::content_type) {
    assign(text_.content_type, value);
  } else if (name_text.size() == 13 && boost::beast::iequals(name_text, "Last-Event-ID")) {
    assign(text_.last_event_id, value);
  } else if (name == FieldName::origin) {
    add(text_.origin, value);
  } else if (name == FieldName::sec_fetch_site) {
    add(text_.fetch_site, value);
  } else if (name == FieldName::expect) {
    expects_continue_ = boost::beast::iequals(value, "100-continue");
  } else if (name == FieldName::transfer_encoding) {
    // Anything else would leave us and a proxy of two minds about where the request ends.
    if (!http_1_1_ || !boost::beast::iequals(value, "chunked")) {
      error = beast_http::error::bad_transfer_encoding;
    }
  }
}

void RequestParser::on_header_impl(Error& error) {
  head_read_ = true;
  if (http_1_1_ && !has_host_) refuse("there is no Host field", error);
}

// Not reserved: a length is only a claim.
void RequestParser::on_body_init_impl(const boost::optional<std::uint64_t>& /*length*/,
                                      Error& /*error*/) {}

std::size_t RequestParser::on_body_impl(Text piece, Error& /*error*/) {
  text_.body.append(piece.data(), piece.size());
  return piece.size();
}

void RequestParser::on_chunk_header_impl(std::uint64_t /*size*/, Text /*extensions*/,
                                         Error& /*error*/) {}

std::size_t RequestParser::on_chunk_body_impl(std::uint64_t /*left*/, Text piece, Error& error) {
  return on_body_impl(piece, error);
}

void RequestParser::on_finish_impl(Error& /*error*/) {}

// Fields that come in pieces are taken one by one, and only their sum tells that they don't end.
bool RequestParser::count_head(std::size_t bytes, Error& error) {
  head_bytes_ += bytes;
  if (head_bytes_ <= max_header_bytes_) return true;
  error = beast_http::error::header_limit;
  return false;
}

// Beast does not mind how many there are, and what they say; RFC 9112 (3.2) does.
void RequestParser::take_host(Text value, Error& error) {
  if (std::exchange(has_host_, true)) return refuse("there is more than one Host field", error);
  if (!std::all_of(value.begin(), value.end(), may_be_in_a_host))
    return refuse("the Host field has no host and port in it", error);
  assign(text_.host, value);
}

void RequestParser::refuse(std::string_view why, Error& error) {
  why_ = why;
  error = beast_http::error::bad_value;
}

void RequestParser::fail(const Error& error) {
  fault_ = Fault::malformed;
  if (error == beast_http::error::header_limit) fault_ = Fault::head_too_large;
  if (error == beast_http::error::body_limit) fault_ = Fault::body_too_large;
  if (why_.empty()) why_ = error.message();
}

}  // namespace pawl::doors::http
