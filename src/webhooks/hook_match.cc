#include "webhooks/hook_match.h"

#include <algorithm>
#include <utility>

#include "meta/gvk.h"
#include "registry/event_conversion.h"
#include "registry/scale_conversion.h"

namespace chandler::webhooks {
namespace {

using registry::AdmissionRequest;
using registry::Operation;

constexpr std::string_view kAll = "*";
constexpr std::string_view kEventsGroup = "events.k8s.io";

bool holds(const std::vector<std::string>& names, std::string_view name) {
  return std::any_of(names.begin(), names.end(), [&](const auto& one) { return one == kAll || one == name; });
}

bool is_namespace(const registry::Kind& kind) { return kind.group.empty() && kind.plural == "namespaces"; }
bool is_event(const registry::Kind& kind) {
  return kind.plural == "events" && (kind.group.empty() || kind.group == kEventsGroup);
}

bool resource_fits(const HookRule& rule, std::string_view resource, std::string_view part) {
  return std::any_of(rule.resources.begin(), rule.resources.end(), [&](std::string_view name) {
    const auto slash = name.find('/');
    const auto of = name.substr(0, slash);
    const auto its = slash == name.npos ? std::string_view() : name.substr(slash + 1);
    return (of == kAll || of == resource) && (its == kAll || its == part);
  });
}

bool rules_fit(const Hook& hook, const AdmissionRequest& request, const Form& form) {
  return std::any_of(hook.rules.begin(), hook.rules.end(), [&](const HookRule& rule) {
    if (!holds(rule.operations, operation_word(request.operation)) || !holds(rule.groups, form.group) ||
        !holds(rule.versions, form.version)) {
      return false;
    }
    if (rule.scope == "Namespaced" && !request.kind->namespaced) return false;
    if (rule.scope == "Cluster" && request.kind->namespaced) return false;
    return resource_fits(rule, request.kind->plural, part_of(request));
  });
}

// The other names under which the same objects are served.
std::vector<Form> equivalent_forms(const AdmissionRequest& request) {
  std::vector<Form> forms;
  for (const auto& version : request.kind->versions) {
    if (version.served) forms.push_back({request.kind->group, version.name});
  }
  if (is_event(*request.kind)) forms.push_back({request.kind->group.empty() ? std::string(kEventsGroup) : "", "v1"});
  return forms;
}

std::optional<Form> fitting_form(const Hook& hook, const AdmissionRequest& request) {
  const auto own = own_form(request);
  if (rules_fit(hook, request, own)) return own;
  if (hook.exact) return std::nullopt;
  for (auto& form : equivalent_forms(request)) {
    if (rules_fit(hook, request, form)) return std::move(form);
  }
  return std::nullopt;
}

meta::LabelLookup labels_of(const json::Value& object) {
  const auto* labels = json::find_path(object, {"metadata", "labels"});
  return [labels](std::string_view key) {
    return labels == nullptr ? std::optional<std::string_view>() : json::string_at(*labels, key);
  };
}

bool namespace_fits(const Hook& hook, const AdmissionRequest& request, const meta::LabelLookup& place) {
  if (hook.namespaces.empty()) return true;
  if (is_namespace(*request.kind)) {
    // The labels that it will have count, as long as it will have any.
    const bool written = request.object != nullptr && request.subresource.empty();
    return hook.namespaces.matches(labels_of(written ? *request.object : *request.old));
  }
  return !request.kind->namespaced || hook.namespaces.matches(place);
}

bool object_fits(const Hook& hook, const AdmissionRequest& request) {
  if (hook.objects.empty()) return true;
  if (request.through_scale) return hook.objects.matches([](std::string_view) { return std::nullopt; });  // has none
  return (request.object != nullptr && hook.objects.matches(labels_of(*request.object))) ||
         (request.old != nullptr && hook.objects.matches(labels_of(*request.old)));
}

}  // namespace

std::string_view operation_word(Operation operation) {
  switch (operation) {
    case Operation::kCreate:
      return "CREATE";
    case Operation::kUpdate:
      return "UPDATE";
    case Operation::kDelete:
      return "DELETE";
  }
  return "";
}

Form own_form(const AdmissionRequest& request) { return {request.kind->group, request.version->name}; }

std::string_view part_of(const AdmissionRequest& request) {
  return request.through_scale ? std::string_view("scale") : std::string_view(request.subresource);
}

json::Value in_form(const AdmissionRequest& request, const Form& form, json::Value object) {
  if (request.through_scale) return registry::scale_of(*request.version->scale, object);
  if (form.group == kEventsGroup && is_event(*request.kind)) return registry::event_from_core(std::move(object));
  auto& members = object.as_object();
  members["apiVersion"] = meta::GroupVersion{form.group, form.version}.str();
  members["kind"] = request.kind->kind;
  return object;
}

Result<json::Value> out_of_form(const AdmissionRequest& request, const Form& form, json::Value object) {
  if (request.through_scale) {
    CH_TRY(registry::check_scale(object, request.name));
    json::Value whole = *request.object;
    CH_TRY(registry::put_scale(*request.version->scale, object, whole));
    return whole;
  }
  if (form.group == kEventsGroup && is_event(*request.kind)) return registry::event_to_core(std::move(object));
  const bool stored_as_core = is_event(*request.kind);
  object.as_object()["apiVersion"] =
      stored_as_core ? "v1" : meta::GroupVersion{request.kind->group, request.version->name}.str();
  return object;
}

std::string place_of(const AdmissionRequest& request) {
  return is_namespace(*request.kind) ? request.name : request.ns;
}

std::optional<Form> match(const Hook& hook, const AdmissionRequest& request, const meta::LabelLookup& place) {
  // Nobody may keep anybody from repairing the configuration.
  if (request.kind->group == kGroup) return std::nullopt;
  if (!object_fits(hook, request) || !namespace_fits(hook, request, place)) return std::nullopt;
  return fitting_form(hook, request);
}

}  // namespace chandler::webhooks
