// svcat describe broker
#include "svcat/brokers/describe.h"

#include <fmt/format.h>

#include "svcat/catalog/fields.h"
#include "svcat/catalog/lookup.h"
#include "svcat/commands.h"
#include "svcat/output/details.h"

namespace chandler::svcat {
namespace {

std::string auth_of(const json::Value& broker) {
  for (const std::string_view way : {"basic", "bearer"}) {
    const auto name = text_at(broker, {"spec", "authInfo", way, "secretRef", "name"});
    if (name.empty()) continue;
    const auto ns = text_at(broker, {"spec", "authInfo", way, "secretRef", "namespace"});
    return fmt::format("{} (secret {}{})", way, ns.empty() ? "" : ns + "/", name);
  }
  return "";
}

std::string relist_of(const json::Value& broker) {
  const auto behavior = text_at(broker, {"spec", "relistBehavior"});
  const auto every = text_at(broker, {"spec", "relistDuration"});
  return every.empty() || behavior == "Manual" ? behavior : fmt::format("{}, every {}", behavior, every);
}

Result<int> run_describe_broker(Call& call) {
  CH_TRY_LET(places, places_to_search(call));
  CH_TRY_LET(broker, find_broker(call, places, call.argument(0)));
  describe_broker_to(call, broker);
  return 0;
}

}  // namespace

void describe_broker_to(Call& call, const json::Value& broker) {
  Details details(call.out(), call.style());
  details.add("Name", name_of(broker));
  details.add("Scope", scope_of(broker) == Scope::kCluster ? "cluster" : "namespace");
  details.add_if("Namespace", namespace_of(broker));
  details.add("URL", text_at(broker, {"spec", "url"}));
  details.add("Status", shown_status(status_sentence(broker)), color_of_status(status_word(broker)));
  details.add_if("Authentication", auth_of(broker));
  details.add_if("Relist", relist_of(broker));
  if (const auto read = text_at(broker, {"status", "lastCatalogRetrievalTime"}); !read.empty()) {
    const auto classes = number_at(broker, {"status", "catalogCounts", "classes"});
    const auto plans = number_at(broker, {"status", "catalogCounts", "plans"});
    details.add("Catalog", fmt::format("{} {}, {} {}, read @ {}", classes, classes == 1 ? "class" : "classes", plans,
                                       plans == 1 ? "plan" : "plans", utc(read)));
  }
  details.flush();
  details.yaml_section("Catalog Restrictions", json::find_path(broker, {"spec", "catalogRestrictions"}));
  if (const auto* problems = array_at(broker, {"status", "problems"})) {
    details.section("Problems");
    for (const auto& problem : problems->get_array()) {
      if (problem.is_string()) details.line(json::view(problem.get_string()));
    }
  }
}

Command describe_broker() {
  return {.verb = "describe",
          .noun = "broker",
          .noun_aliases = {"brokers", "brk"},
          .arguments = "NAME",
          .min_arguments = 1,
          .max_arguments = 1,
          .summary = "Show what is known about a broker",
          .examples = {"describe broker azure", "describe broker azure --cluster"},
          .flags = {cluster_flag(), scope_flag(), namespace_flag()},
          .offer = Offer::kBrokers,
          .run = run_describe_broker};
}

}  // namespace chandler::svcat
