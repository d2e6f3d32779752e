// svcat register
#include <fmt/format.h>

#include "svcat/brokers/broker_flags.h"
#include "svcat/brokers/describe.h"
#include "svcat/catalog/fields.h"
#include "svcat/catalog/scopes.h"
#include "svcat/commands.h"
#include "svcat/wait.h"

namespace chandler::svcat {
namespace {

Result<int> run_register_broker(Call& call) {
  if (call.flag("url").empty()) return usage_error("register needs --url, such as --url https://broker.example");
  CH_TRY_LET(place, place_to_write(call));
  json::Object spec;
  CH_TRY(write_broker(call, place, spec));
  json::Object metadata{{"name", call.argument(0)}};
  if (place.scope == Scope::kNamespace) metadata["namespace"] = place.ns;
  const json::Value object = json::Object{{"apiVersion", kCatalogVersion},
                                          {"kind", place.names().brokers.name},
                                          {"metadata", std::move(metadata)},
                                          {"spec", std::move(spec)}};
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
  if (waited.how == Waited::kDone) return 0;
  return bad_request(fmt::format("the catalog of broker {} could not be read; mend it, then: svcat sync broker {}{}",
                                 name_of(created), name_of(created),
                                 place.ns.empty() ? " --cluster" : " -n " + place.ns));
}

}  // namespace

Command register_broker() {
  return {.verb = "register",
          .arguments = "NAME",
          .min_arguments = 1,
          .max_arguments = 1,
          .summary = "Register a broker, so that its catalog becomes classes and plans",
          .details =
              "Without --cluster the broker belongs to a namespace. The secrets are looked for in that namespace; for "
              "a broker of the\ncluster, in the namespace of --namespace.",
          .examples = {"register azure --cluster --url https://broker.example --basic-secret azure-login -n brokers",
                       "register mine --url http://broker.example:8080 --relist-duration 1h --wait"},
          .flags = flags_of({broker_flags(), {cluster_flag(), scope_flag(), namespace_flag()}, wait_flags()}),
          .run = run_register_broker};
}

}  // namespace chandler::svcat
