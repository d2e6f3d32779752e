#include "meta/apply/compare.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <boost/container/small_vector.hpp>

#include "base/text.h"

namespace chandler::meta {
namespace {

using Items = std::map<std::string, std::vector<const json::Value*>>;

// The items by their elements; false when one has none, and the list is then compared as a whole.
bool index_items(const Place& list, const json::Array& items, Items& out) {
  for (const auto& item : items) {
    auto element = list.item_element(item);
    if (!element) return false;
    out[std::move(*element)].push_back(&item);
  }
  return true;
}

bool same_items(const std::vector<const json::Value*>& a, const std::vector<const json::Value*>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!json::equal(*a[i], *b[i])) return false;
  }
  return true;
}

// Everything at and below a value that came (or, with `every`, went: then also what is never owned as such).
void collect(const Place& place, const FieldScope& scope, const json::Value& value, bool every, FieldSet::Node& node) {
  if (is_leaf(place, value)) {
    node.member = place.may_be_owned();
    return;
  }
  if (const auto* object = value.if_object()) {
    node.member = place.may_be_owned() && (every || !scope.builtin || !place.is_struct());
    for_each_tracked(place, scope, *object, [&](std::string_view name, const json::Value& member) {
      FieldSet::Node child;
      collect(place.member(name), scope, member, every, child);
      if (!child.member && child.children.empty()) return;
      auto& kept = node.children.at(field_element(name));
      kept.member = child.member;
      kept.children = std::move(child.children);
    });
    return;
  }
  node.member = true;
  Items items;
  if (!index_items(place, value.get_array(), items)) return;
  for (const auto& [element, same] : items) {
    auto& item = node.children.at(element);
    collect(place.item(), scope, *same.front(), every, item);
    item.member = true;
  }
}

// A place on the way down; turned into nodes of a set only when there is something to note.
struct Trace {
  const Trace* above;
  char prefix;  // of a member's element; 0: `text` is the element
  std::string_view text;
  // Where it is in each set: found once for all that is below. A node stays in its place while the walk is below it,
  // since only its siblings could move it.
  struct Found {
    const FieldSet* set = nullptr;
    FieldSet::Node* node = nullptr;
  };
  mutable std::array<Found, 3> found{};

  FieldSet::Node& in(FieldSet& set) const {
    Found* place = found.data();
    while (place->set != nullptr && place->set != &set) ++place;
    if (place->set == nullptr) {
      const std::string element = prefix != 0 ? field_element(text) : std::string(text);
      *place = {&set, above == nullptr ? &set.at(element) : &above->in(set).children.at(element)};
    }
    return *place->node;
  }
};

// A changed document mostly began as a copy, so a member is where it was.
const json::Value* find_near(const json::Object& in, size_t position, std::string_view name) {
  if (position < in.size()) {
    const json::Member& likely = in.begin()[position];
    if (json::key_of(likely) == name) return &likely.value();
  }
  return in.if_contains(name);
}

bool is_same_scalar(const json::Value& a, const json::Value& b) {
  return !a.is_structured() && !b.is_structured() && json::equal(a, b);
}

class Comparer {
 public:
  explicit Comparer(const FieldScope& scope) : scope_(scope) {}

  void members(const Place& place, const json::Object& old, const json::Object& now, const Trace* above) {
    size_t position = 0;
    for (const json::Member& member : old) {
      const std::string_view name = json::key_of(member);
      const auto* after = find_near(now, position++, name);
      // Most members are values that did not change, and then nothing else about them matters.
      if (after != nullptr && is_same_scalar(member.value(), *after)) continue;
      if (!place.is_tracked(name, scope_)) continue;
      const Trace trace{above, 'f', name, {}};
      if (after == nullptr) {
        collect(place.member(name), scope_, member.value(), true, trace.in(out_.removed));
      } else {
        value(place.member(name), member.value(), *after, trace);
      }
    }
    position = 0;
    boost::container::small_vector<const json::Member*, 16> added;
    for (const json::Member& member : now) {
      const std::string_view name = json::key_of(member);
      if (find_near(old, position++, name) == nullptr && place.is_tracked(name, scope_)) added.push_back(&member);
    }
    // The old ones come in order, as they were stored; these as somebody sent them, and a set is quick to grow at its
    // end only.
    std::sort(added.begin(), added.end(),
              [](const json::Member* a, const json::Member* b) { return json::key_of(*a) < json::key_of(*b); });
    for (const json::Member* member : added) {
      const std::string_view name = json::key_of(*member);
      const Trace trace{above, 'f', name, {}};
      collect(place.member(name), scope_, member->value(), false, trace.in(out_.added));
    }
  }

  Comparison take() { return std::move(out_); }

 private:
  void value(const Place& place, const json::Value& old, const json::Value& now, const Trace& trace) {
    const auto* old_map = old.if_object();
    const auto* new_map = now.if_object();
    if (old_map != nullptr && new_map != nullptr && place.is_granular_map()) {
      if (!old_map->empty() || !new_map->empty()) members(place, *old_map, *new_map, &trace);
      return;
    }
    const auto* old_list = old.if_array();
    const auto* new_list = now.if_array();
    if (old_list != nullptr && new_list != nullptr && place.is_granular_list()) {
      return items(place, old, now, trace);
    }
    if (json::equal(old, now)) return;
    if (!is_leaf(place, old)) collect(place, scope_, old, true, trace.in(out_.removed));
    if (!is_leaf(place, now)) collect(place, scope_, now, false, trace.in(out_.added));
    trace.in(out_.modified).member = true;
  }

  void items(const Place& place, const json::Value& old, const json::Value& now, const Trace& trace) {
    Items before, after;
    if (!index_items(place, old.get_array(), before) || !index_items(place, now.get_array(), after)) {
      if (!json::equal(old, now)) trace.in(out_.modified).member = true;
      return;
    }
    const Place item = place.item();
    for (const auto& [element, olds] : before) {
      const Trace at{&trace, 0, element, {}};
      const auto found = after.find(element);
      if (found == after.end()) {
        auto& gone = at.in(out_.removed);
        collect(item, scope_, *olds.front(), true, gone);
        gone.member = true;
      } else if (olds.size() == 1 && found->second.size() == 1) {
        value(item, *olds.front(), *found->second.front(), at);
      } else if (!same_items(olds, found->second)) {
        at.in(out_.modified).member = true;
      }
    }
    for (const auto& [element, news] : after) {
      if (before.contains(element)) continue;
      auto& came = Trace{&trace, 0, element, {}}.in(out_.added);
      collect(item, scope_, *news.front(), false, came);
      came.member = true;
    }
  }

  const FieldScope& scope_;
  Comparison out_;
};

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

// The schema says that this is one piece; where there is no schema nothing is known.
bool is_one_piece(const Place& place) {
  if (place.schema == nullptr) return false;
  return place.schema->has(kAtomicMap) || (place.schema->types == kTypeArray && !place.is_granular_list());
}

void fit(const Place& place, FieldSet& fields) {
  for (auto& node : fields.nodes()) {
    if (node.children.empty()) continue;
    const bool is_member = node.element.starts_with("f:");
    const Place below = is_member ? place.member(std::string_view(node.element).substr(2)) : place.item();
    if (is_one_piece(below)) {
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
  Comparer comparer(scope);
  comparer.members(Place::root(schema), old.as_object(), now.as_object(), nullptr);
  return comparer.take();
}

FieldSet fields_of_new(const SchemaNode* schema, const json::Value& object, const FieldScope& scope) {
  FieldSet::Node root;
  collect(Place::root(schema), scope, object, false, root);
  return std::move(root.children);
}

Result<FieldSet> fields_of_config(const SchemaNode* schema, const json::Value& config) {
  FieldSet out;
  CH_TRY(ConfigReader().members(Place::root(schema), config.as_object(), out));
  return out;
}

}  // namespace chandler::meta
