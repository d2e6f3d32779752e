#include "reconcilers/binding/defaults.h"

#include "reconcilers/catalog/reasons.h"
#include "resolve/secret_transform.h"

namespace chandler::reconcilers {
namespace {

constexpr std::string_view kAppliedAnnotation = "servicecatalog.kubernetes.io/defaults-applied";

bool applied(const BindingView& binding) { return annotation_of(binding.object(), kAppliedAnnotation) == "true"; }

// The type that is to be filled in.
std::string missing_type(const BindingView& binding, const json::Value& status) {
  return text_at(binding.spec(), "serviceType").empty() ? text_at(member(status, "resolution"), "serviceType") : "";
}

}  // namespace

Found<BindingDefaults> defaults_for(const BindingView& binding, const ClassView& service_class, const PlanView& plan,
                                    const std::vector<resolve::SecretParameters>& secrets, const Settings& settings) {
  BindingDefaults defaults;
  const auto& own = member(binding.spec(), "parameters");
  const bool before = applied(binding) || member(binding.status(), "defaultBindingParameters").is_object();
  if (before || !settings.service_plan_defaults) {
    defaults.parameters = own;
    return defaults;
  }
  const resolve::ParameterLayer layers[] = {{"Class", &service_class.default_binding_parameters()},
                                            {"Plan", &plan.default_binding_parameters()},
                                            {"Binding", &own}};
  auto merged = resolve::merge_parameters(layers, resolve::keys_of(secrets));
  if (!merged.ok()) return Problem{reason::kErrorWithParameters, merged.error().message};
  defaults.parameters = merged->value;
  defaults.changed = !json::equal(merged->value, own.is_object() ? own : json::Value(json::Object()));
  defaults.merge = *std::move(merged);
  defaults.transforms =
      resolve::complete_secret_transforms(service_class.object().value(), plan.object().value(),
                                          member(binding.spec(), binding.transform_field()), binding.ns());
  return defaults;
}

void record_defaults(json::Object& status, const BindingDefaults& defaults) {
  // Also when there are none: a later attempt must not find others.
  if (defaults.merge) status["defaultBindingParameters"] = defaults.merge->defaults;
  if (!defaults.any()) return;
  if (defaults.merge) {
    status["mergedParameters"] = defaults.merge->value;
    json::Object sources;
    for (const auto& [pointer, source] : defaults.merge->sources) sources[pointer] = text(source);
    status["parameterSources"] = std::move(sources);
  }
  if (!defaults.transforms.is_null()) status["mergedSecretTransform"] = defaults.transforms;
}

std::optional<client::Write> complete_spec(const BindingView& binding, const json::Value& status) {
  const auto type = missing_type(binding, status);
  const bool complete = type.empty() && (applied(binding) || (!member(status, "mergedParameters").is_object() &&
                                                              !member(status, "mergedSecretTransform").is_array()));
  if (complete) return std::nullopt;
  Draft draft(kBindings, binding.object());
  if (const auto& merged = member(status, "mergedParameters"); merged.is_object()) {
    if (merged.get_object().empty()) {
      draft.spec().erase("parameters");
    } else {
      draft.spec()["parameters"] = merged;
    }
  }
  if (const auto& merged = member(status, "mergedSecretTransform"); merged.is_array()) {
    draft.spec()[binding.transform_field()] = merged;
  }
  if (!type.empty()) draft.spec()["serviceType"] = text(type);
  draft.set_annotation(kAppliedAnnotation, "true");
  return std::move(draft).update();
}

}  // namespace chandler::reconcilers
