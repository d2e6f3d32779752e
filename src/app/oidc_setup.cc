#include "app/oidc_setup.h"

#include <utility>

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"

namespace chandler::app {
namespace {

constexpr auto kFetchTimeout = std::chrono::seconds(5);
constexpr size_t kMaxIssuerDocument = 1024 * 1024;

auth::IssuerKeys::Fetch fetch_with(http::Client& client, std::shared_ptr<const http::ClientTls> tls) {
  return [&client, tls = std::move(tls)](const std::string& url, std::function<void(Result<std::string>)> done) {
    http::ClientRequest request;
    request.url = url;
    request.headers.set("Accept", "application/json");
    request.tls = tls;
    request.timeout = kFetchTimeout;
    request.connect_timeout = kFetchTimeout;
    request.max_body_bytes = kMaxIssuerDocument;
    client.send(std::move(request), [url, done = std::move(done)](http::ClientOutcome outcome) {
      if (!outcome.ok()) return done(unavailable(fmt::format("{}: {}", url, outcome.error().message)));
      if (outcome->status != 200) return done(unavailable(fmt::format("{} answered {}", url, outcome->status)));
      done(std::move(outcome->body));
    });
  };
}

}  // namespace

Result<auth::OidcSettings> oidc_settings(const OidcOptions& options) {
  if (!options.issuer_url.starts_with("https://") || options.issuer_url.find_first_of("?#") != std::string::npos) {
    return bad_request("--oidc-issuer-url: must be an https address without query and fragment, as tokens name it");
  }
  if (options.client_ids.empty()) {
    return bad_request("--oidc-client-id: is needed with --oidc-issuer-url; tokens for other clients are not for us");
  }
  if (options.username_claim.empty()) return bad_request("--oidc-username-claim: is empty; name a claim, such as sub");
  auth::OidcSettings settings;
  settings.issuer = options.issuer_url;
  settings.client_ids = options.client_ids;
  settings.username_claim = options.username_claim;
  if (options.username_prefix == "-") {
    settings.username_prefix = "";
  } else if (!options.username_prefix.empty()) {
    settings.username_prefix = options.username_prefix;
  } else if (options.username_claim != "email") {
    // Two issuers may use the same names; addresses are unique in the world.
    settings.username_prefix = options.issuer_url + "#";
  }
  settings.groups_claim = options.groups_claim;
  settings.groups_prefix = options.groups_prefix;
  for (const auto& text : options.required_claims) {
    const size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos) {
      return bad_request(fmt::format("--oidc-required-claim: {} is not NAME=VALUE", quoted(text)));
    }
    settings.required_claims[text.substr(0, equals)] = text.substr(equals + 1);
  }
  settings.algorithms = options.signing_algs;
  for (const auto& name : settings.algorithms) {
    if (!auth::is_known_algorithm(name)) {
      return bad_request(fmt::format(
          "--oidc-signing-algs: {} is not known; there are RS256, RS384, RS512, ES256, ES384 and ES512", quoted(name)));
    }
  }
  if (settings.algorithms.empty()) return bad_request("--oidc-signing-algs: is empty; the usual one is RS256");
  return settings;
}

Result<std::shared_ptr<auth::OidcTokens>> make_oidc_tokens(const OidcOptions& options, http::Client& client,
                                                           const std::vector<std::string>& own_audiences,
                                                           const Clock& clock) {
  CH_TRY_LET(settings, oidc_settings(options));
  std::shared_ptr<http::ClientTls> tls;
  if (!options.ca_file.empty()) {
    CH_TRY_LET(pem, read_file(options.ca_file));
    if (pem.find("BEGIN CERTIFICATE") == std::string::npos) {
      return bad_request(fmt::format("--oidc-ca-file: {} holds no certificate in PEM form", options.ca_file));
    }
    tls = std::make_shared<http::ClientTls>();
    tls->ca_pem = std::move(pem);
  }
  auto keys = std::make_shared<auth::IssuerKeys>(settings.issuer, fetch_with(client, std::move(tls)), clock);
  auto tokens = std::make_shared<auth::OidcTokens>(std::move(settings), keys, own_audiences, clock);
  keys->refresh([] {});
  return tokens;
}

}  // namespace chandler::app
