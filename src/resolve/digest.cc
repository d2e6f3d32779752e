#include "resolve/digest.h"

#include <array>

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "base/check.h"
#include "base/text.h"

namespace chandler::resolve {
namespace {

// An algorithm of the library, looked up once: that takes longer than the digest of a short text.
class Algorithm {
 public:
  Algorithm(const char* name, const char* properties) : found_(EVP_MD_fetch(nullptr, name, properties)) {
    CH_CHECK(found_ != nullptr);
  }
  ~Algorithm() { EVP_MD_free(found_); }
  Algorithm(const Algorithm&) = delete;
  Algorithm& operator=(const Algorithm&) = delete;

  std::string hex_of(std::string_view bytes) const {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    CH_CHECK(EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, found_, nullptr) == 1);
    return hex_encode({reinterpret_cast<const char*>(digest.data()), size});
  }

 private:
  EVP_MD* const found_;
};

}  // namespace

std::string sha256_hex(std::string_view bytes) {
  static const Algorithm algorithm("SHA256", nullptr);
  return algorithm.hex_of(bytes);
}

std::string sha224_hex(std::string_view bytes) {
  static const Algorithm algorithm("SHA224", nullptr);
  return algorithm.hex_of(bytes);
}

// Only a name is made of it, so it is fine where the machine is set to approved algorithms only.
std::string md5_hex(std::string_view bytes) {
  static const Algorithm algorithm("MD5", "-fips");
  return algorithm.hex_of(bytes);
}

std::string hmac_sha256_hex(std::string_view key, std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> out{};
  unsigned size = 0;
  CH_CHECK(HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
                reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), out.data(), &size) != nullptr);
  return hex_encode({reinterpret_cast<const char*>(out.data()), size});
}

}  // namespace chandler::resolve
