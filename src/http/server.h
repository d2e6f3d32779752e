// A server of HTTP/1.1 and, where TLS and the client agree on it (ALPN), HTTP/2: event loops at the edge, one handler
// for both, bounds on everything that comes from outside.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/metrics.h"
#include "base/result.h"
#include "http/message.h"

namespace chandler::http {

struct TlsFiles {
  std::string certificate_chain_pem;  // contents, not paths
  std::string private_key_pem;
  std::string client_ca_pem;  // client certificates are asked for, not required, and checked against these
};

struct ServerOptions {
  std::string host = "127.0.0.1";
  uint16_t port = 0;  // 0: any free one, see Server::port()
  std::optional<TlsFiles> tls;
  bool http2 = true;         // offer HTTP/2 to clients that come over TLS
  size_t max_streams = 250;  // requests under way at once on one connection of HTTP/2
  size_t io_threads = 2;
  size_t max_connections = 20'000;
  size_t max_header_bytes = 64 * 1024;
  size_t max_body_bytes = 3 * 1024 * 1024;
  std::chrono::milliseconds handshake_timeout{10'000};
  std::chrono::milliseconds header_timeout{10'000};  // from the first byte of a request to the end of its head
  std::chrono::milliseconds body_timeout{30'000};    // for the whole body
  std::chrono::milliseconds idle_timeout{120'000};   // between requests
  std::chrono::milliseconds write_timeout{30'000};   // without any progress while there is something to send
  // Words the answers that the server gives itself (400, 408, 413, 429, 431, 500, 501), on an I/O thread. Default:
  // plain text.
  std::function<Response(int status, std::string_view what)> error_page;
};

class Server {
 public:
  // Binds and listens; the error names the address and what to do when it is in use.
  static Result<std::unique_ptr<Server>> listen(ServerOptions options, Handler handler, metrics::Registry& metrics);
  virtual ~Server() = default;

  virtual uint16_t port() const = 0;
  virtual void start() = 0;  // starts the I/O threads
  // Stops accepting, ends idle connections and asks streams to end (BodySource::shut_down), waits up to
  // `grace` for requests under way, then closes the rest. Blocks. Idempotent.
  virtual void stop(std::chrono::milliseconds grace) = 0;
  // New TLS files for new connections.
  virtual Result<void> reload(const TlsFiles& tls) = 0;
};

}  // namespace chandler::http
