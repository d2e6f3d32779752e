// Static bearer tokens from a CSV file: token,user,uid,"group1,group2" (uid may be empty, groups may be left out).
// Only digests of the tokens are kept. Immutable, thread-safe.
#pragma once

#include <unordered_map>

#include "auth/authenticator.h"
#include "auth/digest.h"

namespace chandler::auth {

class TokenFile final : public Authenticator {
 public:
  // `name` is what errors call the file; they name the line and never show a token. `own_audiences`: what this server
  // is called; a static token is good for these only.
  static Result<TokenFile> parse(std::string_view text, std::string_view name, std::vector<std::string> own_audiences);

  Result<std::optional<Identity>> authenticate(const Credentials& credentials) const override;
  size_t size() const { return users_.size(); }

 private:
  std::unordered_map<Digest, User, DigestHash> users_;
  std::vector<std::string> own_audiences_;
};

}  // namespace chandler::auth
