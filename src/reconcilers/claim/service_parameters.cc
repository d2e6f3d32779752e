#include "reconcilers/claim/service_parameters.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "json/reader.h"
#include "reconcilers/catalog/kinds.h"
#include "reconcilers/claim/reasons.h"
#include "resolve/choose_default.h"

namespace chandler::reconcilers::claims {
namespace {

constexpr std::string_view kServiceType = "serviceType";
constexpr std::string_view kProvision = "provisionParameters";
constexpr std::string_view kBinding = "bindingParameters";
constexpr std::string_view kVersion = "engineVersion";  // agreed on with the claim; the service knows its own

std::vector<std::string_view> address_fields() {
  std::vector<std::string_view> out = {kServiceType};
  for (const auto scope : {Scope::kCluster, Scope::kNamespace}) {
    const auto& names = names_of(scope);
    out.insert(out.end(), {names.class_external_name, names.class_external_id, names.class_name,
                           names.plan_external_name, names.plan_external_id, names.plan_name});
  }
  return out;
}

Problem problem(const ResourceClassView& used, std::string_view what) {
  return {reason::kInvalidParameters,
          fmt::format("Class {}, parameters: {}. Correct the class, or choose another one.", used.name().text(), what)};
}

Found<json::Object> json_object(const ResourceClassView& used, std::string_view key) {
  const auto given = used.parameter(key);
  if (given.empty()) return json::Object();
  auto parsed = json::parse(given);
  if (!parsed.ok() || !parsed->is_object()) return problem(used, fmt::format("{} must be an object as JSON", key));
  return std::move(parsed->get_object());
}

}  // namespace

Found<json::Object> service_spec(const ResourceClassView& used) {
  const auto known = address_fields();
  json::Object spec;
  std::vector<std::string> unknown;
  if (const auto* parameters = used.parameters().if_object()) {
    for (const auto& entry : *parameters) {
      const std::string_view name(entry.key().data(), entry.key().size());
      if (name == kProvision || name == kBinding || name == kVersion) continue;
      if (std::find(known.begin(), known.end(), name) == known.end()) {
        unknown.push_back(quoted(name));
      } else {
        spec[name] = entry.value();
      }
    }
  }
  if (!unknown.empty()) {
    std::sort(unknown.begin(), unknown.end());
    return problem(used,
                   fmt::format("{}: not known; known are {}, {}, {} and the fields of a ServiceInstance that name "
                               "its class and plan; what is meant for the broker goes into {}",
                               resolve::list_names(unknown), kServiceType, kProvision, kBinding, kProvision));
  }
  if (spec.empty()) {
    return problem(used, fmt::format("nothing says which service is wanted: give {}, or a class such as "
                                     "clusterServiceClassExternalName with its plan",
                                     kServiceType));
  }
  auto parameters = json_object(used, kProvision);
  if (!parameters.ok()) return fail(std::move(parameters).error());
  if (!parameters->empty()) spec["parameters"] = *std::move(parameters);
  return spec;
}

Found<json::Object> binding_parameters(const ResourceClassView& used) { return json_object(used, kBinding); }

}  // namespace chandler::reconcilers::claims
