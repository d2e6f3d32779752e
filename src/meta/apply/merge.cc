#include "meta/apply/merge.h"

#include <string>
#include <utility>
#include <vector>

#include "base/text_hash.h"

namespace chandler::meta {
namespace {

void merge_value(const Place& place, json::Value& live, const json::Value& config);

void merge_members(const Place& place, json::Object& live, const json::Object& config) {
  for (const auto& [key, value] : config) {
    const std::string_view name(key.data(), key.size());
    if (auto* there = live.if_contains(name)) {
      merge_value(place.member(name), *there, value);
    } else {
      live.emplace(name, value);
    }
  }
}

// Walks the live list and puts each item of the config in where its turn comes: an item that both have pulls the
// config's items before it along, so that what the config says about order holds.
void merge_items(const Place& place, json::Value& live, const json::Array& config) {
  StableTextMap<size_t> wanted;
  std::vector<std::string> order;
  for (const auto& item : config) {
    auto element = place.item_element(item);
    if (!element) {
      live = config;
      return;
    }
    wanted.try_emplace(*element, order.size());
    order.push_back(std::move(*element));
  }
  auto& items = live.get_array();
  StableTextMap<json::Value*> there;
  std::vector<std::string> elements;
  for (auto& item : items) {
    auto element = place.item_element(item);
    elements.push_back(element ? std::move(*element) : std::string());
    if (wanted.contains(elements.back())) there.try_emplace(elements.back(), &item);
  }

  json::Array out(items.storage());
  out.reserve(items.size() + config.size());
  size_t next = 0;  // of the config
  const auto put_next = [&] {
    const auto found = there.find(order[next]);
    if (found == there.end()) {
      out.push_back(config[next]);
    } else {
      merge_value(place.item(), *found->second, config[next]);
      out.push_back(std::move(*found->second));
    }
    ++next;
  };
  size_t shared = 0;  // the first of the config, from `next` on, that both have
  const auto find_shared = [&] {
    shared = next;
    while (shared < order.size() && !there.contains(order[shared])) ++shared;
  };
  find_shared();
  for (size_t i = 0; i < items.size(); ++i) {
    const auto position = wanted.find(elements[i]);
    if (position == wanted.end()) {
      out.push_back(std::move(items[i]));
    } else if (position->second == shared) {
      while (next <= shared) put_next();
      find_shared();
    }
  }
  while (next < order.size()) put_next();
  items = std::move(out);
}

void merge_value(const Place& place, json::Value& live, const json::Value& config) {
  auto* live_map = live.if_object();
  auto* live_list = live.if_array();
  if (config.is_null()) {
    // Says that the applier cares, and nothing about what is in there.
    const bool is_map = place.is_struct() || (place.schema != nullptr && place.schema->additional != nullptr);
    const bool keeps = (live_map != nullptr && is_map && place.is_granular_map()) ||
                       (live_list != nullptr && place.is_granular_list());
    if (!keeps) live = nullptr;
    return;
  }
  const auto* config_map = config.if_object();
  const auto* config_list = config.if_array();
  if (live_map != nullptr && config_map != nullptr && place.is_granular_map()) {
    merge_members(place, *live_map, *config_map);
  } else if (live_list != nullptr && config_list != nullptr && place.is_granular_list()) {
    merge_items(place, live, *config_list);
  } else {
    live = config;
  }
}

void remove_below(const Place& place, json::Value& value, const FieldSet& abandoned, const FieldSet& owned,
                  const json::Value* config);

// One place that somebody gives up, at least in part. True: the whole goes.
bool remove_at(const Place& place, bool named, json::Value& value, const FieldSet::Node& abandoned,
               const FieldSet::Node* owned, const json::Value* config) {
  const bool was_owned = place.may_be_owned() && (abandoned.member || (named && !abandoned.children.empty()));
  const bool is_owned = owned != nullptr && (owned->member || (named && !owned->children.empty()));
  if (was_owned && !is_owned && config == nullptr) return true;
  remove_below(place, value, abandoned.children, owned == nullptr ? no_fields() : owned->children, config);
  return false;
}

void remove_below(const Place& place, json::Value& value, const FieldSet& abandoned, const FieldSet& owned,
                  const json::Value* config) {
  if (abandoned.empty()) return;
  if (auto* object = value.if_object(); object != nullptr && place.is_granular_map()) {
    for (const auto& node : abandoned.nodes()) {
      if (!node.element.starts_with("f:")) continue;
      const auto name = std::string_view(node.element).substr(2);
      auto* member = object->if_contains(name);
      // Records come from outside too: nobody can give up what was never theirs.
      if (member == nullptr || !place.is_tracked(name, FieldScope())) continue;
      const auto* wanted = config == nullptr ? nullptr : json::find(*config, name);
      if (remove_at(place.member(name), place.declares(name), *member, node, owned.find(node.element), wanted)) {
        object->erase(name);
      }
    }
    return;
  }
  auto* list = value.if_array();
  if (list == nullptr || !place.is_granular_list()) return;
  json::Array kept(list->storage());
  kept.reserve(list->size());
  for (auto& item : *list) {
    const auto element = place.item_element(item);
    const auto* node = element ? abandoned.find(*element) : nullptr;
    if (node != nullptr && remove_at(place.item(), false, item, *node, owned.find(*element), nullptr)) continue;
    kept.push_back(std::move(item));
  }
  *list = std::move(kept);
}

}  // namespace

void merge_config(const SchemaNode* schema, json::Value& live, const json::Value& config) {
  merge_members(Place::root(schema), live.as_object(), config.as_object());
}

void remove_fields(const SchemaNode* schema, json::Value& object, const FieldSet& abandoned, const FieldSet& owned,
                   const json::Value& config) {
  remove_below(Place::root(schema), object, abandoned, owned, &config);
}

}  // namespace chandler::meta
