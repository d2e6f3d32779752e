// What the flags of register and set say about a broker.
#include "svcat/brokers/broker_flags.h"

#include <fmt/format.h>

#include "base/file.h"
#include "base/text.h"
#include "base/time_text.h"

namespace chandler::svcat {
namespace {

json::Array array_of(const std::vector<std::string>& values) {
  json::Array array;
  for (const auto& value : values) array.push_back(json::Value(value));
  return array;
}

Result<void> add_authentication(Call& call, const Place& place, json::Object& spec) {
  const auto basic = call.flag("basic-secret");
  const auto bearer = call.flag("bearer-secret");
  if (basic.empty() && bearer.empty()) return {};
  if (!basic.empty() && !bearer.empty()) {
    return usage_error("--basic-secret and --bearer-secret cannot be used together; leave one out");
  }
  json::Object reference{{"name", basic.empty() ? bearer : basic}};
  if (place.scope == Scope::kCluster) {
    CH_TRY_LET(ns, call.ns());
    reference["namespace"] = ns;
  }
  json::Object secret{{"secretRef", std::move(reference)}};
  spec["authInfo"] = json::Object{{basic.empty() ? "bearer" : "basic", std::move(secret)}};
  return {};
}

Result<void> add_relist(Call& call, json::Object& spec) {
  const auto behavior = to_lower(call.flag("relist-behavior"));
  if (!behavior.empty()) {
    if (behavior != "duration" && behavior != "manual") {
      return usage_error(fmt::format("--relist-behavior is duration or manual, not {}", quoted(behavior)));
    }
    spec["relistBehavior"] = behavior == "manual" ? "Manual" : "Duration";
  }
  if (call.given("relist-duration")) {
    if (behavior == "manual") return usage_error("--relist-duration makes no sense with --relist-behavior manual");
    CH_TRY_LET(every, call.duration("relist-duration"));
    if (!every || every->count() == 0) return usage_error("--relist-duration must be more than 0, such as 1h");
    spec["relistDuration"] = go_duration(*every);
  }
  return {};
}

}  // namespace

Result<void> write_broker(Call& call, const Place& place, json::Object& spec) {
  if (call.given("url")) spec["url"] = call.flag("url");
  CH_TRY(add_authentication(call, place, spec));
  CH_TRY(add_relist(call, spec));
  if (const auto file = call.flag("ca"); !file.empty()) {
    if (call.is_set("skip-tls")) return usage_error("--ca and --skip-tls cannot be used together; leave one out");
    auto pem = read_file(file);
    if (!pem.ok()) return usage_error(fmt::format("--ca: {}", pem.error().message));
    spec["caBundle"] = base64_encode(*pem);
    spec.erase("insecureSkipTLSVerify");
  }
  if (call.given("skip-tls")) spec["insecureSkipTLSVerify"] = call.is_set("skip-tls");
  if (call.is_set("skip-tls")) spec.erase("caBundle");
  for (const auto& [flag, field] :
       {std::pair("class-restrictions", "serviceClass"), std::pair("plan-restrictions", "servicePlan")}) {
    if (!call.given(flag)) continue;
    auto& restrictions = spec["catalogRestrictions"];
    if (!restrictions.is_object()) restrictions = json::Object();
    restrictions.get_object()[field] = array_of(call.flags(flag));
  }
  return {};
}

std::vector<Flag> broker_flags() {
  return {{"url", 0, "URL", "Address of the broker"},
          {"basic-secret", 0, "NAME", "Secret with username and password"},
          {"bearer-secret", 0, "NAME", "Secret with token"},
          {"ca", 0, "FILE", "PEM file with the certificates to trust", "", false, Offer::kFiles},
          {"skip-tls", 0, "", "Accept any certificate"},
          {"class-restrictions", 0, "RULE", "Only classes that fit, such as 'spec.externalName in (a, b)'", "", true},
          {"plan-restrictions", 0, "RULE", "Only plans that fit, such as 'spec.free=true'", "", true},
          {"relist-behavior", 0, "WORD", "duration or manual", "", false, Offer::kWords, {"duration", "manual"}},
          {"relist-duration", 0, "DURATION", "How often the catalog is read again"}};
}

}  // namespace chandler::svcat
