#include "auth/digest.h"

#include <openssl/evp.h>

#include "base/check.h"

namespace chandler::auth {

Digest sha256(std::string_view bytes) {
  Digest digest;
  CH_CHECK(EVP_Q_digest(nullptr, "SHA256", nullptr, bytes.data(), bytes.size(), digest.data(), nullptr) == 1);
  return digest;
}

}  // namespace chandler::auth
