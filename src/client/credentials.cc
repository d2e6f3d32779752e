#include "client/credentials.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "client/status_error.h"

namespace chandler::client {
namespace {

constexpr auto kFileAge = std::chrono::minutes(1);
constexpr auto kExpiryMargin = std::chrono::seconds(10);  // a request must arrive before the token has expired

}  // namespace

Credentials::Credentials(CredentialSource source, http::ClientTls tls, const Clock& clock)
    : source_(std::move(source)),
      base_tls_(std::move(tls)),
      clock_(clock),
      tls_(tls_with(source_.certificate_pem, source_.key_pem)) {}

std::shared_ptr<const http::ClientTls> Credentials::tls_with(const std::string& certificate,
                                                             const std::string& key) const {
  auto tls = std::make_shared<http::ClientTls>(base_tls_);
  tls->certificate_pem = certificate;
  tls->key_pem = key;
  return tls;
}

Result<void> Credentials::refresh_exec() {
  if (!source_.exec) return {};
  if (exec_ && (!exec_->expires || clock_.now() + kExpiryMargin < *exec_->expires)) return {};
  CH_TRY_LET(fresh, run_exec_plugin(*source_.exec));
  // The settings stay the same object while the certificate is the same, so that connections are kept.
  if (fresh.certificate_pem != tls_->certificate_pem && !fresh.certificate_pem.empty()) {
    tls_ = tls_with(fresh.certificate_pem, fresh.key_pem);
  }
  exec_ = std::move(fresh);
  return {};
}

Result<std::string> Credentials::bearer_token() {
  if (source_.exec) {
    CH_TRY(refresh_exec());
    return exec_->token;
  }
  if (source_.token_file.empty()) return source_.token;
  if (!file_read_ || clock_.mono() - *file_read_ >= kFileAge) {
    auto text = read_file(source_.token_file);
    auto token = text.ok() ? std::string(trim(*text)) : std::string();
    if (token.empty() && file_token_.empty()) {
      if (!source_.token.empty()) return source_.token;
      return unauthorized_because(text.ok() ? fmt::format("the token file {} is empty", source_.token_file)
                                            : text.error().message);
    }
    // While a file is being replaced the last token that was read stays good.
    if (!token.empty()) file_token_ = std::move(token);
    file_read_ = clock_.mono();
  }
  return file_token_;
}

Result<void> Credentials::apply(http::ClientRequest& request) {
  MutexLock lock(mutex_);
  CH_TRY_LET(token, bearer_token());
  // It goes into a header line, so it must not be able to end one.
  if (std::any_of(token.begin(), token.end(), [](char c) { return c <= ' ' || c > '~'; })) {
    return unauthorized_because("the bearer token holds blanks, line ends or other characters that no token has");
  }
  if (!token.empty()) {
    request.headers.set("Authorization", "Bearer " + token);
  } else if (!source_.username.empty()) {
    request.headers.set("Authorization", "Basic " + base64_encode(source_.username + ":" + source_.password));
  }
  for (const auto& [name, value] : source_.impersonation.fields()) request.headers.add(name, value);
  request.tls = tls_;
  return {};
}

void Credentials::refused() {
  MutexLock lock(mutex_);
  exec_.reset();
  file_read_.reset();
}

}  // namespace chandler::client
