#include "reconcilers/broker/offered_catalog.h"

#include <fmt/format.h>

#include "base/text.h"
#include "resolve/parameter_bounds.h"
#include "resolve/secret_transform.h"

namespace chandler::reconcilers {
namespace {

constexpr size_t kUsualFields = 8;

void put_texts(ProvidedFields& fields, std::string_view path, const std::vector<std::string>& texts) {
  if (texts.empty()) return;
  json::Array list;
  for (const auto& each : texts) list.push_back(text(each));
  fields.emplace(path, std::move(list));
}

void put_if_any(ProvidedFields& fields, std::string_view path, json::Value&& value) {
  if (!value.is_null()) fields.emplace(path, std::move(value));
}

template <typename T>
void put_if_any(ProvidedFields& fields, std::string_view path, const std::optional<T>& value) {
  if (value) fields.emplace(path, *value);
}

// What is told about, should there be anything to tell.
struct Label {
  const std::string& class_name;
  const std::string* plan_name;  // null: the class itself

  std::string text() const {
    if (plan_name == nullptr) return fmt::format("class {}", quoted(class_name));
    return fmt::format("plan {} of class {}", quoted(*plan_name), quoted(class_name));
  }
};

class Conversion {
 public:
  explicit Conversion(const Settings& settings) : settings_(settings) {}

  OfferedCatalog convert(osb::Catalog catalog) && {
    out_.problems = std::move(catalog.problems);
    out_.classes.reserve(catalog.services.size());
    for (auto& service : catalog.services) out_.classes.push_back(offered_class(service));
    return std::move(out_);
  }

 private:
  OfferedClass offered_class(osb::Service& service) {
    OfferedClass out{service.id, service.name, {}, {}};
    auto& fields = out.fields;
    fields.reserve(kUsualFields);
    fields.emplace("spec.externalID", text(service.id));
    fields.emplace("spec.externalName", text(service.name));
    fields.emplace("spec.description", text(service.description));
    fields.emplace("spec.bindable", service.bindable);
    fields.emplace("spec.bindingRetrievable", service.bindings_retrievable);
    fields.emplace("spec.instanceRetrievable", service.instances_retrievable);
    fields.emplace("spec.allowContextUpdates", service.allow_context_updates);
    fields.emplace("spec.planUpdatable", service.plan_updateable);
    put_texts(fields, "spec.tags", service.tags);
    put_texts(fields, "spec.requires", service.requirements);
    put_if_any(fields, "spec.externalMetadata", std::move(service.metadata));
    put_suggestions(fields, service, {service.name, nullptr});
    out.plans.reserve(service.plans.size());
    for (auto& plan : service.plans) out.plans.push_back(offered_plan(plan, service));
    return out;
  }

  OfferedPlan offered_plan(osb::Plan& plan, const osb::Service& service) {
    OfferedPlan out{plan.id, plan.name, plan.free, {}};
    auto& fields = out.fields;
    fields.reserve(kUsualFields);
    fields.emplace("spec.externalID", text(plan.id));
    fields.emplace("spec.externalName", text(plan.name));
    fields.emplace("spec.description", text(plan.description));
    fields.emplace("spec.free", plan.free);
    put_if_any(fields, "spec.bindable", plan.bindable);
    if (plan.binding_rotatable) fields.emplace("spec.bindingRotatable", true);
    put_if_any(fields, "spec.planUpdatable", plan.plan_updateable);
    put_if_any(fields, "spec.externalMetadata", std::move(plan.metadata));
    put_if_any(fields, "spec.instanceCreateParameterSchema", std::move(plan.create_schema));
    put_if_any(fields, "spec.instanceUpdateParameterSchema", std::move(plan.update_schema));
    put_if_any(fields, "spec.serviceBindingCreateParameterSchema", std::move(plan.bind_schema));
    if (plan.maximum_polling_duration) {
      fields.emplace("spec.maximumPollingDuration", plan.maximum_polling_duration->count());
    }
    if (plan.maintenance_info) {
      json::Object info{{"version", text(plan.maintenance_info->version)}};
      if (!plan.maintenance_info->description.empty()) info["description"] = text(plan.maintenance_info->description);
      fields.emplace("spec.maintenanceInfo", std::move(info));
    }
    put_texts(fields, "spec.tags", plan.tags);
    if (!plan.attributes.empty()) {
      json::Object attributes;
      for (const auto& [key, value] : plan.attributes) attributes[key] = text(value);
      fields.emplace("spec.attributes", std::move(attributes));
    }
    if (settings_.suggested_plans && plan.suggested) fields.emplace(kSuggestedPlanPath, text("true"));
    put_suggestions(fields, plan, {service.name, &plan.name});
    return out;
  }

  void put_suggestions(ProvidedFields& fields, osb::Suggestions& suggestions, const Label& label) {
    if (settings_.service_types && !suggestions.service_type.empty()) {
      fields.emplace("spec.serviceType", text(suggestions.service_type));
    }
    if (!settings_.service_plan_defaults) return;
    put_parameters(fields, "spec.defaultProvisionParameters", suggestions.default_provision_parameters, label);
    put_parameters(fields, "spec.defaultBindingParameters", suggestions.default_binding_parameters, label);
    put_transforms(fields, suggestions.default_secret_transform, label);
  }

  // What could not be stored is left out here, so that it costs nothing but itself.
  void put_parameters(ProvidedFields& fields, std::string_view path, json::Value& parameters, const Label& label) {
    if (parameters.is_null()) return;
    const auto name = path.substr(path.find('.') + 1);
    if (const auto bounded = resolve::check_bounds(parameters, name); !bounded.ok()) {
      out_.problems.push_back(
          fmt::format("{}: metadata.{} is left out: {}", label.text(), name, bounded.error().message));
      return;
    }
    fields.emplace(path, std::move(parameters));
  }

  void put_transforms(ProvidedFields& fields, const json::Value& list, const Label& label) {
    if (list.is_null()) return;
    using Kind = resolve::SecretTransform::Kind;
    meta::FieldErrors errors;
    const auto path = meta::Path("metadata").member("defaultSecretTransform");
    auto transforms = resolve::parse_secret_transforms(list, path, errors);
    std::erase_if(transforms, [](const resolve::SecretTransform& transform) {
      return transform.kind == Kind::kAddKeysFrom || transform.json_path == "";
    });
    for (const auto& cause : errors.causes()) {
      out_.problems.push_back(fmt::format("{}: {} is left out: {}", label.text(), cause.field, cause.message));
    }
    if (!transforms.empty()) fields.emplace("spec.defaultSecretTransform", resolve::to_json(transforms));
  }

  const Settings& settings_;
  OfferedCatalog out_;
};

}  // namespace

OfferedCatalog offered_catalog(osb::Catalog catalog, const Settings& settings) {
  return Conversion(settings).convert(std::move(catalog));
}

}  // namespace chandler::reconcilers
