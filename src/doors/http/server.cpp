// SPDX-License-Identifier: Apache-2.0
#include "doors/http/server.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <utility>
#include <vector>

#include "doors/http/handler.h"
#include "doors/http/response.h"
#include "doors/http/sessions.h"

namespace pawl::doors::http {
namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;
using Acceptor = boost::asio::basic_socket_acceptor<tcp, boost::asio::io_context::executor_type>;

constexpr int kBacklog = 4096;
constexpr std::chrono::milliseconds kAcceptPause{100};

std::string to_address(const tcp::endpoint& endpoint) {
  const std::string host = endpoint.address().to_string();
  const std::string port = std::to_string(endpoint.port());
  return endpoint.address().is_v6() ? "[" + host + "]:" + port : host + ":" + port;
}

// The whole answer to those who come while there are too many.
std::string turned_away(Handler& handler) {
  service::Problem problem;
  problem.code = service::ProblemCode::too_many;
  problem.detail = "There are as many connections as this node serves.";
  const Answer answer = handler.refusal(problem);
  std::string text;
  append_head(text, answer, {.keep = false, .date = http_date(std::time(nullptr))});
  return text + answer.body;
}

error_code listen(Acceptor& acceptor, const ServerOptions& options) {
  error_code error;
  tcp::resolver resolver(acceptor.get_executor());
  const auto found =
      resolver.resolve(options.host, std::to_string(options.port),
                       tcp::resolver::passive | tcp::resolver::numeric_service, error);
  if (error) return error;
  const tcp::endpoint endpoint = found.begin()->endpoint();
  if (acceptor.open(endpoint.protocol(), error)) return error;
  if (acceptor.set_option(Acceptor::reuse_address(true), error)) return error;
  if (acceptor.bind(endpoint, error)) return error;
  return acceptor.listen(kBacklog, error);
}

}  // namespace

class Server::Impl : public std::enable_shared_from_this<Server::Impl> {
 public:
  Impl(boost::asio::io_context& io, std::shared_ptr<Handler> handler, const ServerOptions& options,
       Acceptor acceptor)
      : io_(io),
        options_(options),
        handler_(std::move(handler)),
        turned_away_(turned_away(*handler_)),
        acceptor_(std::move(acceptor)),
        endpoint_(acceptor_.local_endpoint()),
        pause_(io),
        patience_(io),
        sessions_(std::make_shared<Sessions>(io, handler_, options, [this] { left(); })) {}

  const tcp::endpoint& endpoint() const { return endpoint_; }
  const Sessions& sessions() const { return *sessions_; }

  void accept();
  void close(std::chrono::milliseconds patience, ports::Action done);
  void stop();

 private:
  void accepted(const error_code& error, Socket socket);
  void turn_away(Socket& socket);
  void accept_failed(const error_code& error);
  void left();

  boost::asio::io_context& io_;
  const ServerOptions options_;
  const std::shared_ptr<Handler> handler_;
  const std::string turned_away_;
  Acceptor acceptor_;
  const tcp::endpoint endpoint_;
  boost::asio::steady_timer pause_;
  boost::asio::steady_timer patience_;
  bool closing_ = false;
  std::vector<ports::Action> done_;
  const std::shared_ptr<Sessions> sessions_;
};

void Server::Impl::accept() {
  acceptor_.async_accept([weak = weak_from_this()](const error_code& error, Socket socket) {
    if (const auto self = weak.lock()) self->accepted(error, std::move(socket));
  });
}

void Server::Impl::accepted(const error_code& error, Socket socket) {
  if (closing_) return;
  if (error) return accept_failed(error);
  if (sessions_->size() >= options_.max_connections) {
    turn_away(socket);
  } else {
    sessions_->open(std::move(socket));
  }
  accept();
}

void Server::Impl::turn_away(Socket& socket) {
  handler_->connection_refused("too_many");
  send_now(socket, turned_away_, {});
  error_code ignored;
  socket.shutdown(Socket::shutdown_send, ignored);
}

void Server::Impl::accept_failed(const error_code& error) {
  const int code = error.value();
  if (code == ECONNABORTED || code == EPROTO || code == EINTR) return accept();  // just this one
  // Trying again at once cures nothing, and would keep the loop busy.
  const bool none_left = code == EMFILE || code == ENFILE;
  handler_->connection_refused(none_left ? "no_descriptors" : "accept_failed");
  pause_.expires_after(kAcceptPause);
  pause_.async_wait([weak = weak_from_this()](const error_code&) {
    const auto self = weak.lock();
    if (self && !self->closing_) self->accept();
  });
}

void Server::Impl::close(std::chrono::milliseconds patience, ports::Action done) {
  closing_ = true;
  done_.push_back(std::move(done));
  error_code ignored;
  acceptor_.close(ignored);
  pause_.cancel();
  patience_.expires_after(patience);
  patience_.async_wait([weak = weak_from_this()](const error_code& error) {
    const auto self = weak.lock();
    if (self && !error) self->sessions_->cut_all();
  });
  sessions_->wind_down();
  left();
}

void Server::Impl::stop() {
  closing_ = true;
  done_.clear();
  error_code ignored;
  acceptor_.close(ignored);
  pause_.cancel();
  patience_.cancel();
  sessions_->cut_all();
}

void Server::Impl::left() {
  if (done_.empty() || sessions_->size() > 0) return;
  patience_.cancel();
  for (ports::Action& done : std::exchange(done_, {})) boost::asio::post(io_, std::move(done));
}

ports::Result<std::unique_ptr<Server>, std::string> Server::open(boost::asio::io_context& io,
                                                                 std::shared_ptr<Handler> handler,
                                                                 const ServerOptions& options) {
  Acceptor acceptor(io.get_executor());
  if (const error_code error = listen(acceptor, options)) {
    return "can't listen on " + options.host + ":" + std::to_string(options.port) + ": " +
           error.message();
  }
  auto impl = std::make_shared<Impl>(io, std::move(handler), options, std::move(acceptor));
  impl->accept();
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

Server::Server(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

Server::~Server() { impl_->stop(); }

std::string Server::address() const { return to_address(impl_->endpoint()); }

std::uint16_t Server::port() const { return impl_->endpoint().port(); }

std::size_t Server::connections() const { return impl_->sessions().size(); }

std::size_t Server::event_readers() const { return impl_->sessions().event_readers(); }

void Server::close(std::chrono::milliseconds patience, ports::Action done) {
  impl_->close(patience, std::move(done));
}

}  // namespace pawl::doors::http
