// SPDX-License-Identifier: Apache-2.0
#include "cli/http_client.h"

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "cli/socket.h"

namespace pawl::cli {
namespace {

namespace http = boost::beast::http;
using Clock = std::chrono::steady_clock;
using Parser = http::response_parser<http::string_body>;

constexpr std::uint32_t kMaxHeaderBytes = 64 * 1024;
// A full page of the longest records there can be.
constexpr std::uint64_t kMaxBodyBytes = std::uint64_t{64} << 20;
constexpr std::chrono::seconds kConnectPatience{5};

std::string bytes_of(const HttpRequest& request, const Address& address) {
  std::string bytes(request.method);
  bytes += " " + request.target + " HTTP/1.1\r\nHost: " + address.authority() +
           "\r\nUser-Agent: pawl\r\nConnection: close\r\nAccept: ";
  bytes += request.accept;
  bytes += "\r\n";
  if (!request.last_event_id.empty()) bytes += "Last-Event-ID: " + request.last_event_id + "\r\n";
  if (request.body) {
    bytes += "Content-Type: application/json\r\nContent-Length: " +
             std::to_string(request.body->size()) + "\r\n\r\n" + *request.body;
  } else {
    bytes += "\r\n";
  }
  return bytes;
}

// Reads one answer from a connection, step by step.
class Reader {
 public:
  explicit Reader(Socket& socket) : socket_(socket) {
    parser_.eager(true);
    parser_.header_limit(kMaxHeaderBytes);
    parser_.body_limit(kMaxBodyBytes);
  }

  // Takes in some more; false when it can't, and why() says the reason.
  bool step(Socket::Deadline deadline) {
    std::array<char, 16 * 1024> piece;
    const Socket::Done received = socket_.receive(piece, deadline);
    if (!received) return fail(received.fault());
    boost::beast::error_code error;
    if (received.value() == 0) {
      if (!parser_.got_some()) return fail("the connection was closed without an answer");
      parser_.put_eof(error);
      return error ? fail("the answer ended too early") : true;
    }
    pending_.append(piece.data(), received.value());
    return parse();
  }

  bool has_header() const { return parser_.is_header_done(); }
  bool is_done() const { return parser_.is_done(); }
  int status() const { return static_cast<int>(parser_.get().result_int()); }
  void unbounded() { parser_.body_limit(boost::none); }
  std::string take_body() { return std::exchange(parser_.get().body(), {}); }
  const std::string& why() const { return why_; }

  HttpResponse response() {
    HttpResponse out;
    out.status = status();
    out.content_type = std::string(parser_.get()[http::field::content_type]);
    out.date = parse_http_date(std::string(parser_.get()[http::field::date]));
    out.body = take_body();
    return out;
  }

 private:
  bool parse() {
    while (!pending_.empty() && !parser_.is_done()) {
      boost::beast::error_code error;
      const std::size_t used = parser_.put(boost::asio::buffer(pending_), error);
      pending_.erase(0, used);
      if (error == http::error::need_more) return true;
      if (error == http::error::body_limit) return fail("the answer is too large");
      if (error) return fail("what came back is not HTTP");
      if (used == 0) return true;
    }
    return true;
  }

  bool fail(std::string why) {
    why_ = std::move(why);
    return false;
  }

  Socket& socket_;
  Parser parser_;
  std::string pending_;
  std::string why_;
};

struct Sent {
  Socket socket;
  bool whole = false;
  std::string why;  // if not whole
};

ports::Result<Sent, HttpFault> send(const Address& address, const HttpRequest& request,
                                    Socket::Deadline deadline) {
  const auto until = std::min(deadline, Clock::now() + kConnectPatience);
  auto socket = Socket::connect(address, until);
  if (!socket) return HttpFault{socket.fault(), false};
  Sent out{std::move(socket).value(), false, {}};
  const Socket::Done sent = out.socket.send(bytes_of(request, address), deadline);
  // A refusal may have come before the end of the request was taken; it is still read.
  out.whole = sent.ok();
  if (!sent) out.why = sent.fault();
  return out;
}

}  // namespace

HttpClient::Reply HttpClient::call(const HttpRequest& request, Patience patience) const {
  const auto deadline = Clock::now() + patience;
  auto sent = send(address_, request, deadline);
  if (!sent) return sent.fault();
  Sent& connection = sent.value();
  Reader reader(connection.socket);
  while (!reader.is_done()) {
    if (!reader.step(deadline))
      return HttpFault{connection.whole ? reader.why() : connection.why, connection.whole};
  }
  return reader.response();
}

HttpClient::Reply HttpClient::follow(const HttpRequest& request, Patience silence,
                                     const OnBytes& on_bytes) const {
  auto sent = send(address_, request, Clock::now() + silence);
  if (!sent) return sent.fault();
  Reader reader(sent.value().socket);
  reader.unbounded();
  std::uint64_t refusal_bytes = 0;
  std::string refusal;
  while (!reader.is_done()) {
    if (!reader.step(Clock::now() + silence)) return HttpFault{reader.why(), true};
    if (!reader.has_header()) continue;
    const std::string piece = reader.take_body();
    if (reader.status() == 200) {
      if (!piece.empty() && !on_bytes(piece)) break;
      continue;
    }
    refusal_bytes += piece.size();
    if (refusal_bytes > kMaxBodyBytes) return HttpFault{"the answer is too large", true};
    refusal += piece;
  }
  HttpResponse response = reader.response();
  response.body = std::move(refusal);
  return response;
}

}  // namespace pawl::cli
