#include "reconcilers/broker/provided_fields.h"

#include <algorithm>

#include "base/text.h"
#include "json/arena.h"
#include "reconcilers/catalog/kinds.h"
#include "resolve/provided_record.h"

namespace chandler::reconcilers {
namespace {

constexpr std::string_view kSpec = "spec.";

// What identifies an object stays, whatever a record says.
bool is_identity(std::string_view path) { return path == "spec.externalID"; }

// The annotations that relists write; of no others, whatever a record says.
std::string_view annotation_at(std::string_view path) {
  if (path == kSuggestedPlanPath) return kSuggestedPlanAnnotation;
  return path == kTypeOfClassPath ? resolve::kTypeOfClassAnnotation : std::string_view();
}

json::Object& annotations_in(json::Object& offer) { return object_in(object_in(offer, "metadata"), "annotations"); }

void remove_field(json::Object& offer, std::string_view path) {
  if (const auto annotation = annotation_at(path); !annotation.empty()) {
    annotations_in(offer).erase(annotation);
  } else if (path.starts_with(kSpec) && !is_identity(path)) {
    object_in(offer, "spec").erase(path.substr(kSpec.size()));
  }
}

void set_field(json::Object& offer, std::string_view path, const json::Value& value) {
  if (const auto annotation = annotation_at(path); !annotation.empty()) {
    annotations_in(offer)[annotation] = value;
  } else {
    object_in(offer, "spec")[path.substr(kSpec.size())] = value;
  }
}

void write_field_record(json::Object& offer, const std::vector<std::string>& paths) {
  annotations_in(offer)[resolve::kProvidedFieldsAnnotation] = join(paths, ",");
}

}  // namespace

RecordedFields recorded_fields(const client::Object& offer) {
  const auto fields = resolve::provided_fields_of(offer.value());
  RecordedFields recorded(fields.begin(), fields.end());
  const auto& handed_down = field_at(offer.value(), kTypeOfClassPath);
  if (!handed_down.is_null() && !json::equal(handed_down, field_at(offer.value(), kServiceTypePath))) {
    recorded.erase(std::string(kServiceTypePath));
  }
  return recorded;
}

const json::Value& field_at(const json::Object& offer, std::string_view path) {
  if (const auto annotation = annotation_at(path); !annotation.empty()) {
    return member(member(offer, "metadata"), {"annotations", annotation});
  }
  if (!path.starts_with(kSpec)) return member(json::Object(), "");
  return member(member(offer, "spec"), path.substr(kSpec.size()));
}

const json::Value& field_at(const json::Value& offer, std::string_view path) {
  return offer.is_object() ? field_at(offer.get_object(), path) : member(offer, "");
}

bool fields_are_current(const json::Value& offer, const ProvidedFields& provided, const RecordedFields& recorded) {
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
                                      const RecordedFields& recorded) {
  for (const auto& path : recorded) {
    if (!provided.contains(path) && !field_at(offer, path).is_null()) remove_field(offer, path);
  }
  std::vector<std::string> overwritten;
  for (const auto& [path, value] : provided) {
    const auto& present = field_at(offer, path);
    if (!present.is_null() && json::equal(present, value)) continue;
    if (!present.is_null() && !recorded.contains(path)) overwritten.emplace_back(path);
    set_field(offer, path, value);
  }
  return overwritten;
}

bool is_recorded(const ProvidedFields& provided, const RecordedFields& recorded) {
  return recorded.size() == provided.size() &&
         std::equal(recorded.begin(), recorded.end(), provided.begin(),
                    [](const std::string& path, const auto& field) { return path == field.first; });
}

void record_fields(json::Object& offer, const ProvidedFields& provided) {
  std::vector<std::string> paths;
  paths.reserve(provided.size());
  for (const auto& [path, value] : provided) paths.emplace_back(path);
  write_field_record(offer, paths);
}

bool has_type_of_class(const client::Object& plan) {
  const auto recorded = recorded_fields(plan);
  return recorded.contains(kTypeOfClassPath) && recorded.contains(kServiceTypePath);
}

void write_type_of_class(json::Object& plan, std::string_view type) {
  const json::Value original(plan, json::arena());
  const auto before = resolve::provided_fields_of(original);
  RecordedFields recorded(before.begin(), before.end());
  for (const auto path : {kServiceTypePath, kTypeOfClassPath}) {
    if (type.empty()) {
      remove_field(plan, path);
      recorded.erase(std::string(path));
    } else {
      set_field(plan, path, text(type));
      recorded.emplace(path);
    }
  }
  write_field_record(plan, {recorded.begin(), recorded.end()});
}

}  // namespace chandler::reconcilers
