// svcat describe resourceclass
#include "base/text.h"
#include "svcat/catalog/fields.h"
#include "svcat/catalog/lookup.h"
#include "svcat/catalog/story.h"
#include "svcat/commands.h"
#include "svcat/resourceclasses/default_kinds.h"

namespace chandler::svcat {
namespace {

Result<int> run_describe_resource_class(Call& call) {
  CH_TRY_LET(ns, call.ns());
  CH_TRY_LET(one, find_named(call, resource_classes_kind(), ns, call.argument(0)));
  Details details(call.out(), call.style());
  details.add("Name", name_of(one));
  details.add("Namespace", namespace_of(one));
  if (const auto status = status_sentence(one); !status.empty()) {
    details.add("Status", status, color_of_status(status_word(one)));
  }
  details.add("Provisioner", text_at(one, {"provisioner"}));
  details.add_if("Provider", text_at(one, {"providerRef", "name"}));
  details.add("Reclaim Policy", text_at(one, {"reclaimPolicy"}));
  const auto kinds = default_kinds(one);
  details.add("Default For", kinds.empty() ? "<none>" : join(kinds, ", "));
  details.flush();
  details.yaml_section("Parameters", json::find(one, "parameters"));
  if (array_at(one, {"status", "conditions"}) != nullptr) details.section("Conditions");
  tell_conditions(call, one);
  CH_TRY(tell_events(call, details, resource_classes_kind(), one));
  return 0;
}

}  // namespace

Command describe_resource_class() {
  return {.verb = "describe",
          .noun = "resourceclass",
          .noun_aliases = {"resourceclasses", "rclass"},
          .arguments = "NAME",
          .min_arguments = 1,
          .max_arguments = 1,
          .summary = "Show a class that serves claims: provisioner, parameters, what it is the default for",
          .examples = {"describe resourceclass cloud-postgresql -n crossplane-system"},
          .flags = {namespace_flag()},
          .offer = Offer::kResourceClasses,
          .run = run_describe_resource_class};
}

}  // namespace chandler::svcat
