#include "admission/catalog_metadata.h"

#include <algorithm>

#include <fmt/format.h>

#include "admission/fields.h"
#include "resolve/selector_hash.h"

namespace chandler::admission {
namespace {

constexpr std::string_view kAdoptAnnotation = "servicecatalog.kubernetes.io/adopt";

std::string_view text_below_spec(const json::Value& object, std::string_view field) {
  const auto* value = json::find(object, "spec");
  while (value != nullptr) {
    const size_t dot = field.find('.');
    value = json::find(*value, field.substr(0, dot));
    if (dot == std::string_view::npos) break;
    field.remove_prefix(dot + 1);
  }
  return value != nullptr && value->is_string() ? json::view(value->get_string()) : std::string_view();
}

}  // namespace

void add_catalog_finalizer(Context& context) {
  if (context.operation != registry::Operation::kCreate) return;
  auto& finalizers = object_in(*context.object, "metadata")["finalizers"];
  if (finalizers.is_null()) finalizers.emplace_array();
  if (!finalizers.is_array()) return;  // a fault that the metadata rules report
  auto& list = finalizers.get_array();
  if (std::find(list.begin(), list.end(), text(kCatalogFinalizer)) == list.end())
    list.push_back(text(kCatalogFinalizer));
}

HashedFields::HashedFields(std::initializer_list<std::string_view> fields) {
  for (const auto field : fields) rows_.push_back({field, resolve::selector_label_key(fmt::format("spec.{}", field))});
}

void HashedFields::label(Context& context) const {
  auto& metadata = object_in(*context.object, "metadata");
  if (const auto* labels = metadata.if_contains("labels"); labels != nullptr && !labels->is_object()) return;
  for (const auto& row : rows_) {
    const auto value = text_below_spec(*context.object, row.field);
    if (!value.empty()) {
      object_in(metadata, "labels")[row.label] = text(resolve::selector_label_value(value));
    } else if (auto* labels = metadata.if_contains("labels")) {
      labels->get_object().erase(row.label);
      drop_if_empty(metadata, "labels");
    }
  }
}

bool awaits_adoption(const json::Value& object) {
  const auto& metadata = member(object, "metadata");
  if (json::string_or(member(metadata, "annotations"), kAdoptAnnotation) == "true") return true;
  const auto* owners = json::array_at(metadata, "ownerReferences");
  return owners != nullptr && std::any_of(owners->begin(), owners->end(), [](const json::Value& owner) {
           return json::bool_at(owner, "controller").value_or(false) && !filled(owner, "kind") &&
                  !filled(owner, "name") && !filled(owner, "uid");
         });
}

void keep_counter(Context& context, std::string_view field) {
  if (context.old == nullptr) return;
  auto& spec = object_in(*context.object, "spec");
  const auto& value = member(*json::find(*context.object, "spec"), field);
  if (value.is_null() || json::equal(value, json::Value(0))) copy_member(spec, member(*context.old, "spec"), field);
}

void check_counter(const Context& context, std::string_view field, meta::FieldErrors& errors) {
  if (context.old == nullptr) return;
  const auto now = json::int_at(member(*context.object, "spec"), field).value_or(0);
  const auto before = json::int_at(member(*context.old, "spec"), field).value_or(0);
  if (now >= before) return;
  errors.invalid(meta::Path("spec").member(field), json::Value(now),
                 fmt::format("may only increase, and is {} now", before));
}

}  // namespace chandler::admission
