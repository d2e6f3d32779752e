#include "svcat/catalog/describe_offer.h"

#include "resolve/secret_transform.h"
#include "svcat/catalog/fields.h"

namespace chandler::svcat {

void add_scope(Details& details, const json::Value& offer) {
  if (scope_of(offer) == Scope::kNamespace) {
    details.add("Scope", "namespace");
    details.add("Namespace", namespace_of(offer));
    details.add_if("Broker", broker_of(offer));
  } else {
    details.add("Scope", is_broker_managed(offer) && !broker_of(offer).empty() ? "broker" : "cluster");
    details.add_if("Broker", broker_of(offer));
  }
}

void add_defaults(Details& details, const json::Value& offer) {
  details.yaml_section("Default Provision Parameters", json::find_path(offer, {"spec", "defaultProvisionParameters"}));
  details.yaml_section("Default Binding Parameters", json::find_path(offer, {"spec", "defaultBindingParameters"}));
  add_transforms(details, "Default Secret Transform", json::find_path(offer, {"spec", "defaultSecretTransform"}));
}

void add_transforms(Details& details, std::string_view title, const json::Value* transforms) {
  if (transforms == nullptr || !transforms->is_array() || transforms->get_array().empty()) return;
  details.section(title);
  meta::FieldErrors faults;  // what this program does not understand is left out
  const auto parsed = resolve::parse_secret_transforms(*transforms, meta::Path("secretTransform"), faults);
  for (const auto& line : resolve::describe_transforms(parsed)) details.line(line);
}

}  // namespace chandler::svcat
