#include "svcat/instances/request.h"

#include <fmt/format.h>

#include "svcat/catalog/fields.h"
#include "svcat/catalog/input.h"
#include "svcat/catalog/lookup.h"

namespace chandler::svcat {
namespace {

// Class and plan in the spec: by the names that users know, or by object names when those were given.
Result<void> add_names(Call& call, InstanceRequest& request, json::Object& spec) {
  auto class_name = call.flag("class");
  auto plan_name = call.flag("plan");
  if (const auto slash = plan_name.find('/'); slash != std::string::npos && class_name.empty()) {
    class_name = plan_name.substr(0, slash);
    plan_name = plan_name.substr(slash + 1);
  }
  if (class_name.empty()) {
    if (!plan_name.empty()) return usage_error("--plan needs --class too, or write --plan CLASS/PLAN");
    if (call.flag("type").empty()) return usage_error("provision needs --type, or --class and --plan");
    return {};
  }
  CH_TRY_LET(places, places_to_search(call));
  CH_TRY_LET(service_class, find_class(call, places, class_name, Several::kRefuse));
  const auto& names = names_of(scope_of(service_class));
  bool by_object_name = call.is_set("kube-name") || external_name_of(service_class) != class_name;
  if (!plan_name.empty()) {
    CH_TRY_LET(plan, find_plan_of(call, service_class, plan_name));
    by_object_name = by_object_name || external_name_of(plan) != plan_name;
    spec[by_object_name ? names.plan_name : names.plan_external_name] =
        by_object_name ? name_of(plan) : external_name_of(plan);
    request.plan = std::move(plan);
  }
  spec[by_object_name ? names.class_name : names.class_external_name] =
      by_object_name ? name_of(service_class) : external_name_of(service_class);
  request.service_class = std::move(service_class);
  return {};
}

}  // namespace

Result<InstanceRequest> instance_request(Call& call) {
  CH_TRY_LET(parameters, read_parameters(call));  // faults of the flags come before any request
  CH_TRY_LET(from, read_parameters_from(call));
  InstanceRequest request;
  json::Object spec;
  CH_TRY(add_names(call, request, spec));
  CH_TRY_LET(ns, call.ns());
  request.ns = ns;
  if (const auto type = call.flag("type"); !type.empty()) spec["serviceType"] = type;
  if (const auto id = call.flag("external-id"); !id.empty()) spec["externalID"] = id;
  if (!parameters.empty()) spec["parameters"] = std::move(parameters);
  if (!from.empty()) spec["parametersFrom"] = std::move(from);
  json::Object metadata{{"name", call.argument(0)}, {"namespace", ns}};
  request.object = json::Object{{"apiVersion", kCatalogVersion},
                                {"kind", instances_kind().name},
                                {"metadata", std::move(metadata)},
                                {"spec", std::move(spec)}};
  return request;
}

}  // namespace chandler::svcat
