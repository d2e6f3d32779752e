#include "storage/backup/running_digest.h"

#include <array>

#include <openssl/evp.h>

#include "base/check.h"
#include "base/text.h"

namespace chandler::storage {
namespace {

EVP_MD_CTX* digest_context(void* context) { return static_cast<EVP_MD_CTX*>(context); }

}  // namespace

void RunningDigest::Free::operator()(void* context) const { EVP_MD_CTX_free(digest_context(context)); }

// These fail only when memory is out or the library is broken.
RunningDigest::RunningDigest() : context_(EVP_MD_CTX_new()) {
  CH_CHECK(context_ != nullptr);
  CH_CHECK(EVP_DigestInit_ex(digest_context(context_.get()), EVP_sha256(), nullptr) == 1);
}

RunningDigest::~RunningDigest() = default;
RunningDigest::RunningDigest(RunningDigest&&) noexcept = default;
RunningDigest& RunningDigest::operator=(RunningDigest&&) noexcept = default;

void RunningDigest::add(std::string_view bytes) {
  CH_CHECK(EVP_DigestUpdate(digest_context(context_.get()), bytes.data(), bytes.size()) == 1);
}

std::string RunningDigest::hex() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  CH_CHECK(EVP_DigestFinal_ex(digest_context(context_.get()), digest.data(), &length) == 1);
  return hex_encode({reinterpret_cast<const char*>(digest.data()), length});
}

}  // namespace chandler::storage
