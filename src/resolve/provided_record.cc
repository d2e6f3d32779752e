#include "resolve/provided_record.h"

#include <algorithm>

#include "base/text.h"

namespace chandler::resolve {
namespace {

std::string_view record_of(const json::Value& offer) {
  const auto* record = json::find_path(offer, {"metadata", "annotations", kProvidedFieldsAnnotation});
  return record != nullptr && record->is_string() ? json::view(record->get_string()) : std::string_view();
}

}  // namespace

std::vector<std::string_view> provided_fields_of(const json::Value& offer) {
  const auto record = record_of(offer);
  return record.empty() ? std::vector<std::string_view>() : split(record, ',');
}

bool is_provided(const json::Value& offer, std::string_view path) {
  if (path == "spec.serviceType" &&
      json::find_path(offer, {"metadata", "annotations", kTypeOfClassAnnotation}) != nullptr) {
    return false;
  }
  const auto fields = provided_fields_of(offer);
  return std::any_of(fields.begin(), fields.end(), [&](std::string_view field) {
    return field.starts_with(path) && (field.size() == path.size() || field[path.size()] == '.');
  });
}

}  // namespace chandler::resolve
