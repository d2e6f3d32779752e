// TLS settings from PEM texts, and what a handshake told about the other side. OpenSSL's types are only named here.
// A context is immutable once made and may be shared by all threads.
#pragma once

#include <memory>

#include "base/result.h"
#include "http/message.h"
#include "http/server.h"

struct ssl_st;
struct ssl_ctx_st;

namespace chandler::http {

using TlsContext = std::shared_ptr<ssl_ctx_st>;

// TLS 1.2 or later, http/1.1 and if wanted h2 by ALPN, session tickets, client certificates asked for when there are
// client CAs.
Result<TlsContext> make_server_tls(const TlsFiles& files, bool http2);

// Fills in the verified client certificate after a handshake; leaves `peer` as it is when there was none.
void describe_certificate(const ssl_st* ssl, Peer& peer);

}  // namespace chandler::http
