// The limit for many watchers: one thread writes the same bytes to N TLS sockets, another reads them all.
//   bench_fanout_limit --watchers N --rounds R --bytes B --certificate FILE --key FILE
// Prints: p50_us, from the first write to the last read of a round.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

#include "http_client.h"
#include "tool.h"

namespace chandler::bench {
namespace {

// The side that writes. Serves on a thread of its own what the rounds ask for.
class Sender {
 public:
  explicit Sender(const Args& args)
      : count_(static_cast<size_t>(args.number("watchers"))),
        rounds_(args.number("rounds")),
        text_(filler(static_cast<size_t>(args.number("bytes")))),
        context_(SSL_CTX_new(TLS_server_method())),
        listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (SSL_CTX_use_certificate_chain_file(context_.get(), args.text("certificate").c_str()) != 1 ||
        SSL_CTX_use_PrivateKey_file(context_.get(), args.text("key").c_str(), SSL_FILETYPE_PEM) != 1) {
      fail("the certificate or its key cannot be read");
    }
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), length) != 0 || ::listen(listener_, 128) != 0 ||
        ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length) != 0) {
      fail(fmt::format("listening: {}", std::strerror(errno)));
    }
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~Sender() {
    thread_.join();
    ::close(listener_);
  }
  Sender(const Sender&) = delete;
  Sender& operator=(const Sender&) = delete;

  int port() const { return port_; }
  void start_round() { start_.release(); }

 private:
  void serve() {
    std::vector<Tls> sockets;
    for (size_t i = 0; i < count_; ++i) {
      const int descriptor = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      const int on = 1;
      ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      sockets.emplace_back(SSL_new(context_.get()));
      if (descriptor < 0 || SSL_set_fd(sockets.back().get(), descriptor) != 1 ||
          SSL_accept(sockets.back().get()) != 1) {
        fail("TLS handshake on the server's side");
      }
    }
    for (int64_t i = 0; i < rounds_; ++i) {
      start_.acquire();
      for (auto& socket : sockets) {
        if (SSL_write(socket.get(), text_.data(), static_cast<int>(text_.size())) <= 0) fail("writing");
      }
    }
    start_.acquire();  // stay until all is read
    for (auto& socket : sockets) ::close(SSL_get_fd(socket.get()));
  }

  size_t count_;
  int64_t rounds_;
  std::string text_;
  TlsContext context_;
  int listener_;
  int port_ = 0;
  std::counting_semaphore<> start_{0};
  std::thread thread_;
};

void run(const Args& args) {
  const auto count = static_cast<size_t>(args.number("watchers"));
  const auto bytes = static_cast<size_t>(args.number("bytes"));
  Sender sender(args);
  const TlsContext context = client_context();
  Poller poller;
  std::vector<std::unique_ptr<Connection>> connections;
  for (size_t i = 0; i < count; ++i) {
    connections.push_back(std::make_unique<Connection>(*context, sender.port()));
    poller.add(connections.back()->descriptor(), i);
  }
  std::vector<double> times;
  const int64_t rounds = args.number("rounds");
  for (int64_t round = 0; round < rounds; ++round) {
    std::vector<size_t> got(count);
    size_t waiting = count;
    const auto begin = Clock::now();
    sender.start_round();
    while (waiting > 0) {
      poller.wait([&](size_t index) {
        const size_t before = got[index];
        for (auto part = connections[index]->receive(); !part.empty(); part = connections[index]->receive()) {
          got[index] += part.size();
        }
        if (before < bytes && got[index] == bytes) --waiting;
      });
    }
    times.push_back(seconds_between(begin, Clock::now()) * 1e6);
  }
  sender.start_round();
  fmt::print("p50_us={:.1f}\n", percentile(times, 0.5));
}

}  // namespace
}  // namespace chandler::bench

int main(int argc, char** argv) {
  chandler::bench::run(chandler::bench::Args(argc, argv));
  return 0;
}
