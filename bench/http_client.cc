#include "http_client.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "tool.h"

namespace chandler::bench {
namespace {

constexpr int kSilenceMs = 30'000;
constexpr size_t kKeptBody = 400;

[[noreturn]] void fail_tls(std::string_view what) {
  fail(fmt::format("{}: {}", what, ERR_reason_error_string(ERR_get_error()) ?: "the peer closed the connection"));
}

int connect_to(int port) {
  const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (descriptor < 0 || ::connect(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    fail(fmt::format("connecting to port {}: {}", port, std::strerror(errno)));
  }
  const int on = 1;
  ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return descriptor;
}

}  // namespace

TlsContext client_context(bool http2) {
  TlsContext context(SSL_CTX_new(TLS_client_method()));
  if (!context) fail_tls("TLS");
  SSL_CTX_set_read_ahead(context.get(), 1);
  static constexpr unsigned char kHttp2[] = {2, 'h', '2'};
  if (http2) SSL_CTX_set_alpn_protos(context.get(), kHttp2, sizeof kHttp2);
  return context;
}

Connection::Connection(SSL_CTX& context, int port) : descriptor_(connect_to(port)), tls_(SSL_new(&context)) {
  if (!tls_ || SSL_set_fd(tls_.get(), descriptor_) != 1 || SSL_connect(tls_.get()) != 1) fail_tls("TLS handshake");
  ::fcntl(descriptor_, F_SETFL, ::fcntl(descriptor_, F_GETFL) | O_NONBLOCK);
}

Connection::~Connection() { ::close(descriptor_); }

// An error ends the program, so the library's queue of errors is always empty before a call.
void Connection::send(std::string_view request) {
  if (SSL_write(tls_.get(), request.data(), static_cast<int>(request.size())) <= 0) fail_tls("sending a request");
}

std::string_view Connection::receive() {
  const int count = SSL_read(tls_.get(), buffer_.data(), static_cast<int>(buffer_.size()));
  if (count > 0) return {buffer_.data(), static_cast<size_t>(count)};
  if (SSL_get_error(tls_.get(), count) != SSL_ERROR_WANT_READ) fail_tls("reading a response");
  return {};
}

bool ResponseReader::take(std::string_view bytes) {
  while (!bytes.empty()) {
    switch (state_) {
      case State::kDone:
        state_ = State::kHead;
        body_bytes_ = 0;
        body_start_.clear();
        line_.clear();
        break;
      case State::kHead: {
        const size_t before = line_.size();
        line_ += bytes;
        const size_t end = line_.find("\r\n\r\n", before < 3 ? 0 : before - 3);
        if (end == std::string::npos) return false;
        bytes.remove_prefix(end + 4 - before);
        line_.resize(end + 2);
        read_head();
        break;
      }
      case State::kBody:
      case State::kChunk: {
        const auto part = bytes.substr(0, static_cast<size_t>(std::min<uint64_t>(left_, bytes.size())));
        count(part);
        bytes.remove_prefix(part.size());
        left_ -= part.size();
        if (left_ == 0) state_ = state_ == State::kBody ? State::kDone : State::kChunkEnd;
        break;
      }
      case State::kChunkSize:
      case State::kChunkEnd:
      case State::kTrailer: {
        const size_t end = bytes.find('\n');
        line_ += bytes.substr(0, end);
        if (end == std::string_view::npos) return false;
        bytes.remove_prefix(end + 1);
        if (state_ == State::kChunkEnd) {
          state_ = State::kChunkSize;
        } else if (state_ == State::kTrailer) {
          state_ = State::kDone;
        } else {
          left_ = std::strtoull(line_.c_str(), nullptr, 16);
          state_ = left_ == 0 ? State::kTrailer : State::kChunk;
        }
        line_.clear();
        break;
      }
    }
    if (state_ == State::kDone && !bytes.empty()) fail("more bytes than one response");
  }
  return state_ == State::kDone;
}

void ResponseReader::read_head() {
  status_ = line_.size() > 12 ? std::atoi(line_.c_str() + 9) : 0;
  left_ = 0;
  bool chunked = false;
  for (size_t at = line_.find('\n'); at != std::string::npos && at + 1 < line_.size(); at = line_.find('\n', at + 1)) {
    const char* header = line_.c_str() + at + 1;
    if (::strncasecmp(header, "content-length:", 15) == 0) left_ = std::strtoull(header + 15, nullptr, 10);
    if (::strncasecmp(header, "transfer-encoding: chunked", 26) == 0) chunked = true;
  }
  state_ = chunked ? State::kChunkSize : left_ > 0 ? State::kBody : State::kDone;
  line_.clear();
}

void ResponseReader::count(std::string_view body) {
  body_bytes_ += body.size();
  if (body_start_.size() < kKeptBody) body_start_ += body.substr(0, kKeptBody - body_start_.size());
}

Poller::Poller() : descriptor_(::epoll_create1(EPOLL_CLOEXEC)) {
  if (descriptor_ < 0) fail(fmt::format("epoll: {}", std::strerror(errno)));
}

Poller::~Poller() { ::close(descriptor_); }

void Poller::add(int descriptor, size_t index) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = index;
  if (::epoll_ctl(descriptor_, EPOLL_CTL_ADD, descriptor, &event) != 0) {
    fail(fmt::format("epoll: {}", std::strerror(errno)));
  }
}

int Poller::wait_for_events() {
  const int count = ::epoll_wait(descriptor_, events_.data(), static_cast<int>(events_.size()), kSilenceMs);
  if (count == 0) fail("no answer for 30 s");
  if (count < 0 && errno != EINTR) fail(fmt::format("epoll: {}", std::strerror(errno)));
  return std::max(count, 0);
}

std::string request_head(std::string_view method, std::string_view path, std::string_view token, size_t body_bytes) {
  std::string head = fmt::format("{} {} HTTP/1.1\r\nHost: 127.0.0.1\r\n", method, path);
  if (!token.empty()) head += fmt::format("Authorization: Bearer {}\r\n", token);
  if (body_bytes > 0) head += fmt::format("Content-Type: application/json\r\nContent-Length: {}\r\n", body_bytes);
  return head + "\r\n";
}

}  // namespace chandler::bench
