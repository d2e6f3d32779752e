#include "auth/digest.h"

#include <openssl/evp.h>

#include "base/check.h"

namespace chandler::auth {

namespace {

// Finding the algorithm and making a context cost more than the digest of a token, so each thread does it once.
class Sha256 {
 public:
  Sha256() : algorithm_(EVP_MD_fetch(nullptr, "SHA256", nullptr)), context_(EVP_MD_CTX_new()) {
    CH_CHECK(algorithm_ != nullptr && context_ != nullptr);
  }
  ~Sha256() {
    EVP_MD_CTX_free(context_);
    EVP_MD_free(algorithm_);
  }
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  Digest of(std::string_view bytes) {
    Digest digest;
    CH_CHECK(EVP_DigestInit_ex2(context_, algorithm_, nullptr) == 1 &&
             EVP_DigestUpdate(context_, bytes.data(), bytes.size()) == 1 &&
             EVP_DigestFinal_ex(context_, digest.data(), nullptr) == 1);
    return digest;
  }

 private:
  EVP_MD* const algorithm_;
  EVP_MD_CTX* const context_;
};

}  // namespace

Digest sha256(std::string_view bytes) {
  thread_local Sha256 sha256;
  return sha256.of(bytes);
}

}  // namespace chandler::auth
