#include "http/server.h"

#include <fmt/format.h>
#include <netinet/tcp.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "base/log.h"
#include "http/asio.h"
#include "http/connection.h"
#include "http/loop.h"
#include "http/server_state.h"

namespace chandler::http {

namespace {

using asio::ip::tcp;
using Acceptor = asio::basic_socket_acceptor<tcp, asio::io_context::executor_type>;

constexpr int kBacklog = 4096;
// Pause after a failed accept (no file descriptors left): trying at once would spin.
constexpr std::chrono::milliseconds kAcceptPause{100};
constexpr std::chrono::seconds kReportPause{30};

template <int Level, int Name>
using IntegerOption = asio::detail::socket_option::integer<Level, Name>;

Error cannot_listen(const ServerOptions& options, const error_code& ec) {
  Error error;
  error.message = fmt::format("cannot listen on {}:{}: {}", options.host, options.port, ec.message());
  if (ec == asio::error::address_in_use)
    error.message += "; stop the process that has this port or choose another port";
  if (ec == asio::error::access_denied) error.message += "; ports below 1024 need a privilege, choose a higher one";
  return error;
}

// One acceptor deals its sockets to the loops in turn. With SO_REUSEPORT per loop the kernel would deal by a hash,
// which is uneven for few long connections, and a second server on the same port would go unnoticed.
class TcpServer final : public Server {
 public:
  TcpServer(std::shared_ptr<ServerState> state, std::vector<std::unique_ptr<Loop>> loops)
      : state_(std::move(state)),
        loops_(std::move(loops)),
        acceptor_(loops_.front()->context()),
        retry_(loops_.front()->context()) {}
  ~TcpServer() override { stop(std::chrono::milliseconds(0)); }

  Result<void> bind();
  uint16_t port() const override { return port_; }
  void start() override CH_EXCLUDES(mutex_);
  void stop(std::chrono::milliseconds grace) override CH_EXCLUDES(mutex_);
  Result<void> reload(const TlsFiles& tls) override;

 private:
  void accept_next();
  void accepted(Loop& loop, Socket socket);
  void report_not_accepted(error_code ec);

  const std::shared_ptr<ServerState> state_;
  const std::vector<std::unique_ptr<Loop>> loops_;
  // Used on the first loop once started.
  Acceptor acceptor_;
  asio::steady_timer retry_;
  size_t next_loop_ = 0;
  uint64_t not_accepted_ = 0;  // since the last report
  std::chrono::steady_clock::time_point next_report_{};
  uint16_t port_ = 0;

  Mutex mutex_;  // held through stop(): a second call returns when the first is done
  bool started_ CH_GUARDED_BY(mutex_) = false;
  bool stopped_ CH_GUARDED_BY(mutex_) = false;
};

Result<void> TcpServer::bind() {
  const ServerOptions& options = state_->options;
  error_code ec;
  tcp::resolver resolver(loops_.front()->context());
  const auto found = resolver.resolve(options.host, std::to_string(options.port), tcp::resolver::passive, ec);
  if (ec) return cannot_listen(options, ec);
  const tcp::endpoint endpoint = found.begin()->endpoint();
  acceptor_.open(endpoint.protocol(), ec);
  if (!ec) acceptor_.set_option(tcp::acceptor::reuse_address(true), ec);
  // Accepted sockets inherit these. Keep-alive finds the clients of parked streams that vanished without a word.
  if (!ec) acceptor_.set_option(tcp::no_delay(true), ec);
  if (!ec) acceptor_.set_option(asio::socket_base::keep_alive(true), ec);
  if (!ec) acceptor_.set_option(IntegerOption<IPPROTO_TCP, TCP_KEEPIDLE>(30), ec);
  if (!ec) acceptor_.set_option(IntegerOption<IPPROTO_TCP, TCP_KEEPINTVL>(15), ec);
  if (!ec) acceptor_.set_option(IntegerOption<IPPROTO_TCP, TCP_KEEPCNT>(4), ec);
  if (!ec) acceptor_.bind(endpoint, ec);
  if (!ec) acceptor_.listen(kBacklog, ec);
  if (!ec) port_ = acceptor_.local_endpoint(ec).port();
  if (ec) return cannot_listen(options, ec);
  return {};
}

void TcpServer::start() {
  MutexLock lock(mutex_);
  if (started_ || stopped_) return;
  started_ = true;
  for (const auto& loop : loops_) loop->start();
  asio::post(loops_.front()->context(), [this] { accept_next(); });
}

void TcpServer::accept_next() {
  Loop& loop = *loops_[next_loop_];
  acceptor_.async_accept(loop.context(), [this, &loop](error_code ec, Socket socket) {
    if (!acceptor_.is_open()) return;
    if (!ec) {
      accepted(loop, std::move(socket));
    } else if (ec != asio::error::connection_aborted) {
      report_not_accepted(ec);
      retry_.expires_after(kAcceptPause);
      retry_.async_wait([this](error_code stopped) {
        if (!stopped && acceptor_.is_open()) accept_next();
      });
      return;
    }
    accept_next();
  });
}

// Every attempt fails while the limit is reached, and there are ten in a second.
void TcpServer::report_not_accepted(error_code ec) {
  ++not_accepted_;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_report_) return;
  next_report_ = now + kReportPause;
  const uint64_t attempts = std::exchange(not_accepted_, 0);
  const auto open = state_->open_connections.load();
  if (ec != asio::error::no_descriptors) {
    const bool system_wide = ec == boost::system::errc::too_many_files_open_in_system;
    log::warn("cannot accept connections", {{"error", ec.message()},
                                            {"attempts", attempts},
                                            {"connections", open},
                                            {"remedy", system_wide ? "raise fs.file-max of the machine" : ""}});
    return;
  }
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  log::warn(
      "cannot accept connections: no file descriptors are left",
      {{"limit", "RLIMIT_NOFILE"},
       {"value", limit.rlim_cur},
       {"attempts", attempts},
       {"connections", open},
       {"remedy", "raise LimitNOFILE= of the unit (ulimit -Hn, prlimit --nofile); waiting clients are then accepted"}});
}

void TcpServer::accepted(Loop& loop, Socket socket) {
  if (state_->open_connections.load() >= state_->options.max_connections) {
    state_->rejected_total.add();
    return;
  }
  next_loop_ = (next_loop_ + 1) % loops_.size();
  auto connection = std::make_shared<Connection>(loop, std::move(socket));
  asio::post(loop.context(), [connection = std::move(connection)] { connection->start(); });
}

void TcpServer::stop(std::chrono::milliseconds grace) {
  MutexLock lock(mutex_);
  if (std::exchange(stopped_, true)) return;
  if (!started_) {
    error_code ec;
    acceptor_.close(ec);
    return;
  }
  asio::post(loops_.front()->context(), [this] {
    error_code ec;
    acceptor_.close(ec);
    retry_.cancel();
  });
  const auto until = std::chrono::steady_clock::now() + grace;
  for (const auto& loop : loops_) loop->drain();
  for (const auto& loop : loops_) loop->wait_until_empty(until);
  // The first loop, which deals, is the first to end: the others then run all that was dealt to them.
  for (const auto& loop : loops_) loop->finish();
}

Result<void> TcpServer::reload(const TlsFiles& tls) {
  CH_TRY_LET(context, make_server_tls(tls, state_->options.http2));
  state_->set_tls(std::move(context));
  return {};
}

}  // namespace

Result<std::unique_ptr<Server>> Server::listen(ServerOptions options, Handler handler, metrics::Registry& metrics) {
  TlsContext tls;
  if (options.tls) {
    CH_TRY_LET(context, make_server_tls(*options.tls, options.http2));
    tls = std::move(context);
  }
  const size_t threads = std::max<size_t>(1, options.io_threads);
  auto state = std::make_shared<ServerState>(std::move(options), std::move(handler), metrics, std::move(tls));
  std::vector<std::unique_ptr<Loop>> loops;
  for (size_t i = 0; i < threads; ++i) loops.push_back(std::make_unique<Loop>(state, i));
  auto server = std::make_unique<TcpServer>(std::move(state), std::move(loops));
  CH_TRY(server->bind());
  return std::unique_ptr<Server>(std::move(server));
}

}  // namespace chandler::http
