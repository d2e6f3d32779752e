#include "svcat/catalog/fields.h"

#include <fmt/format.h>

#include "base/time_text.h"

namespace chandler::svcat {
namespace {

std::string first_text(const json::Value& object, std::initializer_list<Path> paths) {
  for (const auto& path : paths) {
    if (auto text = text_at(object, path); !text.empty()) return text;
  }
  return "";
}

const json::Value* last_condition(const json::Value& object) {
  const auto* conditions = array_at(object, {"status", "conditions"});
  return conditions == nullptr ? nullptr : &conditions->get_array().back();
}

std::string word_of(const json::Value& condition) {
  return json::string_or(condition, "status") == "True" ? json::string_or(condition, "type")
                                                        : json::string_or(condition, "reason");
}

std::string sentence_of(const json::Value* condition) {
  if (condition == nullptr) return "";
  auto sentence = word_of(*condition);
  auto message = json::string_or(*condition, "message");
  if (message.ends_with('.')) message.pop_back();
  if (!message.empty()) sentence += " - " + message;
  if (const auto time = json::string_or(*condition, "lastTransitionTime"); !time.empty()) sentence += " @ " + utc(time);
  return sentence;
}

}  // namespace

std::string text_at(const json::Value& object, Path path) {
  const auto* found = json::find_path(object, path);
  return found != nullptr && found->is_string() ? std::string(json::view(found->get_string())) : std::string();
}

bool true_at(const json::Value& object, Path path) {
  const auto* found = json::find_path(object, path);
  return found != nullptr && found->is_bool() && found->get_bool();
}

int64_t number_at(const json::Value& object, Path path) {
  const auto* found = json::find_path(object, path);
  return found != nullptr && found->is_int64() ? found->get_int64() : 0;
}

const json::Value* array_at(const json::Value& object, Path path) {
  const auto* found = json::find_path(object, path);
  return found != nullptr && found->is_array() && !found->get_array().empty() ? found : nullptr;
}

std::string name_of(const json::Value& object) { return text_at(object, {"metadata", "name"}); }
std::string namespace_of(const json::Value& object) { return text_at(object, {"metadata", "namespace"}); }
std::string annotation_of(const json::Value& object, std::string_view key) {
  return text_at(object, {"metadata", "annotations", key});
}
bool is_deleting(const json::Value& object) { return !text_at(object, {"metadata", "deletionTimestamp"}).empty(); }

std::string age_of(const json::Value& object, WallTime now) {
  const auto created = time_at(object, {"metadata", "creationTimestamp"});
  return created ? short_age(std::chrono::floor<std::chrono::seconds>(now - *created)) : "<unknown>";
}

Scope scope_of(const json::Value& object) {
  return text_at(object, {"kind"}).starts_with("Cluster") ? Scope::kCluster : Scope::kNamespace;
}

std::string external_name_of(const json::Value& object) {
  auto name = text_at(object, {"spec", "externalName"});
  return name.empty() ? name_of(object) : name;
}

bool is_removed(const json::Value& object) { return true_at(object, {"status", "removedFromBrokerCatalog"}); }

std::string broker_of(const json::Value& object) {
  return first_text(object, {{"spec", "clusterServiceBrokerName"}, {"spec", "serviceBrokerName"}});
}

std::string class_ref_of(const json::Value& object) {
  return first_text(object, {{"spec", "clusterServiceClassRef", "name"}, {"spec", "serviceClassRef", "name"}});
}

std::string plan_ref_of(const json::Value& instance) {
  return first_text(instance, {{"spec", "clusterServicePlanRef", "name"}, {"spec", "servicePlanRef", "name"}});
}

std::string type_of(const json::Value& object) { return text_at(object, {"spec", "serviceType"}); }
bool is_default(const json::Value& plan) { return annotation_of(plan, kDefaultPlanAnnotation) == "true"; }
bool is_suggested(const json::Value& plan) { return annotation_of(plan, kSuggestedPlanAnnotation) == "true"; }

std::string scope_cell(const json::Value& object) {
  if (scope_of(object) == Scope::kNamespace) return fmt::format("ns ({})", namespace_of(object));
  // One that is to be adopted belongs to no broker yet.
  const auto broker = broker_of(object);
  return is_broker_managed(object) && !broker.empty() ? fmt::format("broker ({})", broker) : "cluster";
}

std::string class_shown(const json::Value& instance) {
  return first_text(instance, {{"status", "resolution", "classExternalName"},
                               {"spec", "clusterServiceClassExternalName"},
                               {"spec", "serviceClassExternalName"},
                               {"status", "externalProperties", "clusterServiceClassExternalName"},
                               {"status", "externalProperties", "serviceClassExternalName"},
                               {"spec", "clusterServiceClassExternalID"},
                               {"spec", "serviceClassExternalID"},
                               {"spec", "clusterServiceClassName"},
                               {"spec", "serviceClassName"},
                               {"spec", "clusterServiceClassRef", "name"},
                               {"spec", "serviceClassRef", "name"}});
}

std::string plan_shown(const json::Value& instance) {
  return first_text(instance, {{"status", "resolution", "planExternalName"},
                               {"spec", "clusterServicePlanExternalName"},
                               {"spec", "servicePlanExternalName"},
                               {"status", "externalProperties", "clusterServicePlanExternalName"},
                               {"status", "externalProperties", "servicePlanExternalName"},
                               {"spec", "clusterServicePlanExternalID"},
                               {"spec", "servicePlanExternalID"},
                               {"spec", "clusterServicePlanName"},
                               {"spec", "servicePlanName"},
                               {"spec", "clusterServicePlanRef", "name"},
                               {"spec", "servicePlanRef", "name"}});
}

std::string status_word(const json::Value& object) {
  const auto* last = last_condition(object);
  return last == nullptr ? "" : word_of(*last);
}

std::string status_sentence(const json::Value& object) { return sentence_of(last_condition(object)); }

std::string readiness_word(const json::Value& object) {
  const auto* ready = condition_of(object, "Ready");
  return ready == nullptr ? "" : word_of(*ready);
}

std::string readiness_sentence(const json::Value& object) { return sentence_of(condition_of(object, "Ready")); }

std::string shown_status(std::string sentence) {
  if (sentence.empty()) return "Pending - no controller has looked at it yet";
  return sentence;
}

const json::Value* condition_of(const json::Value& object, std::string_view type) {
  const auto* conditions = array_at(object, {"status", "conditions"});
  if (conditions == nullptr) return nullptr;
  for (const auto& condition : conditions->get_array()) {
    if (json::string_or(condition, "type") == type) return &condition;
  }
  return nullptr;
}

bool condition_holds(const json::Value& object, std::string_view type) {
  const auto* condition = condition_of(object, type);
  return condition != nullptr && json::string_or(*condition, "status") == "True";
}

std::string utc(std::string_view rfc3339_time) {
  const auto time = parse_rfc3339(rfc3339_time);
  if (!time) return std::string(rfc3339_time);
  auto text = rfc3339(*time);
  text[10] = ' ';
  text.pop_back();  // the Z
  return text + " +0000 UTC";
}

std::optional<WallTime> time_at(const json::Value& object, Path path) { return parse_rfc3339(text_at(object, path)); }

}  // namespace chandler::svcat
