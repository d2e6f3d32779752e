#include "reconcilers/catalog/endpoint.h"

#include <fmt/format.h>

#include "base/text.h"
#include "json/writer.h"
#include "reconcilers/catalog/api_version.h"
#include "reconcilers/catalog/document.h"

namespace chandler::reconcilers {
namespace {

Result<std::string> secret_text(const client::Object& secret, const std::string& where, std::string_view key) {
  const auto encoded = json::string_at(member(secret.value(), "data"), key);
  if (!encoded) return bad_request(fmt::format("secret {} has no key \"{}\"; add it", where, key));
  auto decoded = base64_decode(*encoded);
  if (!decoded) return bad_request(fmt::format("secret {}: the value of \"{}\" is not base64", where, key));
  return *std::move(decoded);
}

Result<std::string> authorization_of(const client::Object& broker, Scope scope, controller::View& view) {
  const auto& info = member(spec_of(broker), "authInfo");
  const bool basic = !member(info, "basic").is_null();
  const auto& reference = member(info, {basic ? "basic" : "bearer", "secretRef"});
  if (reference.is_null()) return std::string();
  const std::string ns = scope == Scope::kCluster ? text_at(reference, "namespace") : std::string(broker.ns());
  const std::string where = ns + "/" + text_at(reference, "name");
  const auto secret = view.get(kSecrets, ns, text_at(reference, "name"));
  if (!secret)
    return bad_request(fmt::format("secret {} with the broker's credentials does not exist; create it", where));
  if (!basic) {
    CH_TRY_LET(token, secret_text(secret, where, "token"));
    return "Bearer " + token;
  }
  CH_TRY_LET(user, secret_text(secret, where, "username"));
  CH_TRY_LET(password, secret_text(secret, where, "password"));
  return "Basic " + base64_encode(user + ":" + password);
}

}  // namespace

client::Object broker_object(const BrokerRef& ref, controller::View& view) {
  return view.get(names_of(ref.scope).brokers, ref.ns, ref.name);
}

Result<osb::Endpoint> endpoint_of(const client::Object& broker, Scope scope, const Settings& settings,
                                  controller::View& view) {
  const auto& spec = spec_of(broker);
  osb::Endpoint endpoint;
  endpoint.url = text_at(spec, "url");
  CH_TRY_LET(authorization, authorization_of(broker, scope, view));
  endpoint.authorization = std::move(authorization);
  auto tls = std::make_shared<http::ClientTls>();
  tls->insecure = true_at(spec, "insecureSkipTLSVerify");
  if (const auto bundle = json::string_at(spec, "caBundle")) {
    auto pem = base64_decode(*bundle);
    if (!pem) return bad_request("spec.caBundle is not base64");
    tls->ca_pem = *std::move(pem);
  }
  endpoint.tls = std::move(tls);
  endpoint.api_version = api_version_for(broker, settings);
  endpoint.timeout = settings.osb_api_request_timeout;
  if (scope == Scope::kNamespace) endpoint.addresses = settings.namespaced_broker_addresses;
  return endpoint;
}

std::string identity_of(const json::Value& user_info) {
  if (!user_info.is_object()) return {};
  json::Object user;
  user.reserve(4);
  user["username"] = text(json::string_at(user_info, "username").value_or(""));
  user["uid"] = text(json::string_at(user_info, "uid").value_or(""));
  const auto& groups = member(user_info, "groups");
  user["groups"] = groups.is_array() ? groups : json::Value(json::Array());
  const auto& extra = member(user_info, "extra");
  user["extra"] = extra.is_object() ? extra : json::Value(json::Object());
  return json::write(json::Value(std::move(user)));
}

}  // namespace chandler::reconcilers
