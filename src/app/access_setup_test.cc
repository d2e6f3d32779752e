#include "app/oidc_setup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/audit_setup.h"
#include "auth/pki.h"
#include "base/file.h"
#include "http/server.h"
#include "json/writer.h"
#include "storage/temp_directory.h"
#include "support/eventually.h"

namespace chandler::app {
namespace {

using ::chandler::testing::eventually;
using ::testing::HasSubstr;

OidcOptions good_options() {
  OidcOptions options;
  options.issuer_url = "https://issuer.example";
  options.client_ids = {"chandler"};
  return options;
}

TEST(OidcSettings, TheUsersNameGetsItsPrefix) {
  struct Row {
    const char* reason;
    const char* claim;
    const char* prefix;
    const char* expected;
  };
  const Row rows[] = {
      {"the issuer by default", "sub", "", "https://issuer.example#"},
      {"none for addresses", "email", "", ""},
      {"none when told so", "sub", "-", ""},
      {"what is given", "email", "oidc:", "oidc:"},
  };
  for (const auto& row : rows) {
    auto options = good_options();
    options.username_claim = row.claim;
    options.username_prefix = row.prefix;
    const auto settings = oidc_settings(options);
    ASSERT_TRUE(settings.ok()) << row.reason;
    EXPECT_EQ(settings->username_prefix, row.expected) << row.reason;
  }
}

TEST(OidcSettings, FaultsNameTheirFlag) {
  struct Row {
    const char* reason;
    std::function<void(OidcOptions&)> change;
    const char* flag;
  };
  const Row rows[] = {
      {"no TLS", [](auto& o) { o.issuer_url = "http://issuer.example"; }, "--oidc-issuer-url"},
      {"a query", [](auto& o) { o.issuer_url = "https://issuer.example?a"; }, "--oidc-issuer-url"},
      {"no client", [](auto& o) { o.client_ids.clear(); }, "--oidc-client-id"},
      {"no claim", [](auto& o) { o.username_claim = ""; }, "--oidc-username-claim"},
      {"no value", [](auto& o) { o.required_claims = {"hd"}; }, "--oidc-required-claim"},
      {"no signature", [](auto& o) { o.signing_algs = {"none"}; }, "--oidc-signing-algs"},
      {"a shared secret", [](auto& o) { o.signing_algs = {"HS256"}; }, "--oidc-signing-algs"},
  };
  for (const auto& row : rows) {
    auto options = good_options();
    row.change(options);
    const auto settings = oidc_settings(options);
    ASSERT_FALSE(settings.ok()) << row.reason;
    EXPECT_THAT(settings.error().message, HasSubstr(row.flag)) << row.reason;
  }
}

// An issuer over real HTTPS, and the real client.
TEST(OidcTokensOverHttps, KeysAreFetchedInTheBackground) {
  const storage::TempDirectory directory;
  const auto pki = auth::load_or_create_pki(directory.path(), {"127.0.0.1"}, system_clock());
  ASSERT_TRUE(pki.ok());
  const auto key = auth::SigningKey::from_pem(*auth::new_private_key_pem());
  std::string url;
  metrics::Registry metrics;
  http::ServerOptions server_options;
  server_options.io_threads = 1;
  server_options.tls = http::TlsFiles{pki->server_chain_pem, pki->server_key_pem, pki->ca_pem};
  auto server = http::Server::listen(
      server_options,
      [&](const std::shared_ptr<http::Request>& request, const std::unique_ptr<http::Responder>& responder) {
        http::Response response;
        response.headers.set("Content-Type", "application/json");
        if (request->target == "/.well-known/openid-configuration") {
          response.body = json::write(json::Object{{"issuer", url}, {"jwks_uri", url + "/keys"}});
        } else if (request->target == "/keys") {
          response.body = json::write(auth::jwks({key->verifying_key()}));
        } else {
          response.status = 404;
        }
        responder->send(std::move(response));
      },
      metrics);
  ASSERT_TRUE(server.ok());
  url = "https://127.0.0.1:" + std::to_string((*server)->port());
  (*server)->start();

  auto options = good_options();
  options.issuer_url = url;
  options.username_prefix = "oidc:";
  options.signing_algs = {"ES256"};
  options.ca_file = directory.path() + "/ca.crt";
  const auto client = http::Client::create({});
  const auto tokens = make_oidc_tokens(options, *client, {"us"}, system_clock());
  ASSERT_TRUE(tokens.ok()) << tokens.error().message;
  const auto now = std::chrono::duration_cast<std::chrono::seconds>(system_clock().now().time_since_epoch()).count();
  const auto token =
      auth::sign_jwt(*key, json::Object{{"iss", url}, {"sub", "jane"}, {"aud", "chandler"}, {"exp", now + 600}});
  auth::Credentials credentials;
  credentials.bearer_token = *token;
  EXPECT_TRUE(eventually([&] { return (*tokens)->authenticate(credentials).ok(); }));
  const auto identity = (*tokens)->authenticate(credentials);
  ASSERT_TRUE(identity.ok() && identity->has_value());
  EXPECT_EQ((*identity)->user.name, "oidc:jane");
  client->stop();
  (*server)->stop(std::chrono::seconds(1));
}

TEST(AuditSetup, SaysWhatIsMissingOrWrong) {
  const storage::TempDirectory directory;
  metrics::Registry metrics;
  AuditOptions options;
  EXPECT_EQ(*make_audit_log(options, system_clock(), metrics), nullptr) << "nothing asked for";
  options.policy_file = directory.path() + "/policy.yaml";
  EXPECT_THAT(make_audit_log(options, system_clock(), metrics).error().message, HasSubstr("--audit-log-path"));
  options.log_path = directory.path() + "/audit.log";
  EXPECT_THAT(make_audit_log(options, system_clock(), metrics).error().message, HasSubstr("policy.yaml"));
  ASSERT_TRUE(write_file(options.policy_file, "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: x}]").ok());
  EXPECT_THAT(make_audit_log(options, system_clock(), metrics).error().message, HasSubstr("rules[0].level"));
  EXPECT_FALSE(file_exists(options.log_path)) << "nothing is touched before the policy is understood";
  ASSERT_TRUE(
      write_file(options.policy_file, "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: None}]").ok());
  EXPECT_TRUE(make_audit_log(options, system_clock(), metrics).ok());
  options.policy_file = "";
  EXPECT_TRUE(make_audit_log(options, system_clock(), metrics).ok());
}

}  // namespace
}  // namespace chandler::app
