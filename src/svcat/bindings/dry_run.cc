// svcat bind --dry-run: the same decisions as the controller's, made here.
#include <fmt/format.h>

#include "resolve/merge_parameters.h"
#include "resolve/parameter_schema.h"
#include "resolve/provided_record.h"
#include "resolve/secret_transform.h"
#include "svcat/bindings/describe.h"
#include "svcat/bindings/request.h"
#include "svcat/catalog/describe_offer.h"
#include "svcat/catalog/fields.h"
#include "svcat/catalog/lookup.h"
#include "svcat/catalog/parameter_sources.h"
#include "svcat/catalog/secret_parameters.h"
#include "svcat/output/details.h"
#include "svcat/output/format.h"

namespace chandler::svcat {
namespace {

resolve::SecretTransforms read_transforms(const json::Value* list) {
  meta::FieldErrors faults;  // the server has checked them already
  return list == nullptr ? resolve::SecretTransforms()
                         : resolve::parse_secret_transforms(*list, meta::Path("secretTransform"), faults);
}

resolve::TransformDefaults defaults_of(const json::Value& offer) {
  resolve::TransformDefaults defaults;
  defaults.transforms = read_transforms(json::find_path(offer, {"spec", "defaultSecretTransform"}));
  defaults.suggested_by_broker = resolve::is_provided(offer, "spec.defaultSecretTransform");
  return defaults;
}

json::Value merged_transforms(const BindingRequest& request, const json::Value& service_class,
                              const json::Value& plan) {
  const auto* own = transforms_of(request.object);
  std::optional<resolve::SecretTransforms> of_binding;
  if (own != nullptr) of_binding = read_transforms(own);
  return resolve::to_json(
      resolve::merge_secret_transforms(defaults_of(service_class), defaults_of(plan), of_binding, request.ns));
}

}  // namespace

Result<int> show_binding_request(Call& call, const BindingRequest& request) {
  CH_TRY_LET(format, parse_format(call.flag("output")));
  CH_TRY_LET(service_class, class_of(call, request.instance));
  CH_TRY_LET(plan, plan_of(call, request.instance));
  if (service_class.is_null() || plan.is_null()) {
    return bad_request(
        fmt::format("instance {} has no class and plan yet, so nothing can be said about a binding; see: "
                    "svcat explain instance {} -n {}",
                    name_of(request.instance), name_of(request.instance), request.ns));
  }
  CH_TRY_LET(secrets, secret_keys(call, request.ns, request.object));
  const resolve::ParameterLayer layers[] = {
      {"Class", json::find_path(service_class, {"spec", "defaultBindingParameters"})},
      {"Plan", json::find_path(plan, {"spec", "defaultBindingParameters"})},
      {"Binding", json::find_path(request.object, {"spec", "parameters"})},
  };
  CH_TRY_LET(merged, resolve::merge_parameters(layers, secrets.keys));
  auto object = request.object;
  auto& spec = object.as_object()["spec"].as_object();
  if (merged.value.as_object().empty()) {
    spec.erase("parameters");  // there may have been nulls
  } else {
    spec["parameters"] = merged.value;
  }
  const auto transforms = merged_transforms(request, service_class, plan);
  if (!transforms.as_array().empty()) spec["secretTransform"] = transforms;
  if (!format.is_table()) {
    CH_TRY(print_object(call.out(), format, object));
  } else {
    ParameterSources parameters{merged.value,
                                merged.sources,
                                {{"Class", "class " + external_name_of(service_class)},
                                 {"Plan", "plan " + external_name_of(plan)},
                                 {"Binding", "binding (you)"}}};
    for (const auto& [key, source] : secrets.sources) {
      parameters.parameters.as_object()[key] = "<redacted>";
      parameters.sources["/" + key] = source;
    }
    Details details(call.out(), call.style());
    call.out() << "Dry run: nothing was created, no broker was asked.\n\n";
    details.add("Name", name_of(object));
    details.add("Namespace", request.ns);
    details.add("Instance", name_of(request.instance));
    details.add("Class", external_name_of(service_class));
    details.add("Plan", external_name_of(plan));
    details.add("Broker", broker_of(plan));
    details.section("Parameters");
    if (parameters.sources.empty()) {
      details.line("No parameters");
    } else {
      print_parameter_table(call, parameters);
    }
    for (const auto& note : secrets.notes) details.line(fmt::format("Unknown: {}", note));
    add_transforms(details, "Secret Transform", &transforms);
  }
  const auto* schema = json::find_path(plan, {"spec", "serviceBindingCreateParameterSchema"});
  if (schema == nullptr || json::find_path(request.object, {"spec", "parametersFrom"}) != nullptr) return 0;
  const auto check = resolve::validate_parameters(*schema, merged.value);
  if (!check.ok()) {
    return bad_request(fmt::format("the parameters do not fit the schema of plan {}: {}", external_name_of(plan),
                                   resolve::describe_faults(check.faults)));
  }
  return 0;
}

}  // namespace chandler::svcat
