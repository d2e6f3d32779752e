#include "reconcilers/usage/delivery.h"

#include <fmt/format.h>

#include "base/text.h"
#include "json/writer.h"
#include "meta/names.h"
#include "reconcilers/catalog/kinds.h"
#include "reconcilers/usage/usage_names.h"
#include "resolve/digest.h"

namespace chandler::reconcilers {
namespace {

constexpr size_t kDigestLength = 10;
constexpr size_t kMostClassLabels = 32;

Observation binding_state(const UsageView& usage, const client::Object& binding) {
  const auto name = quoted(usage.binding_name());
  const auto no = [](std::string_view reason, std::string message) {
    return Observation{usage::kBindingReady, Truth::kFalse, reason, std::move(message)};
  };
  if (!binding) {
    return no("ServiceBindingGetError",
              fmt::format("ServiceBinding {} does not exist in namespace {}; create it.", name, quoted(usage.ns())));
  }
  if (binding.deleting()) {
    return no("ServiceBindingNotReadyError",
              fmt::format("ServiceBinding {} is being deleted; this usage goes with it.", name));
  }
  const auto& status = status_of(binding);
  if (true_at(status, "asyncOpInProgress")) {
    return no("ServiceBindingAsyncOperationInProgressError",
              fmt::format("The broker is still working on ServiceBinding {}; wait.", name));
  }
  if (!condition_true(status, kReady)) {
    const auto* ready = condition(status, kReady);
    return no("ServiceBindingNotReadyError",
              fmt::format("ServiceBinding {} is not ready{}{}", name, ready == nullptr ? "." : ": ",
                          ready == nullptr ? "" : text_at(*ready, "message")));
  }
  return {usage::kBindingReady, Truth::kTrue, "BindingReady", fmt::format("ServiceBinding {} is ready.", name)};
}

// The class of the instance behind the binding; none when it cannot be found.
client::Object class_of(const UsageView& usage, const client::Object& binding, controller::View& view) {
  const auto instance = view.get(kInstances, usage.ns(), text_at(member(spec_of(binding), "instanceRef"), "name"));
  if (!instance) return {};
  for (const auto scope : {Scope::kCluster, Scope::kNamespace}) {
    const auto& names = names_of(scope);
    const auto name = text_at(member(spec_of(instance), names.class_ref), "name");
    if (name.empty()) continue;
    return view.get(names.classes, scope == Scope::kCluster ? std::string() : usage.ns(), name);
  }
  return {};
}

// Labels that the class wants on every workload that uses it.
void add_class_labels(const UsageView& usage, controller::View& view, Delivery& out) {
  const auto service_class = class_of(usage, out.binding, view);
  if (!service_class) {
    // What a class that is gone said before still stands: nothing rolls because a broker stopped to offer something.
    if (const auto snapshot = usage.snapshot()) {
      for (const auto& [key, value] : snapshot->labels) {
        if (key != usage.own_label()) out.labels.push_back({key, value, "class of " + usage.binding_name()});
      }
    }
    return;
  }
  const auto& wanted = member(spec_of(service_class), {"externalMetadata", "bindingLabels"});
  if (wanted.is_null()) return;
  const auto* labels = wanted.if_object();
  if (labels == nullptr || labels->size() > kMostClassLabels) {
    out.labels_problem = fmt::format(
        "externalMetadata.bindingLabels of class {} must be a map of at most {} labels; tell "
        "the operator of the broker",
        quoted(service_class.name()), kMostClassLabels);
    return;
  }
  for (const auto& label : *labels) {
    const std::string key = label.key();
    const auto value = json::string_at(wanted, key);
    if (!value || !meta::check_qualified_name(key).empty() || !meta::check_label_value(*value).empty()) {
      out.labels_problem = fmt::format(
          "externalMetadata.bindingLabels of class {} has the entry {}, which is no label; "
          "tell the operator of the broker",
          quoted(service_class.name()), quoted(key));
      return;
    }
    out.labels.push_back({key, std::string(*value), std::string(service_class.uid())});
  }
}

}  // namespace

Delivery find_delivery(const UsageView& usage, controller::View& view) {
  Delivery out;
  out.binding = view.get(kBindings, usage.ns(), usage.binding_name());
  out.binding_ready = binding_state(usage, out.binding);
  if (!out.binding_ready.holds()) return out;
  out.secret_name = text_at(member(status_of(out.binding), "binding"), "name");
  if (out.secret_name.empty()) out.secret_name = text_at(spec_of(out.binding), "secretName");
  if (out.secret_name.empty()) out.secret_name = usage.binding_name();
  const auto secret = view.get(kSecrets, usage.ns(), out.secret_name);
  if (!secret) {
    out.binding_ready.truth = Truth::kFalse;
    out.binding_ready.reason = "SecretNotFound";
    out.binding_ready.message =
        fmt::format("Secret {} of ServiceBinding {} does not exist; it comes back when the binding writes it again.",
                    quoted(out.secret_name), quoted(usage.binding_name()));
    return out;
  }
  out.labels.push_back({usage.own_label(), delivery_digest(usage, out.secret_name, secret), ""});
  add_class_labels(usage, view, out);
  return out;
}

std::string delivery_digest(const UsageView& usage, std::string_view secret_name, const client::Object& secret) {
  // As JSON, so that no two different things read the same.
  json::Array parts{text(usage.uid()), text(secret_name), text(usage.env_prefix()), "env"};
  if (usage.restarts_on_secret_change()) parts.push_back(member(secret.value(), "data"));
  return resolve::sha256_hex(json::write(parts)).substr(0, kDigestLength);
}

json::Value wanted_preset(const UsageView& usage, std::string_view secret_name) {
  json::Object source;
  if (const auto prefix = usage.env_prefix(); !prefix.empty()) source["prefix"] = text(prefix);
  source["secretRef"] = json::Object{{"name", text(secret_name)}};
  json::Object expression{{"key", text(usage.own_label())}, {"operator", "Exists"}};
  json::Object annotations;
  annotations[kOwnerNameAnnotation] = text(usage.name());
  json::Object metadata;
  metadata["name"] = text(usage.preset_name());
  metadata["namespace"] = text(usage.ns());
  metadata["annotations"] = std::move(annotations);
  metadata["ownerReferences"] = json::Array{usage.owner_reference()};
  json::Object spec;
  spec["selector"] = json::Object{{"matchExpressions", json::Array{std::move(expression)}}};
  spec["envFrom"] = json::Array{std::move(source)};
  json::Object out;
  out["apiVersion"] = text(kPresetVersion);
  out["kind"] = "PodPreset";
  out["metadata"] = std::move(metadata);
  out["spec"] = std::move(spec);
  return out;
}

}  // namespace chandler::reconcilers
