// svcat register
#include <fmt/format.h>
#include <fmt/ostream.h>

#include "base/file.h"
#include "base/text.h"
#include "base/time_text.h"
#include "svcat/brokers/describe.h"
#include "svcat/catalog/fields.h"
#include "svcat/catalog/scopes.h"
#include "svcat/commands.h"
#include "svcat/wait.h"

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

Result<json::Value> broker_of_flags(Call& call, const Place& place) {
  json::Object spec{{"url", call.flag("url")}};
  CH_TRY(add_authentication(call, place, spec));
  CH_TRY(add_relist(call, spec));
  if (const auto file = call.flag("ca"); !file.empty()) {
    if (call.is_set("skip-tls")) return usage_error("--ca and --skip-tls cannot be used together; leave one out");
    auto pem = read_file(file);
    if (!pem.ok()) return usage_error(fmt::format("--ca: {}", pem.error().message));
    spec["caBundle"] = base64_encode(*pem);
  }
  if (call.is_set("skip-tls")) spec["insecureSkipTLSVerify"] = true;
  json::Object restrictions;
  if (const auto rules = call.flags("class-restrictions"); !rules.empty())
    restrictions["serviceClass"] = array_of(rules);
  if (const auto rules = call.flags("plan-restrictions"); !rules.empty()) restrictions["servicePlan"] = array_of(rules);
  if (!restrictions.empty()) spec["catalogRestrictions"] = std::move(restrictions);
  json::Object metadata{{"name", call.argument(0)}};
  if (place.scope == Scope::kNamespace) metadata["namespace"] = place.ns;
  return json::Value(json::Object{{"apiVersion", kCatalogVersion},
                                  {"kind", place.names().brokers.name},
                                  {"metadata", std::move(metadata)},
                                  {"spec", std::move(spec)}});
}

Result<int> run(Call& call) {
  if (call.flag("url").empty()) return usage_error("register needs --url, such as --url https://broker.example");
  CH_TRY_LET(place, place_to_write(call));
  CH_TRY_LET(object, broker_of_flags(call, place));
  CH_TRY_LET(catalog, call.catalog());
  CH_TRY_LET(created, catalog->create(place.names().brokers, place.ns, object));
  if (!call.is_set("wait")) {
    describe_broker_to(call, created);
    return 0;
  }
  CH_TRY_LET(waited, wait_until_settled(call, place.names().brokers, place.ns, name_of(created)));
  if (waited.how == Waited::kInterrupted) return kInterruptedCode;
  if (waited.how == Waited::kGone) return not_found({"", "broker", name_of(created), ""});
  describe_broker_to(call, waited.object);
  return waited.how == Waited::kDone ? 0 : 1;
}

}  // namespace

Command register_broker() {
  return {
      .verb = "register",
      .arguments = "NAME",
      .min_arguments = 1,
      .max_arguments = 1,
      .summary = "Register a broker, so that its catalog becomes classes and plans",
      .details =
          "Without --cluster the broker belongs to a namespace. The secrets are looked for in that namespace; for "
          "a broker of the\ncluster, in the namespace of --namespace.",
      .examples = {"register azure --cluster --url https://broker.example --basic-secret azure-login -n brokers",
                   "register mine --url http://127.0.0.1:8080 --relist-duration 1h --wait"},
      .flags = flags_of(
          {{{"url", 0, "URL", "Address of the broker (required)"},
            {"basic-secret", 0, "NAME", "Secret with username and password"},
            {"bearer-secret", 0, "NAME", "Secret with token"},
            {"ca", 0, "FILE", "PEM file with the certificates to trust", "", false, Offer::kFiles},
            {"skip-tls", 0, "", "Accept any certificate"},
            {"class-restrictions", 0, "RULE", "Only classes that fit, such as 'spec.externalName in (a, b)'", "", true},
            {"plan-restrictions", 0, "RULE", "Only plans that fit, such as 'spec.free=true'", "", true},
            {"relist-behavior", 0, "WORD", "duration or manual", "", false, Offer::kWords, {"duration", "manual"}},
            {"relist-duration", 0, "DURATION", "How often the catalog is read again"}},
           {cluster_flag(), scope_flag(), namespace_flag()},
           wait_flags()}),
      .run = run};
}

}  // namespace chandler::svcat
