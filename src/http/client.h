// Outgoing HTTP: requests are sent by one thread for all of them (libcurl's multi interface), so a peer that hangs
// holds no thread. Connections are kept and shared between requests with the same address and TLS settings. Redirects
// are never followed: credentials go only where they were meant to go. Proxies are those of the environment
// (HTTPS_PROXY, NO_PROXY), never for this machine itself. A request whose kept connection turns out dead before any
// byte of the answer came is sent once more on a new one, unless it is a POST or a PATCH. Thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "http/address_rules.h"
#include "http/message.h"

namespace chandler::http {

struct ClientTls {
  std::string ca_pem;  // the only roots that are trusted; empty: those of the system
  bool insecure = false;
  std::string certificate_pem;  // of the client, with its key
  std::string key_pem;
  std::string server_name;  // to be found in the certificate instead of the URL's host
};

struct ClientRequest {
  std::string method = "GET";
  std::string url;  // http or https, without user information
  Headers headers;  // framing (Content-Length, Transfer-Encoding, Connection, Expect) is the client's business
  std::string body;
  std::shared_ptr<const ClientTls> tls;       // null: system roots
  std::chrono::milliseconds timeout{60'000};  // for everything; 0: none (streams)
  std::chrono::milliseconds connect_timeout{30'000};
  size_t max_body_bytes = 4 * 1024 * 1024;  // of a body that is kept, not of one that goes to on_piece
  // Where the request may go, checked on the address after the name was resolved; no proxy then. Null: anywhere.
  std::shared_ptr<const AddressRules> addresses;
  // Set: pieces of a 2xx body go here, on the client's thread, instead of into the response. False ends the request:
  // `done` then gets the response as far as it is known, not a failure.
  std::function<bool(std::string_view piece)> on_piece;
};

struct ClientResponse {
  int status = 0;
  Headers headers;
  std::string body;
};

// Why there is no answer. What matters to callers is whether the peer can have seen the request.
struct ClientFailure {
  enum class Kind {
    kBadRequest,  // the request itself is wrong: URL, TLS settings
    kRefused,     // the address is not allowed
    kConnect,     // name, connection or TLS failed: nothing was sent
    kTimeout,     // sent, no complete answer in time
    kBroken,      // the connection broke after sending began
    kTooLarge,    // the answer is larger than allowed
    kCancelled,   // by cancel() or stop(); `sent` says how far it was
  };
  Kind kind = Kind::kConnect;
  std::string message;  // for people; names host and cause, never credentials
  bool sent = false;    // sending had begun

  bool may_have_arrived() const {
    return kind == Kind::kTimeout || kind == Kind::kBroken || kind == Kind::kTooLarge ||
           (kind == Kind::kCancelled && sent);
  }
};

using ClientOutcome = Result<ClientResponse, ClientFailure>;

class Client {
 public:
  struct Options {
    std::string user_agent = "chandler";
    size_t max_idle_connections = 100;
    size_t max_requests = 10'000;  // under way at once; more fail with kConnect
  };
  using Done = std::function<void(ClientOutcome)>;
  using Ticket = uint64_t;

  static std::unique_ptr<Client> create(Options options);
  virtual ~Client() = default;  // stop()

  // `done` runs once, on the client's thread: quick, no waiting. After stop() it runs at once with kCancelled.
  virtual Ticket send(ClientRequest request, Done done) = 0;
  virtual void cancel(Ticket ticket) = 0;  // `done` gets kCancelled unless it ran already
  virtual void stop() = 0;                 // cancels all, ends the thread; idempotent, not from a callback
  // For callers that may wait; not from a callback.
  ClientOutcome send_and_wait(ClientRequest request);
};

}  // namespace chandler::http
