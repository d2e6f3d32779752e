#include "resolve/parameter_checksum.h"

#include <algorithm>

#include "base/check.h"
#include "json/writer.h"
#include "resolve/digest.h"

namespace chandler::resolve {
namespace {

constexpr size_t kDigestLength = 64;
constexpr size_t kIdLength = 16;

std::string_view key_id_of(std::string_view checksum) { return checksum.substr(0, checksum.find(':')); }

}  // namespace

std::string parameters_digest(const json::Value& parameters) {
  const auto* object = parameters.if_object();
  if (object == nullptr || object->empty()) return "";
  // In canonical JSON these characters stand only inside of texts, where an escape means the same.
  std::string escaped;
  const std::string canonical = json::write(parameters);
  escaped.reserve(canonical.size());
  for (const char c : canonical) {
    if (c == '<') {
      escaped += "\\u003c";
    } else if (c == '>') {
      escaped += "\\u003e";
    } else if (c == '&') {
      escaped += "\\u0026";
    } else {
      escaped += c;
    }
  }
  return sha256_hex(escaped);
}

// The id tells which key was used, and nothing of the key.
ChecksumKey::ChecksumKey(std::string_view bytes)
    : bytes_(bytes), id_(hmac_sha256_hex(bytes, "id of the key").substr(0, kIdLength)) {
  CH_CHECK(bytes.size() == kLength);
}

std::string ChecksumKey::checksum(std::string_view uid, const json::Value& parameters) const {
  return checksum_of_digest(uid, parameters_digest(parameters));
}

std::string ChecksumKey::checksum_of_digest(std::string_view uid, std::string_view digest) const {
  if (digest.empty()) return "";
  CH_CHECK(!bytes_.empty());
  // The digest has one length, so nothing can move between the parts.
  std::string input(digest);
  input += ':';
  input += uid;
  return id_ + ":" + hmac_sha256_hex(bytes_, input);
}

bool is_bare_digest(std::string_view stored) {
  return stored.size() == kDigestLength && std::all_of(stored.begin(), stored.end(), [](char c) {
           return ('0' <= c && c <= '9') || ('a' <= c && c <= 'f');
         });
}

bool same_key(std::string_view a, std::string_view b) { return key_id_of(a) == key_id_of(b); }

}  // namespace chandler::resolve
