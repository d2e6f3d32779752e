// Everything a stranger can offer as a bearer token, and the file of static tokens. The first byte chooses: a raw
// token; claims that get a good signature, so that the checks behind the signature are reached too; a token file; a
// key; a set of keys.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "auth/issuer_keys.h"
#include "auth/json_web_key.h"
#include "auth/service_account_tokens.h"
#include "auth/token_file.h"
#include "base/check.h"
#include "json/reader.h"

namespace {

using namespace chandler;

class NothingThere final : public auth::ServiceAccountLookup {
 public:
  std::optional<std::string> uid_of(std::string_view, std::string_view) const override { return std::nullopt; }
  std::optional<std::string> bound_uid(std::string_view, std::string_view, std::string_view) const override {
    return std::nullopt;
  }
};

void offer(const auth::ServiceAccountTokens& tokens, std::string_view token) {
  auth::Credentials credentials;
  credentials.bearer_token = token;
  const auto got = tokens.authenticate(credentials);
  // No account exists, so whatever is accepted is a hole.
  CH_CHECK(!got.ok() || !got->has_value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto kKey = *auth::SigningKey::from_pem(*auth::new_private_key_pem());
  static const NothingThere kLookup;
  static const auth::ServiceAccountTokens kTokens(kKey, {}, kLookup, system_clock());
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0]) {
    case 'c': {
      const auto claims = json::parse(text);
      if (claims.ok()) offer(kTokens, *auth::sign_jwt(kKey, *claims));
      break;
    }
    case 'f':
      (void)auth::TokenFile::parse(text, "tokens.csv", {});
      break;
    case 'k':
      (void)auth::VerifyingKey::from_pem(text);
      break;
    case 'j': {
      const auto keys = auth::parse_key_set(text);
      // Nobody signs with an empty text.
      for (const auto& key : keys.ok() ? *keys : std::vector<auth::JsonWebKey>()) {
        for (const auto* algorithm : {"RS256", "ES256", "ES512"}) CH_CHECK(!key.verify(algorithm, "message", ""));
      }
      (void)auth::key_set_address(text, "https://issuer.example");
      break;
    }
    default:
      offer(kTokens, text);
  }
  return 0;
}
