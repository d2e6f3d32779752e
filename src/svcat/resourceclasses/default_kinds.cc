#include "svcat/resourceclasses/default_kinds.h"

#include "base/text.h"
#include "resolve/claim_kinds.h"

namespace chandler::svcat {
namespace {

std::set<std::string> marks_of(const json::Value& resource_class) {
  auto marks = resolve::defaults_by_list(resource_class);
  marks.merge(resolve::defaults_by_label(resource_class));
  return marks;
}

bool means(std::string_view mark, std::string_view claim_kind) {
  return equals_ignore_case(mark, claim_kind) || equals_ignore_case(mark, resolve::kind_in(claim_kind));
}

}  // namespace

std::vector<std::string> default_kinds(const json::Value& resource_class) {
  const auto marks = marks_of(resource_class);
  return {marks.begin(), marks.end()};
}

bool is_default_for(const json::Value& resource_class, std::string_view claim_kind) {
  for (const auto& mark : marks_of(resource_class)) {
    if (means(mark, claim_kind)) return true;
  }
  return false;
}

void add_default(json::Object& resource_class, const std::string& claim_kind) {
  auto& list = resource_class["defaultForClaimKinds"];
  if (!list.is_array()) list = json::Array();
  const auto listed = resolve::defaults_by_list(json::Value(resource_class));
  if (!listed.contains(claim_kind)) resource_class["defaultForClaimKinds"].get_array().emplace_back(claim_kind);
  resolve::label_defaults(resource_class, listed);
}

void remove_default(json::Object& resource_class, const std::string& claim_kind) {
  if (auto* list = resource_class.if_contains("defaultForClaimKinds"); list != nullptr && list->is_array()) {
    json::Array kept;
    for (auto& entry : list->get_array()) {
      if (!entry.is_string() || !means(json::view(entry.get_string()), claim_kind)) kept.push_back(std::move(entry));
    }
    if (kept.empty()) {
      resource_class.erase("defaultForClaimKinds");
    } else {
      *list = std::move(kept);
    }
  }
  auto* metadata = resource_class.if_contains("metadata");
  auto* labels = metadata == nullptr ? nullptr : json::find(*metadata, "labels");
  if (labels == nullptr || !labels->is_object()) return;
  for (const auto& mark : resolve::defaults_by_label(json::Value(resource_class))) {
    if (means(mark, claim_kind)) labels->get_object().erase(resolve::default_label(mark));
  }
}

}  // namespace chandler::svcat
