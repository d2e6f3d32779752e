#include "meta/apply/place.h"

#include <algorithm>
#include <array>
#include <utility>

#include <boost/container/small_vector.hpp>

#include "json/writer.h"

namespace chandler::meta {
namespace {

// What an item does not say itself is copied into its element, so it must not be much larger than the item.
constexpr size_t kMaxFromDefaults = 256;

constexpr std::array<std::string_view, 2> kTypeFields = {"apiVersion", "kind"};
constexpr std::array<std::string_view, 11> kSystemMetadata = {"clusterName",
                                                              "creationTimestamp",
                                                              "deletionGracePeriodSeconds",
                                                              "deletionTimestamp",
                                                              "generation",
                                                              "managedFields",
                                                              "name",
                                                              "namespace",
                                                              "resourceVersion",
                                                              "selfLink",
                                                              "uid"};

template <size_t kCount>
bool among(const std::array<std::string_view, kCount>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

Place Place::member(std::string_view name) const {
  if (level == Level::kRoot && name == "metadata") return {&object_meta_schema(), Level::kMetadata, depth + 1};
  return {schema == nullptr ? nullptr : schema->member(name), Level::kInner, depth + 1};
}

bool Place::declares(std::string_view name) const {
  if (level == Level::kRoot && name == "metadata") return true;
  return schema != nullptr && schema->property(name) != nullptr;
}

bool Place::is_tracked(std::string_view name, const FieldScope& scope) const {
  switch (level) {
    case Level::kInner:
      return true;
    case Level::kMetadata:
      return !among(kSystemMetadata, name);
    case Level::kRoot:
      return !among(kTypeFields, name) && (scope.without.empty() || name != scope.without) &&
             (scope.only.empty() || name == scope.only);
  }
  return true;
}

std::optional<std::string> Place::item_element(const json::Value& item) const {
  if (schema->list_type == ListType::kSet) {
    std::string out = "v:";
    json::write_to(out, item);
    return out;
  }
  const auto* strategy = schema->strategy;
  if (strategy == nullptr || !item.is_object()) return std::nullopt;
  size_t from_defaults = 0;
  // Members in the order of their names, as in all that we write.
  boost::container::small_vector<std::pair<std::string_view, const json::Value*>, 4> keys;
  for (const auto& key : strategy->map_keys) {
    const json::Value* value = item.get_object().if_contains(key);
    if (value == nullptr && schema->items != nullptr) {
      const auto* property = schema->items->property(key);
      if (property != nullptr) value = property->default_value;
      if (value != nullptr) from_defaults += key.size() + json::memory_of(*value);
    }
    if (value == nullptr || from_defaults > kMaxFromDefaults) return std::nullopt;
    keys.emplace_back(key, value);
  }
  std::sort(keys.begin(), keys.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
  std::string out = "k:";
  char separator = '{';
  for (const auto& [key, value] : keys) {
    out += separator;
    separator = ',';
    json::write_string(out, key);
    out += ':';
    json::write_to(out, *value);
  }
  out += '}';
  return out;
}

bool is_leaf(const Place& place, const json::Value& value) {
  if (const auto* object = value.if_object()) return object->empty() || !place.is_granular_map();
  if (const auto* list = value.if_array()) return list->empty() || !place.is_granular_list();
  return true;
}

std::string field_element(std::string_view name) {
  std::string out;
  out.reserve(name.size() + 2);
  out.append("f:").append(name);
  return out;
}

void write_element(std::string& out, char prefix, std::string_view name) {
  const size_t quote = out.size();
  json::write_string(out, name);
  // It needs no escape itself.
  const char before[] = {prefix, ':'};
  out.insert(quote + 1, before, sizeof before);
  out += ':';
}

}  // namespace chandler::meta
