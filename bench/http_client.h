// A small HTTP/1.1 client over TLS for measuring on loopback: connections that do not block, a reader of responses that
// counts bytes instead of keeping them, and a poller over many connections. Certificates are not verified.
#pragma once

#include <openssl/ssl.h>
#include <sys/epoll.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>

namespace chandler::bench {

struct FreeTls {
  void operator()(SSL* s) const { SSL_free(s); }
  void operator()(SSL_CTX* c) const { SSL_CTX_free(c); }
};
using TlsContext = std::unique_ptr<SSL_CTX, FreeTls>;
using Tls = std::unique_ptr<SSL, FreeTls>;

TlsContext client_context(bool http2 = false);  // asks for HTTP/2, which is then spoken by the caller

class Connection {
 public:
  // Connects to the port on loopback and shakes hands before it returns.
  Connection(SSL_CTX& context, int port);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  int descriptor() const { return descriptor_; }
  // For requests that fit into the socket's buffer, on a connection that waits for none.
  void send(std::string_view request);
  // What has arrived, decrypted, valid until the next call; empty: nothing for now. The peer must not close.
  std::string_view receive();

 private:
  int descriptor_;
  Tls tls_;
  std::array<char, 64 * 1024> buffer_;
};

// Follows one response after the other on a connection: status, length of the body, end.
class ResponseReader {
 public:
  // Takes bytes in order; true when they end a response. More bytes than that are a fault: there is no pipelining.
  bool take(std::string_view bytes);
  int status() const { return status_; }
  uint64_t body_bytes() const { return body_bytes_; }
  const std::string& body_start() const { return body_start_; }  // for messages

 private:
  enum class State { kHead, kBody, kChunkSize, kChunk, kChunkEnd, kTrailer, kDone };
  void read_head();
  void count(std::string_view body);

  State state_ = State::kDone;
  std::string line_;  // of the head, or a chunk's size: what of it has arrived
  int status_ = 0;
  uint64_t left_ = 0;  // of the body or the chunk
  uint64_t body_bytes_ = 0;
  std::string body_start_;
};

// Which of many descriptors can be read.
class Poller {
 public:
  Poller();
  ~Poller();
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;

  void add(int descriptor, size_t index);
  // Waits until there is something to read and calls `ready(index)` for each; ends the program after 30 s of silence.
  template <typename Ready>
  void wait(const Ready& ready) {
    const int count = wait_for_events();
    for (int i = 0; i < count; ++i) ready(static_cast<size_t>(events_[static_cast<size_t>(i)].data.u64));
  }

 private:
  int wait_for_events();

  int descriptor_;
  std::array<epoll_event, 256> events_;
};

// The head of a request with a bearer token.
std::string request_head(std::string_view method, std::string_view path, std::string_view token, size_t body_bytes = 0);

}  // namespace chandler::bench
