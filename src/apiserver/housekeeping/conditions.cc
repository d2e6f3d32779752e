#include "apiserver/housekeeping/conditions.h"

#include <utility>

namespace chandler::apiserver {

void set_conditions(json::Value& object, const std::vector<ConditionText>& conditions, const std::string& now) {
  auto& status = object.as_object()["status"];
  if (!status.is_object()) status.emplace_object();
  auto& list = status.get_object()["conditions"];
  if (!list.is_array()) list.emplace_array();
  for (const auto& wanted : conditions) {
    json::Object* slot = nullptr;
    for (auto& item : list.get_array()) {
      if (item.is_object() && json::string_or(item, "type") == wanted.type) slot = &item.get_object();
    }
    if (slot == nullptr) slot = &list.get_array().emplace_back(json::Object()).get_object();
    const std::string_view word = wanted.on ? "True" : "False";
    const auto* old = slot->if_contains("status");
    const bool same = old != nullptr && old->is_string() && json::view(old->get_string()) == word;
    if (!same) (*slot)["lastTransitionTime"] = now;
    (*slot)["type"] = wanted.type;
    (*slot)["status"] = word;
    (*slot)["reason"] = wanted.reason;
    (*slot)["message"] = wanted.message;
  }
}

void drop_finalizer(json::Value& object, std::string_view name) {
  json::Array rest;
  if (const auto* have = json::array_at(object.at("metadata"), "finalizers")) {
    for (const auto& item : *have) {
      if (!item.is_string() || json::view(item.get_string()) != name) rest.push_back(item);
    }
  }
  object.at("metadata").as_object()["finalizers"] = std::move(rest);
}

}  // namespace chandler::apiserver
