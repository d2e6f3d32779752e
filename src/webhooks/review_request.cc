#include "webhooks/review_request.h"

#include <optional>
#include <utility>

#include "json/writer.h"
#include "registry/field_tracking.h"
#include "registry/object_rules.h"
#include "registry/objects.h"
#include "registry/scale_conversion.h"

namespace chandler::webhooks {
namespace {

using registry::DeleteOptions;
using registry::FieldValidation;
using registry::Operation;

json::Value words(std::string_view text) { return json::Value(boost::json::string_view(text.data(), text.size())); }

json::Object kind_of(const registry::AdmissionRequest& request, const Form& form) {
  if (request.through_scale) {
    return {{"group", words(registry::kScaleGroup)},
            {"version", words(registry::kScaleVersion)},
            {"kind", words(registry::kScaleKind)}};
  }
  return {{"group", words(form.group)}, {"version", words(form.version)}, {"kind", words(request.kind->kind)}};
}

json::Object resource_of(const registry::Kind& kind, const Form& form) {
  return {{"group", words(form.group)}, {"version", words(form.version)}, {"resource", words(kind.plural)}};
}

json::Object user_info(const auth::User& user) {
  json::Object out;
  out["username"] = words(user.name);
  if (!user.uid.empty()) out["uid"] = words(user.uid);
  json::Array groups;
  for (const auto& group : user.groups) groups.push_back(words(group));
  if (!groups.empty()) out["groups"] = std::move(groups);
  json::Object extra;
  for (const auto& [key, values] : user.extra) {
    json::Array list;
    for (const auto& value : values) list.push_back(words(value));
    extra[key] = std::move(list);
  }
  if (!extra.empty()) out["extra"] = std::move(extra);
  return out;
}

std::string_view propagation_word(DeleteOptions::Propagation propagation) {
  switch (propagation) {
    case DeleteOptions::Propagation::kDefault:
      return "";
    case DeleteOptions::Propagation::kBackground:
      return "Background";
    case DeleteOptions::Propagation::kForeground:
      return "Foreground";
    case DeleteOptions::Propagation::kOrphan:
      return "Orphan";
  }
  return "";
}

std::string_view validation_word(FieldValidation validation) {
  switch (validation) {
    case FieldValidation::kIgnore:
      return "Ignore";
    case FieldValidation::kWarn:
      return "Warn";
    case FieldValidation::kStrict:
      return "Strict";
  }
  return "";
}

void add_delete_options(const DeleteOptions& options, json::Object& out) {
  if (options.grace_seconds) out["gracePeriodSeconds"] = *options.grace_seconds;
  json::Object preconditions;
  if (!options.uid.empty()) preconditions["uid"] = words(options.uid);
  if (!options.resource_version.empty()) preconditions["resourceVersion"] = words(options.resource_version);
  if (!preconditions.empty()) out["preconditions"] = std::move(preconditions);
  if (const auto word = propagation_word(options.propagation); !word.empty()) out["propagationPolicy"] = words(word);
}

json::Object options_of(const registry::Review& review) {
  const auto operation = review.admission.operation;
  json::Object out;
  out["apiVersion"] = "meta.k8s.io/v1";
  out["kind"] = operation == Operation::kCreate   ? "CreateOptions"
                : operation == Operation::kDelete ? "DeleteOptions"
                                                  : "UpdateOptions";
  if (review.admission.dry_run) out["dryRun"] = json::Array{"All"};
  if (review.options != nullptr) {
    add_delete_options(*review.options, out);
  } else {
    out["fieldValidation"] = words(validation_word(review.write->validation));
    if (!review.write->manager.empty()) out["fieldManager"] = words(review.write->manager);
  }
  return out;
}

json::Value document_in(const registry::Review& review, const Form& form, const json::Value& object,
                        const std::optional<json::Value>& managed) {
  json::Value copy(object);
  if (review.revision != 0) registry::metadata_of(copy)["resourceVersion"] = std::to_string(review.revision);
  registry::put_managed_fields(managed, copy);
  return in_form(review.admission, form, std::move(copy));
}

}  // namespace

Shown show(const registry::Review& review, const Form& form) {
  const auto& admission = review.admission;
  const auto& kind = *admission.kind;
  const auto own = own_form(admission);
  Shown out;
  auto& request = out.request;
  request["kind"] = kind_of(admission, form);
  request["resource"] = resource_of(kind, form);
  request["requestKind"] = kind_of(admission, own);
  request["requestResource"] = resource_of(kind, own);
  if (const auto part = part_of(admission); !part.empty()) {
    request["subResource"] = words(part);
    request["requestSubResource"] = words(part);
  }
  if (!admission.name.empty()) request["name"] = words(admission.name);
  if (const auto place = place_of(admission); !place.empty()) request["namespace"] = words(place);
  request["operation"] = words(operation_word(admission.operation));
  request["userInfo"] = user_info(*admission.user);
  request["dryRun"] = admission.dry_run;
  request["options"] = options_of(review);
  if (admission.object != nullptr) out.object = show_object(review, form);
  if (admission.old != nullptr) out.old = document_in(review, form, *admission.old, review.managed_before);
  return out;
}

json::Value show_object(const registry::Review& review, const Form& form) {
  return document_in(review, form, *review.admission.object, review.managed);
}

std::string review_request(Shown shown, std::string_view uid) {
  shown.request["uid"] = words(uid);
  shown.request["object"] = std::move(shown.object);
  shown.request["oldObject"] = std::move(shown.old);
  json::Object document;
  document["apiVersion"] = "admission.k8s.io/v1";
  document["kind"] = "AdmissionReview";
  document["request"] = std::move(shown.request);
  return json::write(document);
}

}  // namespace chandler::webhooks
