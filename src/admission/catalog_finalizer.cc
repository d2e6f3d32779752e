#include "admission/catalog_finalizer.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "admission/catalog_metadata.h"
#include "admission/catalog_requester.h"
#include "admission/fields.h"

namespace chandler::admission {
namespace {

std::string record_name(const Context& context) {
  return resolve::abandoned_name(json::string_or(member(*context.old, "metadata"), "uid"));
}

const json::Array& finalizers_of(const json::Value& object) {
  static const json::Array none;
  const auto* list = json::array_at(member(object, "metadata"), "finalizers");
  return list == nullptr ? none : *list;
}

auto find_finalizer(const json::Array& list) { return std::find(list.begin(), list.end(), text(kCatalogFinalizer)); }

bool has_catalog_finalizer(const json::Value& object) {
  const auto& list = finalizers_of(object);
  return find_finalizer(list) != list.end();
}

// As the reconcilers decide whether a deletion has to ask the broker: InstanceView::needs_deprovision() and
// BindingView::needs_unbind(). They set it before they send a request, so status.currentOperation adds nothing.
bool may_be_at_broker(const json::Value& stored) {
  const auto& status = member(stored, "status");
  for (const std::string_view field : {"deprovisionStatus", "unbindStatus"}) {
    if (resolve::may_be_held(json::string_or(status, field))) return true;
  }
  return false;
}

bool is_on_record(const Context& context) {
  return is_abandoned(*context.old) && context.lookup != nullptr &&
         context.lookup->get("", "configmaps", resolve::kAbandonedNamespace, record_name(context)) != nullptr;
}

// Inserted at its old position, so that a write that changes nothing else is a no-op. False: the list is malformed,
// which the rules of metadata report.
bool restore_finalizer(Context& context) {
  auto& list = object_in(*context.object, "metadata")["finalizers"];
  if (list.is_null()) list.emplace_array();
  if (!list.is_array()) return false;
  const auto& before = finalizers_of(*context.old);
  const auto place = std::min<std::ptrdiff_t>(find_finalizer(before) - before.begin(),
                                              static_cast<std::ptrdiff_t>(list.get_array().size()));
  list.get_array().insert(list.get_array().begin() + place, text(kCatalogFinalizer));
  return true;
}

bool mark_abandoned(Context& context) {
  auto& annotations = object_in(*context.object, "metadata")["annotations"];
  if (annotations.is_null()) annotations.emplace_object();
  if (!annotations.is_object()) return false;
  annotations.get_object()[kAbandonAnnotation] = "true";
  return true;
}

void add_warning(Context& context, std::string warning) {
  if (context.warnings != nullptr) context.warnings->push_back(std::move(warning));
}

}  // namespace

void keep_catalog_finalizer(Context& context) {
  if (context.old == nullptr || by_catalog_controller(context)) return;
  if (!has_catalog_finalizer(*context.old) || has_catalog_finalizer(*context.object)) return;
  const bool is_deleting = filled(member(*context.old, "metadata"), "deletionTimestamp");
  const bool is_held = may_be_at_broker(*context.old);
  if (is_deleting && (!is_held || is_on_record(context))) return;
  if (!restore_finalizer(context) || (!is_deleting && context.replaces)) return;
  if (!is_held) {
    return add_warning(context,
                       fmt::format("the finalizer {} stays: when the object is deleted, the controller removes it",
                                   kCatalogFinalizer));
  }
  if (!mark_abandoned(context)) return;
  const auto request =
      fmt::format("removing the finalizer {} counts as a request to abandon the object", kCatalogFinalizer);
  const auto record = fmt::format("ConfigMap {}/{}", resolve::kAbandonedNamespace, record_name(context));
  if (is_deleting) {
    return add_warning(context,
                       fmt::format("{}; the finalizer stays until the controller has recorded what is abandoned in {}",
                                   request, record));
  }
  add_warning(
      context,
      fmt::format("{}: when it is deleted, the controller does not ask the broker and records what is abandoned "
                  "in {}; to prevent that, remove the annotation {}",
                  request, record, kAbandonAnnotation));
}

}  // namespace chandler::admission
