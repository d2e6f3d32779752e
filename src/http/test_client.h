// For the tests of this folder: a blocking client over a raw socket, plain or TLS, that shows exactly what came over
// the wire, and certificates made on the spot.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "http/message.h"
#include "http/server.h"

namespace chandler::http::testing {

struct Certificate {
  std::shared_ptr<X509> x509;
  std::shared_ptr<EVP_PKEY> key;

  std::string pem() const {
    BIO* bio = BIO_new(BIO_s_mem());
    PEM_write_bio_X509(bio, x509.get());
    return drain(bio);
  }
  std::string key_pem() const {
    BIO* bio = BIO_new(BIO_s_mem());
    PEM_write_bio_PrivateKey(bio, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    return drain(bio);
  }
  static std::string drain(BIO* bio) {
    char* data = nullptr;
    const long size = BIO_get_mem_data(bio, &data);
    std::string text(data, static_cast<size_t>(size));
    BIO_free(bio);
    return text;
  }
};

// Signed by `issuer`, or by itself (and then a CA).
inline Certificate make_certificate(const std::string& name, const std::vector<std::string>& organizations = {},
                                    const Certificate* issuer = nullptr) {
  Certificate made;
  made.key.reset(EVP_EC_gen("P-256"), EVP_PKEY_free);
  made.x509.reset(X509_new(), X509_free);
  X509* x = made.x509.get();
  X509_set_version(x, 2);
  static long serial = 1;
  ASN1_INTEGER_set(X509_get_serialNumber(x), serial++);
  X509_gmtime_adj(X509_getm_notBefore(x), -60);
  X509_gmtime_adj(X509_getm_notAfter(x), 3600);
  X509_set_pubkey(x, made.key.get());
  X509_NAME* subject = X509_get_subject_name(x);
  const auto add = [&](const char* field, const std::string& value) {
    X509_NAME_add_entry_by_txt(subject, field, MBSTRING_UTF8, reinterpret_cast<const unsigned char*>(value.data()),
                               static_cast<int>(value.size()), -1, 0);
  };
  for (const auto& organization : organizations) add("O", organization);
  add("CN", name);
  X509_set_issuer_name(x, issuer ? X509_get_subject_name(issuer->x509.get()) : subject);
  if (!issuer) {
    X509_EXTENSION* ca = X509V3_EXT_conf_nid(nullptr, nullptr, NID_basic_constraints, "critical,CA:TRUE");
    X509_add_ext(x, ca, -1);
    X509_EXTENSION_free(ca);
  }
  X509_sign(x, issuer ? issuer->key.get() : made.key.get(), EVP_sha256());
  return made;
}

struct Answer {
  int status = 0;
  std::string head;
  std::string body;
  bool complete = false;  // false: the connection ended before the answer did

  std::string header(std::string_view name) const {
    const std::string start = "\r\n" + std::string(name) + ": ";
    const size_t at = head.find(start);
    if (at == std::string::npos) return {};
    return head.substr(at + start.size(), head.find("\r\n", at + 2) - at - start.size());
  }
};

class Client {
 public:
  explicit Client(uint16_t port) {
    std::signal(SIGPIPE, SIG_IGN);
    socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const timeval limit{20, 0};  // a test that would hang fails instead
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  ~Client() { close(); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  bool connected() const { return connected_; }
  SSL* ssl() { return ssl_.get(); }

  // Wraps the connection in TLS, optionally with a client certificate and an earlier session.
  bool start_tls(const Certificate* own = nullptr, SSL_SESSION* session = nullptr, std::string_view protocols = "") {
    context_.reset(SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
    if (own) {
      SSL_CTX_use_certificate(context_.get(), own->x509.get());
      SSL_CTX_use_PrivateKey(context_.get(), own->key.get());
    }
    ssl_.reset(SSL_new(context_.get()), SSL_free);
    if (!protocols.empty()) {
      SSL_set_alpn_protos(ssl_.get(), reinterpret_cast<const unsigned char*>(protocols.data()),
                          static_cast<unsigned int>(protocols.size()));
    }
    if (session) SSL_set_session(ssl_.get(), session);
    SSL_set_fd(ssl_.get(), socket_);
    const bool done = SSL_connect(ssl_.get()) == 1;
    ERR_clear_error();
    return done;
  }

  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t n = ssl_ ? SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size()))
                             : ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(n));
    }
    return true;
  }

  // Reads one answer; `has_body` false for the answer to a HEAD.
  Answer receive(bool has_body = true) {
    Answer answer;
    const size_t end = read_until("\r\n\r\n");
    if (end == std::string::npos) return answer;
    answer.head = take(end);
    answer.status = std::stoi(answer.head.substr(9, 3));
    if (!has_body || answer.status == 100 || answer.status == 204 || answer.status == 304) {
      answer.complete = true;
    } else if (answer.header("Transfer-Encoding") == "chunked") {
      answer.complete = true;
      for (std::optional<std::string> chunk = receive_chunk();; chunk = receive_chunk()) {
        if (!chunk) answer.complete = false;
        if (!chunk || chunk->empty()) break;
        answer.body += *chunk;
      }
    } else if (const std::string length = answer.header("Content-Length"); !length.empty()) {
      const size_t size = std::stoul(length);
      while (in_.size() < size && read_some()) {
      }
      answer.complete = in_.size() >= size;
      answer.body = take(std::min(size, in_.size()));
    } else {
      while (read_some()) {
      }
      answer.body = take(in_.size());
      answer.complete = true;
    }
    return answer;
  }
  std::string receive_head() {
    const size_t end = read_until("\r\n\r\n");
    return end == std::string::npos ? "" : take(end);
  }
  // "" is the last chunk; nullopt that the connection ended.
  std::optional<std::string> receive_chunk() {
    const size_t line = read_until("\r\n");
    if (line == std::string::npos) return std::nullopt;
    const size_t size = std::stoul(take(line), nullptr, 16);
    while (in_.size() < size + 2) {
      if (!read_some()) return std::nullopt;
    }
    std::string chunk = take(size);
    EXPECT_EQ(take(2), "\r\n");
    return chunk;
  }
  // Whatever has come, as it is; "" when the connection has ended.
  std::string receive_bytes() {
    if (in_.empty()) read_some();
    return take(in_.size());
  }
  // True when the other side closes before it sends anything more.
  bool sees_end() { return in_.empty() && !read_some(); }

  Answer get(const std::string& target) {
    send("GET " + target + " HTTP/1.1\r\nHost: x\r\n\r\n");
    return receive();
  }

  void end_sending() { ::shutdown(socket_, SHUT_WR); }
  void close() {
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
  }

 private:
  std::string take(size_t size) {
    std::string taken = in_.substr(0, size);
    in_.erase(0, size);
    return taken;
  }
  // Position behind the first `mark`.
  size_t read_until(std::string_view mark) {
    for (;;) {
      const size_t at = in_.find(mark);
      if (at != std::string::npos) return at + mark.size();
      if (!read_some()) return std::string::npos;
    }
  }
  bool read_some() {
    char buffer[16 * 1024];
    const ssize_t n = ssl_ ? SSL_read(ssl_.get(), buffer, sizeof buffer) : ::recv(socket_, buffer, sizeof buffer, 0);
    ERR_clear_error();
    if (n <= 0) return false;
    in_.append(buffer, static_cast<size_t>(n));
    return true;
  }

  int socket_ = -1;
  bool connected_ = false;
  std::shared_ptr<SSL_CTX> context_;
  std::shared_ptr<SSL> ssl_;
  std::string in_;
};

// A running server with its metrics.
struct RunningServer {
  explicit RunningServer(Handler handler, ServerOptions options = {}) {
    auto made = Server::listen(std::move(options), std::move(handler), metrics);
    EXPECT_TRUE(made.ok()) << made.error().message;
    server = std::move(made).value();
    server->start();
  }
  uint16_t port() const { return server->port(); }
  // Of "chandler_http_<name>"; -1 when there is no such metric.
  int64_t metric(const std::string& name) const {
    const std::string all = metrics.text();
    const std::string start = "\nchandler_http_" + name + " ";
    const size_t at = all.find(start);
    return at == std::string::npos ? -1 : std::stoll(all.substr(at + start.size()));
  }
  // Waits, for what another thread is about to do.
  bool becomes(const std::string& name, int64_t want) const {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (metric(name) != want) {
      if (std::chrono::steady_clock::now() > until) return false;
      std::this_thread::yield();
    }
    return true;
  }

  metrics::Registry metrics;
  std::unique_ptr<Server> server;
};

// For tests with thousands of sockets.
inline void raise_file_limit() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

inline Response text(std::string body, int status = 200) {
  Response response;
  response.status = status;
  response.headers.add("Content-Type", "text/plain");
  response.body = std::move(body);
  return response;
}

}  // namespace chandler::http::testing
