#include "resolve/digest.h"

#include <array>

#include <openssl/evp.h>

#include "base/check.h"
#include "base/text.h"

namespace chandler::resolve {
namespace {

std::string hex_of(const char* algorithm, const char* properties, std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  size_t size = 0;
  CH_CHECK(EVP_Q_digest(nullptr, algorithm, properties, bytes.data(), bytes.size(), digest.data(), &size) == 1);
  return hex_encode({reinterpret_cast<const char*>(digest.data()), size});
}

}  // namespace

std::string sha256_hex(std::string_view bytes) { return hex_of("SHA256", nullptr, bytes); }
std::string sha224_hex(std::string_view bytes) { return hex_of("SHA224", nullptr, bytes); }
// Only a name is made of it, so it is fine where the machine is set to approved algorithms only.
std::string md5_hex(std::string_view bytes) { return hex_of("MD5", "-fips", bytes); }

}  // namespace chandler::resolve
