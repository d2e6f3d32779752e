#include "reconcilers/broker/provided_fields.h"

#include <algorithm>

#include "reconcilers/catalog/kinds.h"

namespace chandler::reconcilers {
namespace {

constexpr std::string_view kSpec = "spec.";

// What identifies an object stays, whatever a record says.
bool is_identity(std::string_view path) { return path == "spec.externalID"; }

void remove_field(json::Object& offer, std::string_view path) {
  if (path == kSuggestedPlanPath) {
    object_in(object_in(offer, "metadata"), "annotations").erase(kSuggestedPlanAnnotation);
  } else if (path.starts_with(kSpec) && !is_identity(path)) {
    object_in(offer, "spec").erase(path.substr(kSpec.size()));
  }
}

void set_field(json::Object& offer, std::string_view path, const json::Value& value) {
  if (path == kSuggestedPlanPath) {
    object_in(object_in(offer, "metadata"), "annotations")[kSuggestedPlanAnnotation] = value;
  } else {
    object_in(offer, "spec")[path.substr(kSpec.size())] = value;
  }
}

}  // namespace

std::set<std::string> recorded_fields(const client::Object& offer) {
  std::set<std::string> out;
  const auto* list = json::array_at(status_of(offer), "brokerProvidedFields");
  if (list == nullptr) return out;
  for (const auto& entry : *list) {
    if (entry.is_string()) out.emplace(json::view(entry.get_string()));
  }
  return out;
}

const json::Value& field_at(const json::Value& offer, std::string_view path) {
  if (path == kSuggestedPlanPath) return member(offer, {"metadata", "annotations", kSuggestedPlanAnnotation});
  if (!path.starts_with(kSpec)) return member(json::Value(), "");
  return member(member(offer, "spec"), path.substr(kSpec.size()));
}

bool fields_are_current(const json::Value& offer, const ProvidedFields& provided,
                        const std::set<std::string>& recorded) {
  const auto is_there = [&](std::string_view path) { return !field_at(offer, path).is_null(); };
  return std::all_of(provided.begin(), provided.end(),
                     [&](const auto& field) {
                       return is_there(field.first) && json::equal(field_at(offer, field.first), field.second);
                     }) &&
         std::none_of(recorded.begin(), recorded.end(), [&](const std::string& path) {
           return !provided.contains(path) && !is_identity(path) && is_there(path);
         });
}

std::vector<std::string> write_fields(json::Object& offer, const ProvidedFields& provided,
                                      const std::set<std::string>& recorded) {
  const json::Value before = offer;
  for (const auto& path : recorded) {
    if (!provided.contains(path) && !field_at(before, path).is_null()) remove_field(offer, path);
  }
  std::vector<std::string> overwritten;
  for (const auto& [path, value] : provided) {
    const auto& present = field_at(before, path);
    if (!present.is_null() && json::equal(present, value)) continue;
    if (!present.is_null() && !recorded.contains(path)) overwritten.push_back(path);
    set_field(offer, path, value);
  }
  return overwritten;
}

bool is_recorded(const ProvidedFields& provided, const std::set<std::string>& recorded) {
  return recorded.size() == provided.size() &&
         std::equal(recorded.begin(), recorded.end(), provided.begin(),
                    [](const std::string& path, const auto& field) { return path == field.first; });
}

void record_fields(json::Object& status, const ProvidedFields& provided) {
  json::Array list;
  for (const auto& [path, value] : provided) list.push_back(text(path));
  status["brokerProvidedFields"] = std::move(list);
}

}  // namespace chandler::reconcilers
