// svcat bind --dry-run: the same decisions as the controller's, made here.
#include <fmt/format.h>

#include "resolve/merge_parameters.h"
#include "resolve/parameter_schema.h"
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
  const auto* own_transforms = transforms_of(request.object);
  auto transforms = resolve::complete_secret_transforms(
      service_class, plan, own_transforms == nullptr ? json::Value() : *own_transforms, request.ns);
  if (!transforms.is_null()) {
    spec["secretTransform"] = transforms;
  } else if (own_transforms != nullptr) {
    transforms = *own_transforms;
  }
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
