#include "reconcilers/broker/provided_fields.h"

#include <algorithm>

#include "reconcilers/catalog/kinds.h"
#include "resolve/provided_record.h"

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
  const auto fields = resolve::provided_fields_of(offer.value());
  return {fields.begin(), fields.end()};
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
  const json::Value before(offer, document_memory());
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

void record_fields(json::Object& offer, const ProvidedFields& provided) {
  std::string record;
  for (const auto& [path, value] : provided) {
    if (!record.empty()) record += ',';
    record += path;
  }
  object_in(object_in(offer, "metadata"), "annotations")[resolve::kProvidedFieldsAnnotation] = record;
}

}  // namespace chandler::reconcilers
