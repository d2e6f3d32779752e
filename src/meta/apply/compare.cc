#include "meta/apply/compare.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "meta/apply/changes.h"

namespace chandler::meta {
namespace {

class ConfigReader {
 public:
  Result<void> members(const Place& place, const json::Object& object, FieldSet& out) {
    Result<void> result;
    for_each_tracked(place, FieldScope(), object, [&](std::string_view name, const json::Value& value) {
      if (!result.ok()) return;
      FieldSet::Node node;
      const size_t above = path_.size();
      path_.append(1, '.').append(name);
      result = read(place.member(name), value, node);
      path_.resize(above);
      const bool says_nothing = value.is_null() || (value.is_object() && value.get_object().empty());
      const bool whole = node.member || says_nothing || !place.declares(name);
      node.member = whole && place.member(name).may_be_owned();
      if (!node.member && node.children.empty()) return;
      auto& kept = out.at(field_element(name));
      kept.member = node.member;
      kept.children = std::move(node.children);
    });
    return result;
  }

 private:
  Result<void> read(const Place& place, const json::Value& value, FieldSet::Node& node) {
    const auto* object = value.if_object();
    const auto* list = value.if_array();
    if (object != nullptr && place.is_granular_map()) return members(place, *object, node.children);
    if (list == nullptr || !place.is_granular_list()) {
      node.member = true;
      return {};
    }
    std::vector<FieldSet::Node> items;
    items.reserve(list->size());
    const size_t above = path_.size();
    for (const auto& item : *list) {
      path_ += fmt::format("[{}]", items.size());
      auto element = place.item_element(item);
      if (!element) {
        return bad_request(fmt::format(
            "{} in the applied configuration lacks a key that tells it from other items; give it all of: {}", path_,
            keys_text(place)));
      }
      FieldSet::Node child{std::move(*element), true, {}};
      CH_TRY(read(place.item(), item, child));
      path_.resize(above);
      child.member = true;
      items.push_back(std::move(child));
    }
    const size_t count = items.size();
    node.children = FieldSet::of(std::move(items));
    if (node.children.nodes().size() < count) {
      return bad_request(fmt::format(
          "{} in the applied configuration has an item twice, and its items are owned one by one; leave one out",
          path_));
    }
    return {};
  }

  static std::string keys_text(const Place& place) {
    const auto& strategy = place.schema->strategy;
    return strategy == nullptr ? "its keys" : join(strategy->map_keys, ", ");
  }

  std::string path_;  // of what is being read, for errors
};

void fit(const Place& place, FieldSet& fields) {
  for (auto& node : fields.nodes()) {
    if (node.children.empty()) continue;
    const bool is_member = node.element.starts_with("f:");
    const Place below = is_member ? place.member(std::string_view(node.element).substr(2)) : place.item();
    if (below.is_one_piece()) {
      node.member = true;
      node.children = FieldSet();
    } else {
      fit(below, node.children);
    }
  }
}

}  // namespace

void fit_to_schema(const SchemaNode* schema, FieldSet& fields) { fit(Place::root(schema), fields); }

Comparison compare_fields(const SchemaNode* schema, const json::Value& old, const json::Value& now,
                          const FieldScope& scope) {
  const auto changes = Changes::between(schema, old, now, scope);
  return {changes.places(Changes::kAdded), changes.places(Changes::kModified), changes.places(Changes::kRemoved)};
}

FieldSet fields_of_new(const SchemaNode* schema, const json::Value& object, const FieldScope& scope) {
  return Changes::of_new(schema, object, scope).places(Changes::kAdded);
}

Result<FieldSet> fields_of_config(const SchemaNode* schema, const json::Value& config) {
  FieldSet out;
  CH_TRY(ConfigReader().members(Place::root(schema), config.as_object(), out));
  return out;
}

}  // namespace chandler::meta
