// svcat describe class
#include <fmt/format.h>

#include "base/text.h"
#include "svcat/catalog/describe_offer.h"
#include "svcat/catalog/fields.h"
#include "svcat/catalog/lookup.h"
#include "svcat/commands.h"
#include "svcat/output/details.h"
#include "svcat/output/table.h"

namespace chandler::svcat {
namespace {

std::string tags_of(const json::Value& service_class) {
  std::vector<std::string> tags;
  if (const auto* list = array_at(service_class, {"spec", "tags"})) {
    for (const auto& tag : list->get_array()) {
      if (tag.is_string()) tags.emplace_back(json::view(tag.get_string()));
    }
  }
  return join(tags, ", ");
}

Result<int> run_describe_class(Call& call) {
  CH_TRY_LET(places, places_to_search(call));
  CH_TRY_LET(service_class, find_class(call, places, call.argument(0)));
  CH_TRY_LET(catalog, call.catalog());
  const auto& names = names_of(scope_of(service_class));
  CH_TRY_LET(plans, catalog->list(names.plans, namespace_of(service_class),
                                  {{fmt::format("spec.{}.name", names.class_ref), name_of(service_class)}}));
  Details details(call.out(), call.style());
  details.add("Name", external_name_of(service_class));
  add_scope(details, service_class);
  details.add_if("Type", type_of(service_class));
  details.add("Description", text_at(service_class, {"spec", "description"}));
  details.add("Kubernetes Name", name_of(service_class));
  details.add("Status", is_removed(service_class) ? "Deprecated" : "Active",
              is_removed(service_class) ? Color::kYellow : Color::kGreen);
  details.add("Tags", tags_of(service_class));
  details.flush();
  add_defaults(details, service_class);
  details.section("Plans");
  if (plans.empty()) {
    details.line("No plans defined");
    return 0;
  }
  Table table(call.out(), {{"NAME"}, {"DESCRIPTION", true}}, call.style());
  for (const auto& plan : plans) table.add({external_name_of(plan), text_at(plan, {"spec", "description"})});
  table.flush();
  return 0;
}

}  // namespace

Command describe_class() {
  return {.verb = "describe",
          .noun = "class",
          .noun_aliases = {"classes", "cl"},
          .arguments = "NAME",
          .min_arguments = 1,
          .max_arguments = 1,
          .summary = "Show what is known about a class, its defaults and its plans",
          .details = "Looks in the namespace first, then in the cluster.",
          .examples = {"describe class azure-mysql", "describe class postgres-dev --cluster"},
          .flags = {cluster_flag(), scope_flag(), namespace_flag(), all_namespaces_flag(), kube_name_flag()},
          .offer = Offer::kClasses,
          .run = run_describe_class};
}

}  // namespace chandler::svcat
