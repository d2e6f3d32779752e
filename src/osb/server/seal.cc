#include "osb/server/seal.h"

#include <memory>

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "base/check.h"
#include "base/file.h"
#include "base/ids.h"
#include "base/private_file.h"
#include "base/text.h"

namespace chandler::osb::server {
namespace {

// Sealed: nonce, tag, cipher text.
constexpr size_t kNonce = 12;
constexpr size_t kTag = 16;

struct FreeContext {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_CIPHER_CTX, FreeContext>;

const unsigned char* bytes_of(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }
unsigned char* bytes_of(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }
int length_of(std::string_view text) { return static_cast<int>(text.size()); }

Error bad_key(const std::string& path, std::string_view what) {
  return unavailable(fmt::format("the broker's key file {} cannot be used: {}", path, what));
}

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

Seal::~Seal() { OPENSSL_cleanse(key_.data(), key_.size()); }

Result<Seal> Seal::open(const std::string& path, bool may_create) {
  if (!file_exists(path)) {
    if (!may_create)
      return bad_key(path, "it is missing, and the broker's state cannot be read without it; restore it");
    CH_TRY(write_file(path, hex_encode(random_bytes(32)) + "\n", 0600));
  }
  CH_TRY_LET(text, read_private_file(path));
  const auto digits = trim(text);
  Seal seal;
  bool good = digits.size() == seal.key_.size() * 2;
  for (size_t i = 0; good && i < seal.key_.size(); ++i) {
    const int high = digit_of(digits[2 * i]);
    const int low = digit_of(digits[2 * i + 1]);
    good = high >= 0 && low >= 0;
    seal.key_[i] = static_cast<unsigned char>(high * 16 + low);
  }
  OPENSSL_cleanse(text.data(), text.size());
  if (!good) return bad_key(path, "it does not hold 64 hexadecimal digits; restore it from a copy");
  return seal;
}

std::string Seal::close(std::string_view plain, std::string_view place) const {
  const std::string nonce = random_bytes(kNonce);
  std::string sealed = nonce;
  sealed.resize(kNonce + kTag + plain.size());
  unsigned char* tag = bytes_of(sealed) + kNonce;
  unsigned char* cipher = tag + kTag;
  const Context evp(EVP_CIPHER_CTX_new());
  int length = 0;
  // Fails only when memory is out or the library is broken; keeping a secret unsealed is no way out.
  CH_CHECK(evp != nullptr);
  CH_CHECK(EVP_EncryptInit_ex(evp.get(), EVP_aes_256_gcm(), nullptr, key_.data(), bytes_of(nonce)) == 1);
  CH_CHECK(EVP_EncryptUpdate(evp.get(), nullptr, &length, bytes_of(place), length_of(place)) == 1);
  CH_CHECK(EVP_EncryptUpdate(evp.get(), cipher, &length, bytes_of(plain), length_of(plain)) == 1);
  CH_CHECK(EVP_EncryptFinal_ex(evp.get(), cipher + plain.size(), &length) == 1);
  CH_CHECK(EVP_CIPHER_CTX_ctrl(evp.get(), EVP_CTRL_GCM_GET_TAG, static_cast<int>(kTag), tag) == 1);
  return sealed;
}

Result<std::string> Seal::reveal(std::string_view sealed, std::string_view place) const {
  const Error broken = internal_error(
      fmt::format("the broker's record of {} does not open: it was changed, or the key file is another one; restore "
                  "the data directory from a backup",
                  place));
  if (sealed.size() < kNonce + kTag) return broken;
  const auto nonce = sealed.substr(0, kNonce);
  std::string tag(sealed.substr(kNonce, kTag));
  const auto cipher = sealed.substr(kNonce + kTag);
  std::string plain(cipher.size(), '\0');
  const Context evp(EVP_CIPHER_CTX_new());
  int length = 0;
  const bool ok = evp && EVP_DecryptInit_ex(evp.get(), EVP_aes_256_gcm(), nullptr, key_.data(), bytes_of(nonce)) == 1 &&
                  EVP_DecryptUpdate(evp.get(), nullptr, &length, bytes_of(place), length_of(place)) == 1 &&
                  EVP_DecryptUpdate(evp.get(), bytes_of(plain), &length, bytes_of(cipher), length_of(cipher)) == 1 &&
                  EVP_CIPHER_CTX_ctrl(evp.get(), EVP_CTRL_GCM_SET_TAG, static_cast<int>(kTag), tag.data()) == 1 &&
                  EVP_DecryptFinal_ex(evp.get(), bytes_of(plain) + plain.size(), &length) == 1;
  if (ok) return plain;
  OPENSSL_cleanse(plain.data(), plain.size());
  return broken;
}

}  // namespace chandler::osb::server
