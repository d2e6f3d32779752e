// What proves to a server who we are. Some proofs change while the program runs (token files are rotated, plugins give
// tokens for an hour), so they are asked for with every request. Thread-safe; may block for a plugin or a file.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "client/exec_plugin.h"
#include "http/client.h"

namespace chandler::client {

struct CredentialSource {
  std::string token;
  std::string token_file;  // read again every minute; goes before `token`
  std::string username;
  std::string password;
  std::string certificate_pem;
  std::string key_pem;
  std::optional<ExecPlugin> exec;
  http::Headers impersonation;  // sent as they are
};

class Credentials {
 public:
  // `tls` says how the server is verified; client certificates are added to it.
  Credentials(CredentialSource source, http::ClientTls tls, const Clock& clock);

  // Adds what is needed to the request: an Authorization header, TLS settings with a client certificate.
  Result<void> apply(http::ClientRequest& request) CH_EXCLUDES(mutex_);
  // The server did not accept what apply() gave (401): a plugin is run again, a file is read again.
  void refused() CH_EXCLUDES(mutex_);

 private:
  Result<std::string> bearer_token() CH_REQUIRES(mutex_);
  Result<void> refresh_exec() CH_REQUIRES(mutex_);
  std::shared_ptr<const http::ClientTls> tls_with(const std::string& certificate, const std::string& key) const;

  const CredentialSource source_;
  const http::ClientTls base_tls_;
  const Clock& clock_;

  Mutex mutex_;  // held while a plugin runs: everybody waits for the same answer
  std::shared_ptr<const http::ClientTls> tls_ CH_GUARDED_BY(mutex_);
  std::string file_token_ CH_GUARDED_BY(mutex_);
  std::optional<MonoTime> file_read_ CH_GUARDED_BY(mutex_);
  std::optional<ExecCredential> exec_ CH_GUARDED_BY(mutex_);
};

}  // namespace chandler::client
