#include "http/tls.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <array>
#include <cstring>
#include <string_view>

#include "base/text.h"

namespace chandler::http {

namespace {

struct Free {
  void operator()(BIO* p) const { BIO_free(p); }
  void operator()(X509* p) const { X509_free(p); }
  void operator()(EVP_PKEY* p) const { EVP_PKEY_free(p); }
  void operator()(X509_NAME* p) const { X509_NAME_free(p); }
};
template <typename T>
using Owned = std::unique_ptr<T, Free>;

Error problem(std::string_view what) {
  std::array<char, 256> text{};
  const unsigned long code = ERR_get_error();
  if (code != 0) ERR_error_string_n(code, text.data(), text.size());
  ERR_clear_error();
  Error error;
  error.message = code == 0 ? fmt::format("TLS: {}", what) : fmt::format("TLS: {} ({})", what, text.data());
  return error;
}

Owned<BIO> reader(const std::string& pem) {
  return Owned<BIO>(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
}

// OpenSSL would ask on the terminal for the password of an encrypted key.
int no_password(char*, int, int, void*) { return -1; }

// Calls use(X509*) for each certificate of the text; false when the text is not a list of certificates.
template <typename Use>
bool each_certificate(const std::string& pem, Use use) {
  const Owned<BIO> bio = reader(pem);
  size_t count = 0;
  while (Owned<X509> certificate{PEM_read_bio_X509(bio.get(), nullptr, no_password, nullptr)}) {
    if (!use(certificate.get())) return false;
    ++count;
  }
  // The end of the text shows as "no start line"; everything else is damage.
  const unsigned long last = ERR_peek_last_error();
  if (count == 0 || ERR_GET_LIB(last) != ERR_LIB_PEM || ERR_GET_REASON(last) != PEM_R_NO_START_LINE) return false;
  ERR_clear_error();
  return true;
}

Result<void> use_certificate(SSL_CTX* context, const TlsFiles& files) {
  bool first = true;
  const bool read = each_certificate(files.certificate_chain_pem, [&](X509* certificate) {
    const bool leaf = std::exchange(first, false);
    return (leaf ? SSL_CTX_use_certificate(context, certificate) : SSL_CTX_add1_chain_cert(context, certificate)) == 1;
  });
  if (!read) return problem("the certificate chain is not a list of PEM certificates");
  const Owned<BIO> bio = reader(files.private_key_pem);
  const Owned<EVP_PKEY> key(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_password, nullptr));
  if (!key) return problem("the private key is not an unencrypted PEM key");
  if (SSL_CTX_use_PrivateKey(context, key.get()) != 1) return problem("the private key does not fit the certificate");
  return {};
}

Result<void> ask_for_client_certificates(SSL_CTX* context, const std::string& pem) {
  X509_STORE* store = SSL_CTX_get_cert_store(context);
  const bool read = each_certificate(pem, [&](X509* certificate) {
    return X509_STORE_add_cert(store, certificate) == 1 && SSL_CTX_add_client_CA(context, certificate) == 1;
  });
  if (!read) return problem("the client CA bundle is not a list of PEM certificates");
  // A bundle may hold an intermediate CA without its root.
  X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_CLIENT_ONCE, nullptr);
  return {};
}

// In the order of our liking.
constexpr std::string_view kHttp1 = "\x08http/1.1";
constexpr std::string_view kHttp2AndHttp1 = "\x02h2\x08http/1.1";

int choose_protocol(SSL*, const unsigned char** out, unsigned char* out_length, const unsigned char* offered,
                    unsigned int offered_length, void* ours_pointer) {
  const auto& ours = *static_cast<const std::string_view*>(ours_pointer);
  unsigned char* chosen = nullptr;
  if (SSL_select_next_proto(&chosen, out_length, reinterpret_cast<const unsigned char*>(ours.data()),
                            static_cast<unsigned int>(ours.size()), offered,
                            offered_length) != OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  }
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

std::string text_of(const X509_NAME_ENTRY* entry) {
  unsigned char* utf8 = nullptr;
  const int length = ASN1_STRING_to_UTF8(&utf8, X509_NAME_ENTRY_get_data(entry));
  if (length < 0) return {};
  std::string text(reinterpret_cast<const char*>(utf8), static_cast<size_t>(length));
  OPENSSL_free(utf8);
  return text;
}

std::vector<std::string> subject_values(const X509* certificate, int nid) {
  const X509_NAME* subject = X509_get_subject_name(certificate);
  std::vector<std::string> values;
  for (int i = X509_NAME_get_index_by_NID(subject, nid, -1); i >= 0; i = X509_NAME_get_index_by_NID(subject, nid, i)) {
    values.push_back(text_of(X509_NAME_get_entry(subject, i)));
  }
  return values;
}

}  // namespace

Result<TlsContext> make_server_tls(const TlsFiles& files, bool http2) {
  ERR_clear_error();
  TlsContext context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  if (!context) return problem("no context");
  SSL_CTX* c = context.get();
  SSL_CTX_set_min_proto_version(c, TLS1_2_VERSION);
  SSL_CTX_set_options(c, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  // Partial writes and moving buffers: the connection keeps what is unsent wherever it likes. Buffers are not released
  // by OpenSSL, which would do so after every record, but by the loop once a connection has paused.
  SSL_CTX_set_mode(c, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_NO_AUTO_CHAIN);
  SSL_CTX_set_read_ahead(c, 1);  // one system call per record instead of two
  // Tickets carry the session, so the server's own cache would only be a lock; tickets of clients with a certificate
  // are bound to a context name.
  SSL_CTX_set_session_cache_mode(c, SSL_SESS_CACHE_OFF);
  static constexpr std::array<unsigned char, 8> kName = {'c', 'h', 'a', 'n', 'd', 'l', 'e', 'r'};
  SSL_CTX_set_session_id_context(c, kName.data(), kName.size());
  SSL_CTX_set_alpn_select_cb(c, choose_protocol, const_cast<std::string_view*>(http2 ? &kHttp2AndHttp1 : &kHttp1));
  CH_TRY(use_certificate(c, files));
  if (!files.client_ca_pem.empty()) CH_TRY(ask_for_client_certificates(c, files.client_ca_pem));
  return context;
}

void describe_certificate(const ssl_st* ssl, Peer& peer) {
  const Owned<X509> certificate(SSL_get1_peer_certificate(ssl));
  if (!certificate || SSL_get_verify_result(ssl) != X509_V_OK) return;
  const std::vector<std::string> names = subject_values(certificate.get(), NID_commonName);
  if (!names.empty()) peer.common_name = names.back();
  peer.organizations = subject_values(certificate.get(), NID_organizationName);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  if (X509_digest(certificate.get(), EVP_sha256(), digest.data(), &length) == 1) {
    peer.fingerprint = hex_encode({reinterpret_cast<const char*>(digest.data()), length});
  }
}

}  // namespace chandler::http
