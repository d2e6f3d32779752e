#include "resolve/sensitive_parameters.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace chandler::resolve {
namespace {

constexpr size_t kMostPairs = 100'000;  // of a part of the schema and a value it applies to

class SensitiveSearch {
 public:
  SensitiveSearch(const json::Value& root, const std::function<void(const json::Value&)>& found)
      : root_(root), found_(found) {}

  bool is_complete() const { return seen_.size() < kMostPairs; }

  void apply(const json::Value& schema, const json::Value& value) {
    const auto* object = schema.if_object();
    // A pair that was seen is done, or under way further up: references in circles end here.
    if (object == nullptr || !is_complete() || !seen_.emplace(&schema, &value).second) return;
    if (json::bool_at(schema, "writeOnly") == true || json::string_at(schema, "format") == "password") {
      return found_(value);
    }
    if (const auto reference = json::string_at(schema, "$ref")) {
      if (const auto* target = resolve(*reference)) apply(*target, value);
    }
    for (const std::string_view branches : {"allOf", "anyOf", "oneOf"}) {
      if (const auto* list = json::array_at(schema, branches)) {
        for (const auto& branch : *list) apply(branch, value);
      }
    }
    for (const std::string_view branch : {"if", "then", "else"}) apply_at(schema, branch, value);
    for (const std::string_view branches : {"dependencies", "dependentSchemas"}) {
      if (const auto* map = json::object_at(schema, branches)) {
        for (const auto& [key, branch] : *map) apply(branch, value);
      }
    }
    if (const auto* members = value.if_object()) apply_to_members(schema, *members);
    if (const auto* items = value.if_array()) apply_to_items(schema, *items);
  }

 private:
  void apply_at(const json::Value& schema, std::string_view key, const json::Value& value) {
    if (const auto* part = json::find(schema, key)) apply(*part, value);
  }

  void apply_to_members(const json::Value& schema, const json::Object& members) {
    const auto* properties = json::object_at(schema, "properties");
    const auto* patterns = json::object_at(schema, "patternProperties");
    for (const auto& [key, value] : members) {
      if (const auto* property = properties == nullptr ? nullptr : properties->if_contains(key))
        apply(*property, value);
      // Any pattern may fit: to hide a value too many does no harm.
      if (patterns != nullptr) {
        for (const auto& [pattern, part] : *patterns) apply(part, value);
      }
      apply_at(schema, "additionalProperties", value);
    }
  }

  void apply_to_items(const json::Value& schema, const json::Array& items) {
    for (const std::string_view place : {"items", "additionalItems", "contains"}) {
      for (const auto& item : items) apply_at(schema, place, item);
    }
    for (const std::string_view place : {"items", "prefixItems"}) {
      const auto* each = json::array_at(schema, place);
      for (size_t i = 0; each != nullptr && i < std::min(each->size(), items.size()); ++i) apply((*each)[i], items[i]);
    }
  }

  // Within the document; what stands elsewhere is never fetched.
  const json::Value* resolve(std::string_view reference) const {
    if (!reference.starts_with('#')) return nullptr;
    const json::Value* place = &root_;
    for (const auto step : split(reference.substr(1), '/')) {
      if (step.empty()) continue;
      const auto decoded = percent_decode(step, false).value_or(std::string(step));
      std::string key;
      for (size_t i = 0; i < decoded.size(); ++i) {
        const bool is_escape = decoded[i] == '~' && i + 1 < decoded.size();
        key += is_escape ? (decoded[++i] == '1' ? '/' : '~') : decoded[i];
      }
      if (const auto* list = place->if_array()) {
        const auto index = parse_uint64(key);
        place = index && *index < list->size() ? &(*list)[*index] : nullptr;
      } else {
        place = json::find(*place, key);
      }
      if (place == nullptr) return nullptr;
    }
    return place;
  }

  const json::Value& root_;
  const std::function<void(const json::Value&)>& found_;
  std::set<std::pair<const json::Value*, const json::Value*>> seen_;
};

}  // namespace

bool find_sensitive_parameters(const json::Value& schema, const json::Value& parameters,
                               const std::function<void(const json::Value&)>& found) {
  SensitiveSearch search(schema, found);
  search.apply(schema, parameters);
  return search.is_complete();
}

}  // namespace chandler::resolve
