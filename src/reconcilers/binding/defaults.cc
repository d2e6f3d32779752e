#include "reconcilers/binding/defaults.h"

#include "reconcilers/catalog/reasons.h"
#include "resolve/provided_record.h"
#include "resolve/secret_transform.h"

namespace chandler::reconcilers {
namespace {

constexpr std::string_view kAppliedAnnotation = "servicecatalog.kubernetes.io/defaults-applied";

bool applied(const BindingView& binding) { return annotation_of(binding.object(), kAppliedAnnotation) == "true"; }

// The type that is to be filled in.
std::string missing_type(const BindingView& binding, const json::Value& status) {
  return text_at(binding.spec(), "serviceType").empty() ? text_at(member(status, "resolution"), "serviceType") : "";
}

// Whether the broker's catalog said so: then it may not make us read secrets.
bool suggested(const OfferView& offer) {
  return resolve::is_provided(offer.object().value(), "spec.defaultSecretTransform");
}

resolve::TransformDefaults transforms_of(const OfferView& offer) {
  meta::FieldErrors ignored;  // a fault there was told when it was written
  return {resolve::parse_secret_transforms(offer.default_secret_transform(), meta::Path(), ignored), suggested(offer)};
}

json::Value merge_transforms(const BindingView& binding, const ClassView& service_class, const PlanView& plan) {
  const auto of_class = transforms_of(service_class);
  const auto of_plan = transforms_of(plan);
  if (of_class.transforms.empty() && of_plan.transforms.empty()) return nullptr;
  std::optional<resolve::SecretTransforms> own;
  if (const auto* list = json::array_at(binding.spec(), binding.transform_field())) {
    meta::FieldErrors ignored;
    own = resolve::parse_secret_transforms(*list, meta::Path(), ignored);
    if (list->empty()) return nullptr;  // opts out
  }
  return resolve::to_json(resolve::merge_secret_transforms(of_class, of_plan, own, binding.ns()));
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
  defaults.transforms = merge_transforms(binding, service_class, plan);
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
