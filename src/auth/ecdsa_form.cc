#include "auth/ecdsa_form.h"

#include <openssl/bn.h>
#include <openssl/ec.h>

#include <memory>

namespace chandler::auth {
namespace {

using EcdsaSignature = std::unique_ptr<ECDSA_SIG, decltype([](ECDSA_SIG* p) { ECDSA_SIG_free(p); })>;

const unsigned char* octets(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

}  // namespace

std::string der_from_jws(std::string_view signature, int half) {
  if (signature.size() != 2 * static_cast<size_t>(half)) return "";
  const EcdsaSignature parts(ECDSA_SIG_new());
  BIGNUM* r = BN_bin2bn(octets(signature), half, nullptr);
  BIGNUM* s = BN_bin2bn(octets(signature) + half, half, nullptr);
  if (!parts || r == nullptr || s == nullptr || ECDSA_SIG_set0(parts.get(), r, s) != 1) {
    BN_free(r);
    BN_free(s);
    return "";
  }
  unsigned char* der = nullptr;
  const int length = i2d_ECDSA_SIG(parts.get(), &der);
  if (length <= 0) return "";
  std::string text(reinterpret_cast<char*>(der), static_cast<size_t>(length));
  OPENSSL_free(der);
  return text;
}

std::string jws_from_der(std::string_view der, int half) {
  const unsigned char* at = octets(der);
  const EcdsaSignature parts(d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size())));
  if (!parts) return "";
  std::string text(2 * static_cast<size_t>(half), '\0');
  auto* out = reinterpret_cast<unsigned char*>(text.data());
  if (BN_bn2binpad(ECDSA_SIG_get0_r(parts.get()), out, half) < 0 ||
      BN_bn2binpad(ECDSA_SIG_get0_s(parts.get()), out + half, half) < 0) {
    return "";
  }
  return text;
}

}  // namespace chandler::auth
