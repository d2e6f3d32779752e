// Bytes over a non-blocking socket, with or without TLS, behind one set of calls: each does what is possible now and
// says what it waits for. OpenSSL works on the socket itself rather than through asio::ssl::stream, whose buffer pair
// costs 34 KiB per connection and a copy in each direction. Not thread-safe; belongs to one connection, which owns the
// socket.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "http/tls.h"

namespace chandler::http {

struct Io {
  enum class Kind {
    kDone,       // `bytes` of them went through; the handshake is complete
    kWantRead,   // again when the socket is readable
    kWantWrite,  // again when the socket is writable
    kEnd,        // the other side said that it sends no more
    kFailed,     // the connection is of no more use
  };
  Kind kind = Kind::kDone;
  size_t bytes = 0;
};

class Transport {
 public:
  Transport() = default;
  void open(int socket, const TlsContext& tls);  // no context: plain TCP

  Io handshake();
  Io read(std::span<char> into);
  Io write(std::string_view bytes);
  // Between these, what writes bring is sent in full segments; each record of a long text would be one else, and wake
  // who receives it.
  void begin_long();
  void end_long();
  bool has_buffered() const;         // bytes came in that the socket no longer shows as readable
  Io discard(std::span<char> into);  // reads past TLS: what comes is thrown away
  void say_goodbye();                // TLS: tells the other side that this end is meant
  void describe(Peer& peer) const;
  bool has_http2() const;  // both sides agreed on it in the handshake
  void release_buffers();  // TLS: memory for records, 34 KiB, that is not in use now; it comes back when needed

 private:
  struct Free {
    void operator()(ssl_st* ssl) const;
  };
  Io failure(int result);

  int socket_ = -1;
  bool write_begun_ = false;  // and has to be repeated
  std::unique_ptr<ssl_st, Free> ssl_;
};

}  // namespace chandler::http
