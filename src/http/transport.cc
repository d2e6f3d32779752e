#include "http/transport.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdint>
#include <string_view>
#include <utility>

namespace chandler::http {

namespace {

Io from_socket(ssize_t result, Io::Kind blocked) {
  if (result >= 0) return {Io::Kind::kDone, static_cast<size_t>(result)};
  const bool later = errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
  return {later ? blocked : Io::Kind::kFailed};
}

// How much of a long text to write first. OpenSSL copies it to a buffer of its own; when both begin at the same place
// of a page, as large allocations do, the processor takes what it reads for what it has just written and waits, which
// makes the copy ten times as slow. So the first piece is cut where the others will begin in the middle of a page.
size_t well_cut(std::string_view bytes) {
  constexpr size_t kLong = 32 * 1024;
  constexpr size_t kPage = 4096;
  if (bytes.size() < kLong) return bytes.size();
  const size_t lead = (kPage / 2 - reinterpret_cast<uintptr_t>(bytes.data())) % kPage;
  return lead < kPage / 4 ? bytes.size() : lead;  // it need not be exact
}

}  // namespace

void Transport::Free::operator()(ssl_st* ssl) const { SSL_free(ssl); }

void Transport::open(int socket, const TlsContext& tls) {
  socket_ = socket;
  if (!tls) return;
  ssl_.reset(SSL_new(tls.get()));
  if (ssl_ == nullptr || SSL_set_fd(ssl_.get(), socket) != 1) {
    socket_ = -1;  // out of memory: every call fails from here on
    return;
  }
  SSL_set_accept_state(ssl_.get());
}

// The error queue belongs to the thread and so to all its connections: it is empty before and after each call.
Io Transport::failure(int result) {
  const int error = SSL_get_error(ssl_.get(), result);
  ERR_clear_error();
  switch (error) {
    case SSL_ERROR_WANT_READ:
      return {Io::Kind::kWantRead};
    case SSL_ERROR_WANT_WRITE:
      return {Io::Kind::kWantWrite};
    case SSL_ERROR_ZERO_RETURN:
      return {Io::Kind::kEnd};
    default:
      return {Io::Kind::kFailed};
  }
}

Io Transport::handshake() {
  if (socket_ < 0) return {Io::Kind::kFailed};
  if (!ssl_) return {};
  const int result = SSL_do_handshake(ssl_.get());
  return result == 1 ? Io{} : failure(result);
}

Io Transport::read(std::span<char> into) {
  if (ssl_) {
    size_t bytes = 0;
    const int result = SSL_read_ex(ssl_.get(), into.data(), into.size(), &bytes);
    return result == 1 ? Io{Io::Kind::kDone, bytes} : failure(result);
  }
  return discard(into);
}

Io Transport::write(std::string_view bytes) {
  if (ssl_) {
    size_t written = 0;
    // A write that OpenSSL has begun must not get shorter.
    const size_t size = std::exchange(write_begun_, false) ? bytes.size() : well_cut(bytes);
    const int result = SSL_write_ex(ssl_.get(), bytes.data(), size, &written);
    if (result == 1) return {Io::Kind::kDone, written};
    write_begun_ = true;
    return failure(result);
  }
  return from_socket(::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL), Io::Kind::kWantWrite);
}

void Transport::begin_long() {
  const int on = 1;
  if (ssl_) ::setsockopt(socket_, IPPROTO_TCP, TCP_CORK, &on, sizeof on);
}

void Transport::end_long() {
  const int off = 0;
  if (ssl_) ::setsockopt(socket_, IPPROTO_TCP, TCP_CORK, &off, sizeof off);
}

bool Transport::has_buffered() const { return ssl_ && SSL_has_pending(ssl_.get()) == 1; }

Io Transport::discard(std::span<char> into) {
  const Io io = from_socket(::recv(socket_, into.data(), into.size(), 0), Io::Kind::kWantRead);
  return io.kind == Io::Kind::kDone && io.bytes == 0 ? Io{Io::Kind::kEnd} : io;
}

void Transport::say_goodbye() {
  if (!ssl_ || SSL_is_init_finished(ssl_.get()) == 0) return;
  SSL_shutdown(ssl_.get());
  ERR_clear_error();
}

void Transport::release_buffers() {
  // OpenSSL is to refuse while they hold something; before 3.0.14, 3.1.6, 3.2.2 and 3.3.1 it does not (CVE-2024-4741)
  // between the header and the body of a record, nor while a record is read in pieces. So it is asked first.
  if (!ssl_ || has_buffered() || std::string_view(SSL_rstate_string(ssl_.get())) == "RB") return;
  SSL_free_buffers(ssl_.get());
}

void Transport::describe(Peer& peer) const {
  peer.tls = ssl_ != nullptr;
  if (ssl_) describe_certificate(ssl_.get(), peer);
}

bool Transport::has_http2() const {
  if (!ssl_) return false;
  const unsigned char* name = nullptr;
  unsigned int length = 0;
  SSL_get0_alpn_selected(ssl_.get(), &name, &length);
  return std::string_view(reinterpret_cast<const char*>(name), length) == "h2";
}

}  // namespace chandler::http
