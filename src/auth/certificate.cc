#include "auth/certificate.h"

#include <arpa/inet.h>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <ctime>

#include "base/text.h"

namespace chandler::auth {
namespace {

using Bio = std::unique_ptr<BIO, decltype([](BIO* p) { BIO_free(p); })>;
using BigNumber = std::unique_ptr<BIGNUM, decltype([](BIGNUM* p) { BN_free(p); })>;
using X509Handle = std::unique_ptr<X509, decltype([](X509* p) { X509_free(p); })>;
using Extension = std::unique_ptr<X509_EXTENSION, decltype([](X509_EXTENSION* p) { X509_EXTENSION_free(p); })>;
using Names = std::unique_ptr<GENERAL_NAMES, decltype([](GENERAL_NAMES* p) { GENERAL_NAMES_free(p); })>;

std::time_t seconds_of(WallTime time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

std::string text_of(const ASN1_STRING* text) {
  return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)), static_cast<size_t>(ASN1_STRING_length(text))};
}

// The bytes of an IP address in text form; empty for anything else.
std::string address_bytes(const std::string& host) {
  std::array<char, 16> bytes{};
  if (inet_pton(AF_INET, host.c_str(), bytes.data()) == 1) return {bytes.data(), 4};
  if (inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1) return {bytes.data(), 16};
  return "";
}

std::string address_text(std::string_view bytes) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (bytes.size() != 4 && bytes.size() != 16) return "";
  inet_ntop(bytes.size() == 4 ? AF_INET : AF_INET6, bytes.data(), text.data(), text.size());
  return text.data();
}

bool add_name(X509_NAME* name, const char* field, const std::string& value) {
  return X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8, reinterpret_cast<const unsigned char*>(value.data()),
                                    static_cast<int>(value.size()), -1, 0) == 1;
}

bool set_serial(X509* certificate) {
  const BigNumber serial(BN_new());
  return serial && BN_rand(serial.get(), 127, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) == 1 &&
         BN_to_ASN1_INTEGER(serial.get(), X509_get_serialNumber(certificate)) != nullptr;
}

bool add_extension(X509* certificate, X509* issuer, int nid, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, nid, value));
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

bool add_host(GENERAL_NAMES* names, const std::string& host) {
  const auto address = address_bytes(host);
  const auto& value = address.empty() ? host : address;
  ASN1_STRING* text = address.empty() ? ASN1_IA5STRING_new() : ASN1_OCTET_STRING_new();
  GENERAL_NAME* name = GENERAL_NAME_new();
  if (text == nullptr || name == nullptr || ASN1_STRING_set(text, value.data(), static_cast<int>(value.size())) != 1) {
    ASN1_STRING_free(text);
    GENERAL_NAME_free(name);
    return false;
  }
  GENERAL_NAME_set0_value(name, address.empty() ? GEN_DNS : GEN_IPADD, text);
  if (sk_GENERAL_NAME_push(names, name) > 0) return true;
  GENERAL_NAME_free(name);
  return false;
}

bool add_hosts(X509* certificate, const std::vector<std::string>& hosts) {
  if (hosts.empty()) return true;
  const Names names(sk_GENERAL_NAME_new_null());
  for (const auto& host : hosts) {
    if (!add_host(names.get(), host)) return false;
  }
  return X509_add1_ext_i2d(certificate, NID_subject_alt_name, names.get(), 0, 0) == 1;
}

// What an authority and the certificates it issues have in common.
bool fill(X509* certificate, EVP_PKEY* key, WallTime from, WallTime until) {
  return X509_set_version(certificate, X509_VERSION_3) == 1 && set_serial(certificate) &&
         ASN1_TIME_set(X509_getm_notBefore(certificate), seconds_of(from)) != nullptr &&
         ASN1_TIME_set(X509_getm_notAfter(certificate), seconds_of(until)) != nullptr &&
         X509_set_pubkey(certificate, key) == 1;
}

Result<std::string> written(bool made, X509* certificate) {
  const Bio out(BIO_new(BIO_s_mem()));
  made = made && out && PEM_write_bio_X509(out.get(), certificate) == 1;
  ERR_clear_error();
  if (!made) return fail(internal_error("a certificate could not be made"));
  char* text = nullptr;
  const long length = BIO_get_mem_data(out.get(), &text);
  return std::string(text, static_cast<size_t>(length));
}

std::vector<std::string> subject_entries(X509* certificate, int nid) {
  std::vector<std::string> values;
  const X509_NAME* name = X509_get_subject_name(certificate);
  for (int i = X509_NAME_get_index_by_NID(name, nid, -1); i >= 0; i = X509_NAME_get_index_by_NID(name, nid, i)) {
    values.push_back(text_of(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, i))));
  }
  return values;
}

}  // namespace

Result<Certificate> Certificate::from_pem(std::string_view pem) {
  const Bio in(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  X509* certificate = in ? PEM_read_bio_X509(in.get(), nullptr, nullptr, nullptr) : nullptr;
  ERR_clear_error();
  if (certificate == nullptr) return fail(bad_request("not a certificate in PEM form"));
  return Certificate(std::shared_ptr<X509>(certificate, [](X509* p) { X509_free(p); }));
}

WallTime Certificate::expires() const {
  std::tm parts{};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(handle_.get()), &parts) != 1) return WallTime{};
  return WallTime(std::chrono::seconds(timegm(&parts)));
}

bool Certificate::is_authority() const { return X509_check_ca(handle_.get()) == 1; }

bool Certificate::signed_by(const Certificate& authority) const {
  const bool good = X509_check_issued(authority.handle_.get(), handle_.get()) == X509_V_OK &&
                    X509_verify(handle_.get(), X509_get0_pubkey(authority.handle_.get())) == 1;
  ERR_clear_error();
  return good;
}

bool Certificate::holds(const KeyHandle& private_key) const {
  const bool same = X509_check_private_key(handle_.get(), private_key.get()) == 1;
  ERR_clear_error();
  return same;
}

std::string Certificate::common_name() const {
  auto names = subject_entries(handle_.get(), NID_commonName);
  return names.empty() ? "" : std::move(names.front());
}

std::vector<std::string> Certificate::organizations() const {
  return subject_entries(handle_.get(), NID_organizationName);
}

std::vector<std::string> Certificate::hosts() const {
  const Names names(
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(handle_.get(), NID_subject_alt_name, nullptr, nullptr)));
  std::vector<std::string> hosts;
  for (int i = 0; names && i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(names.get(), i);
    if (name->type == GEN_DNS) hosts.push_back(text_of(name->d.dNSName));
    if (name->type == GEN_IPADD) hosts.push_back(address_text(text_of(name->d.iPAddress)));
  }
  ERR_clear_error();
  return normalised_hosts(hosts);
}

Result<std::string> new_authority(std::string_view common_name, const KeyHandle& key, WallTime from, WallTime until) {
  const X509Handle made(X509_new());
  X509* certificate = made.get();
  X509_NAME* name = made ? X509_get_subject_name(certificate) : nullptr;
  const bool good = made && fill(certificate, key.get(), from, until) &&
                    add_name(name, "CN", std::string(common_name)) && X509_set_issuer_name(certificate, name) == 1 &&
                    add_extension(certificate, certificate, NID_basic_constraints, "critical,CA:TRUE") &&
                    add_extension(certificate, certificate, NID_key_usage, "critical,keyCertSign,cRLSign") &&
                    add_extension(certificate, certificate, NID_subject_key_identifier, "hash") &&
                    X509_sign(certificate, key.get(), EVP_sha256()) > 0;
  return written(good, certificate);
}

Result<std::string> issue_certificate(const CertificateOrder& order, const KeyHandle& subject,
                                      const Certificate& authority, const KeyHandle& authority_key) {
  const X509Handle made(X509_new());
  X509* certificate = made.get();
  X509* issuer = authority.handle().get();
  X509_NAME* name = made ? X509_get_subject_name(certificate) : nullptr;
  const char* use = order.use == CertificateOrder::Use::kServer ? "serverAuth" : "clientAuth";
  bool good = made && fill(certificate, subject.get(), order.from, order.until);
  for (const auto& organization : order.organizations) good = good && add_name(name, "O", organization);
  good = good && add_name(name, "CN", order.common_name) &&
         X509_set_issuer_name(certificate, X509_get_subject_name(issuer)) == 1 &&
         add_extension(certificate, issuer, NID_basic_constraints, "critical,CA:FALSE") &&
         add_extension(certificate, issuer, NID_key_usage, "critical,digitalSignature") &&
         add_extension(certificate, issuer, NID_ext_key_usage, use) &&
         add_extension(certificate, issuer, NID_authority_key_identifier, "keyid:always") &&
         add_hosts(certificate, normalised_hosts(order.hosts)) &&
         X509_sign(certificate, authority_key.get(), EVP_sha256()) > 0;
  return written(good, certificate);
}

bool is_ip_address(const std::string& host) { return !address_bytes(host).empty(); }

std::vector<std::string> normalised_hosts(const std::vector<std::string>& hosts) {
  std::vector<std::string> normal;
  for (const auto& host : hosts) {
    const auto address = address_bytes(host);
    normal.push_back(address.empty() ? to_lower(host) : address_text(address));
  }
  std::sort(normal.begin(), normal.end());
  normal.erase(std::unique(normal.begin(), normal.end()), normal.end());
  return normal;
}

}  // namespace chandler::auth
