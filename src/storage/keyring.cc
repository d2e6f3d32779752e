#include "storage/keyring.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "base/check.h"
#include "base/file.h"
#include "base/ids.h"
#include "base/private_file.h"
#include "base/text.h"

namespace chandler::storage {
namespace {

// Sealed: "k1:" key id ":" nonce tag cipher text. JSON never begins like this, so sealed and plain values can be told
// apart.
constexpr std::string_view kMagic = "k1:";
constexpr size_t kIdLength = 8;
constexpr size_t kNonceLength = 12;
constexpr size_t kTagLength = 16;
constexpr size_t kHeaderLength = kMagic.size() + kIdLength + 1;

struct FreeContext {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_CIPHER_CTX, FreeContext>;

const unsigned char* bytes_of(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }
unsigned char* bytes_of(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }
int length_of(std::string_view text) { return static_cast<int>(text.size()); }

bool is_id(std::string_view text) {
  return text.size() == kIdLength &&
         std::all_of(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

std::string_view id_of(std::string_view sealed) { return sealed.substr(kMagic.size(), kIdLength); }

// nullopt: wrong key, context or content; GCM cannot tell which.
std::optional<std::string> decrypt(const unsigned char* key, std::string_view nonce, std::string_view tag,
                                   std::string_view cipher, std::string_view context) {
  const Context evp(EVP_CIPHER_CTX_new());
  std::string plain(cipher.size(), '\0');
  std::string tag_copy(tag);  // the interface wants it writable
  int length = 0;
  const bool ok =
      evp && EVP_DecryptInit_ex(evp.get(), EVP_aes_256_gcm(), nullptr, key, bytes_of(nonce)) == 1 &&
      EVP_DecryptUpdate(evp.get(), nullptr, &length, bytes_of(context), length_of(context)) == 1 &&
      EVP_DecryptUpdate(evp.get(), bytes_of(plain), &length, bytes_of(cipher), length_of(cipher)) == 1 &&
      EVP_CIPHER_CTX_ctrl(evp.get(), EVP_CTRL_GCM_SET_TAG, static_cast<int>(kTagLength), tag_copy.data()) == 1 &&
      EVP_DecryptFinal_ex(evp.get(), bytes_of(plain) + plain.size(), &length) == 1;
  if (ok) return plain;
  OPENSSL_cleanse(plain.data(), plain.size());
  return std::nullopt;
}

Error bad_key_file(const std::string& path, std::string_view what) {
  return unavailable(fmt::format("the key file {} cannot be used: {}", path, what));
}

}  // namespace

Keyring::Key::~Key() { OPENSSL_cleanse(bytes.data(), bytes.size()); }

Keyring::Key Keyring::new_key() {
  Key key;
  key.id = hex_encode(random_bytes(kIdLength / 2));
  std::string random = random_bytes(key.bytes.size());
  std::copy(random.begin(), random.end(), key.bytes.begin());
  OPENSSL_cleanse(random.data(), random.size());
  return key;
}

Result<Keyring> Keyring::open(const std::string& path) {
  if (!file_exists(path)) {
    Keyring fresh;
    fresh.keys_.push_back(new_key());
    CH_TRY(fresh.write(path));
    return fresh;
  }
  CH_TRY_LET(text, read_private_file(path));
  auto ring = parse(path, text);
  OPENSSL_cleanse(text.data(), text.size());
  return ring;
}

Result<Keyring> Keyring::parse(const std::string& path, std::string_view text) {
  Keyring ring;
  size_t number = 0;
  for (const auto raw : split(text, '\n')) {
    ++number;
    const auto line = trim(raw);
    if (line.empty() || line.front() == '#') continue;
    const auto space = line.find(' ');
    const auto id = line.substr(0, space);
    auto decoded = base64_decode(space == std::string_view::npos ? std::string_view() : trim(line.substr(space)));
    Key key;
    if (!is_id(id) || !decoded || decoded->size() != key.bytes.size()) {
      return bad_key_file(path, fmt::format("line {} is not \"<id of 8 hex digits> <256-bit key in base64>\"; restore "
                                            "the file from its copy",
                                            number));
    }
    if (ring.find(id) != nullptr) return bad_key_file(path, fmt::format("line {} repeats the key id {}", number, id));
    key.id = id;
    std::copy(decoded->begin(), decoded->end(), key.bytes.begin());
    OPENSSL_cleanse(decoded->data(), decoded->size());
    ring.keys_.push_back(std::move(key));
  }
  if (ring.keys_.empty()) return bad_key_file(path, "it holds no key; restore it from its copy");
  return ring;
}

Result<void> Keyring::write(const std::string& path) const {
  std::string text = "# Keys for secret values, newest first. Keep a copy apart from backups of the data.\n";
  for (const auto& key : keys_) {
    text += key.id + " " + base64_encode({reinterpret_cast<const char*>(key.bytes.data()), key.bytes.size()}) + "\n";
  }
  auto written = write_file(path, text, 0600);
  OPENSSL_cleanse(text.data(), text.size());
  return written;
}

Result<void> Keyring::rotate(const std::string& path) {
  Keyring next = *this;
  auto key = new_key();
  while (find(key.id) != nullptr) key = new_key();
  next.keys_.insert(next.keys_.begin(), std::move(key));
  CH_TRY(next.write(path));
  keys_ = std::move(next.keys_);
  return {};
}

Result<void> Keyring::keep_newest(const std::string& path) {
  Keyring next = *this;
  next.keys_.resize(1);
  CH_TRY(next.write(path));
  keys_ = std::move(next.keys_);
  return {};
}

std::string_view Keyring::key_of(std::string_view sealed) { return id_of(sealed); }

const Keyring::Key* Keyring::find(std::string_view id) const {
  const auto found = std::find_if(keys_.begin(), keys_.end(), [&](const Key& key) { return key.id == id; });
  return found == keys_.end() ? nullptr : &*found;
}

std::string Keyring::seal(std::string_view plain, std::string_view context) const {
  const Key& key = keys_.front();
  const std::string nonce = random_bytes(kNonceLength);
  std::string sealed = fmt::format("{}{}:{}", kMagic, key.id, nonce);
  const size_t tag_at = sealed.size();
  sealed.resize(tag_at + kTagLength + plain.size());
  unsigned char* tag = bytes_of(sealed) + tag_at;
  unsigned char* cipher = tag + kTagLength;

  const Context evp(EVP_CIPHER_CTX_new());
  int length = 0;
  // Fails only when memory is out or the library is broken; storing a secret unsealed is no way out.
  CH_CHECK(evp != nullptr);
  CH_CHECK(EVP_EncryptInit_ex(evp.get(), EVP_aes_256_gcm(), nullptr, key.bytes.data(), bytes_of(nonce)) == 1);
  CH_CHECK(EVP_EncryptUpdate(evp.get(), nullptr, &length, bytes_of(context), length_of(context)) == 1);
  CH_CHECK(EVP_EncryptUpdate(evp.get(), cipher, &length, bytes_of(plain), length_of(plain)) == 1);
  CH_CHECK(EVP_EncryptFinal_ex(evp.get(), cipher + plain.size(), &length) == 1);
  CH_CHECK(EVP_CIPHER_CTX_ctrl(evp.get(), EVP_CTRL_GCM_GET_TAG, static_cast<int>(kTagLength), tag) == 1);
  return sealed;
}

bool Keyring::is_sealed(std::string_view bytes) {
  return bytes.size() >= kHeaderLength + kNonceLength + kTagLength && bytes.starts_with(kMagic) &&
         is_id(id_of(bytes)) && bytes[kHeaderLength - 1] == ':';
}

Result<std::string> Keyring::open_sealed(std::string_view sealed, std::string_view context) const {
  if (!is_sealed(sealed)) return internal_error(fmt::format("the value of {} is not sealed", context));
  const Key* key = find(id_of(sealed));
  if (key == nullptr) {
    return internal_error(
        fmt::format("the value of {} is sealed with key {}, which the key file does not hold; restore "
                    "the key file that belongs to this data",
                    context, id_of(sealed)));
  }
  const auto nonce = sealed.substr(kHeaderLength, kNonceLength);
  const auto tag = sealed.substr(kHeaderLength + kNonceLength, kTagLength);
  const auto cipher = sealed.substr(kHeaderLength + kNonceLength + kTagLength);
  auto plain = decrypt(key->bytes.data(), nonce, tag, cipher, context);
  if (!plain) {
    return internal_error(
        fmt::format("the value of {} does not open with key {}: it was changed, or moved here from "
                    "elsewhere; restore a backup",
                    context, key->id));
  }
  return std::move(*plain);
}

}  // namespace chandler::storage
