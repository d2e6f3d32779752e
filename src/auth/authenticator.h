// From credentials to a user. An Authenticator knows one kind of credential and answers with an identity, with "not one
// of mine" (nullopt), or with an error when the credential is its own kind and bad. Such an error is Unauthorized and
// its message says why, for logs and token reviews; it never holds any part of the credential. The client itself is
// told no more than unauthorized(). All authenticators are thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "auth/user.h"
#include "base/result.h"

namespace chandler::auth {

// What a request offers, taken from the connection and its headers. Borrowed for the length of the call.
struct Credentials {
  std::string_view bearer_token;                            // empty: none
  std::string_view common_name;                             // of a client certificate that TLS has verified
  const std::vector<std::string>* organizations = nullptr;  // of the same certificate
  const std::vector<std::string>* audiences = nullptr;      // for whom a token must be meant; null: this server

  bool offered() const { return !bearer_token.empty() || !common_name.empty(); }
};

struct Identity {
  User user;
  std::vector<std::string> audiences;  // which of the wanted audiences the credential is good for
};

class Authenticator {
 public:
  virtual ~Authenticator() = default;
  virtual Result<std::optional<Identity>> authenticate(const Credentials& credentials) const = 0;
  // For a credential that was refused only because something is not known yet, and being found out: `again` is called
  // once when it is worth asking again, on any thread, also before this returns. False: the refusal stands.
  virtual bool ask_again_later(const Credentials& /*credentials*/, std::function<void()> /*again*/) const {
    return false;
  }
};

// Verified client certificates: the user is the subject's CN, the groups its O values.
class ClientCertificates final : public Authenticator {
 public:
  Result<std::optional<Identity>> authenticate(const Credentials& credentials) const override;
};

// All methods of a server. The first that accepts decides; any may. Nothing offered: nullopt, the caller goes on as
// anonymous(). Something offered that nobody accepts: an error, even where anonymous access is open. Adds
// system:authenticated.
class Chain final : public Authenticator {
 public:
  explicit Chain(std::vector<std::shared_ptr<const Authenticator>> methods) : methods_(std::move(methods)) {}
  Result<std::optional<Identity>> authenticate(const Credentials& credentials) const override;
  bool ask_again_later(const Credentials& credentials, std::function<void()> again) const override;

 private:
  const std::vector<std::shared_ptr<const Authenticator>> methods_;
};

// An Unauthorized error that says why.
Error refused(std::string_view why);

// The members of `wanted` (all of `have` when null) that are in `have`, in the order of `wanted`.
std::vector<std::string> common_audiences(const std::vector<std::string>& have, const std::vector<std::string>* wanted);

}  // namespace chandler::auth
