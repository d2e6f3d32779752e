#include "meta/apply/changes.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace chandler::meta {
namespace {

using boost::container::small_vector;

constexpr size_t kShortLevel = 32;

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

// A member that may have changed; null: it is not there.
struct Pair {
  std::string_view name;
  const json::Value* old;
  const json::Value* now;
};

struct Item {
  std::string_view element;
  const json::Value* value;
};
using Items = small_vector<Item, 8>;

// Most is in order already.
template <typename Range, typename Before>
void put_in_order(Range& range, Before before) {
  if (!std::is_sorted(range.begin(), range.end(), before)) std::stable_sort(range.begin(), range.end(), before);
}

// As many items as have the element of the first.
std::span<const Item> alike(std::span<const Item> items) {
  size_t count = 1;
  while (count < items.size() && items[count].element == items.front().element) ++count;
  return items.first(count);
}

bool same_values(std::span<const Item> a, std::span<const Item> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Item& x, const Item& y) { return json::equal(*x.value, *y.value); });
}

void add_places(Changes::Nodes nodes, uint8_t what, FieldSet& out) {
  for (; !nodes.empty(); nodes = after_first(nodes)) {
    const auto& node = nodes.front();
    FieldSet children;
    add_places(below_first(nodes), what, children);
    const bool member = (node.what & what) != 0;
    if (!member && children.empty()) continue;
    auto& place = out.at(std::string{node.prefix, ':'}.append(node.name));
    place.member = member;
    place.children = std::move(children);
  }
}

}  // namespace

class ChangeFinder {
 public:
  ChangeFinder(const FieldScope& scope, Changes& out) : scope_(scope), out_(out) {}

  void compare_members(const Place& place, const json::Object& old, const json::Object& now) {
    small_vector<Pair, 16> pairs;
    size_t position = 0;
    size_t added = now.size();
    for (const json::Member& member : old) {
      const std::string_view name = json::key_of(member);
      const auto* after = find_near(now, position++, name);
      if (after != nullptr) {
        --added;
        // Most members are values that did not change, and then nothing else about them matters.
        if (is_same_scalar(member.value(), *after)) continue;
      }
      if (place.is_tracked(name, scope_)) pairs.push_back({name, &member.value(), after});
    }
    // What came is mostly at the end.
    for (size_t i = now.size(); added > 0 && i > 0; --i) {
      const json::Member& member = now.begin()[i - 1];
      const std::string_view name = json::key_of(member);
      if (find_near(old, i - 1, name) != nullptr) continue;
      --added;
      if (place.is_tracked(name, scope_)) pairs.push_back({name, nullptr, &member.value()});
    }
    put_in_order(pairs, [](const Pair& a, const Pair& b) { return a.name < b.name; });
    for (const Pair& pair : pairs) {
      const size_t node = open('f', pair.name);
      if (pair.old == nullptr) {
        note(node, collect_member(place, pair.name, *pair.now, Changes::kAdded), Changes::kAdded);
      } else if (pair.now == nullptr) {
        note(node, collect_member(place, pair.name, *pair.old, Changes::kRemoved), Changes::kRemoved);
      } else {
        compare(place.member(pair.name), *pair.old, *pair.now, node);
      }
      close(node);
    }
  }

  // Everything below a value that came or went; whether that is also true of the place itself. Of what goes, that is so
  // even where nobody owns a place as such.
  bool collect(const Place& place, const json::Value& value, Changes::What what) {
    if (is_leaf(place, value)) return place.may_be_owned();
    if (const auto* object = value.if_object()) {
      for_each_tracked(place, scope_, *object, [&](std::string_view name, const json::Value& member) {
        const size_t node = open('f', name);
        note(node, collect_member(place, name, member, what), what);
        close(node);
      });
      return place.may_be_owned() && (what == Changes::kRemoved || !scope_.builtin || !place.is_struct());
    }
    Items items;
    if (!index_items(place, value.get_array(), items)) return true;
    for (std::span<const Item> rest(items.data(), items.size()); !rest.empty();
         rest = rest.subspan(alike(rest).size())) {
      collect_item(place, rest.front(), what);
    }
    return true;
  }

 private:
  size_t open(char prefix, std::string_view name) {
    out_.nodes_.push_back({prefix, 0, name, 0});
    return out_.nodes_.size() - 1;
  }
  size_t open(std::string_view element) { return open(element[0], element.substr(2)); }
  void note(size_t node, bool is_so, Changes::What what) {
    if (is_so) out_.nodes_[node].what |= what;
  }
  void close(size_t node) {
    out_.nodes_[node].below = out_.nodes_.size() - node - 1;
    if (out_.nodes_[node].below == 0 && out_.nodes_[node].what == 0) out_.nodes_.pop_back();
  }

  bool collect_member(const Place& place, std::string_view name, const json::Value& value, Changes::What what) {
    // Of a scalar there is nothing to look up.
    if (place.level != Place::Level::kRoot && !value.is_structured()) return true;
    return collect(place.member(name), value, what);
  }

  void collect_item(const Place& list, const Item& item, Changes::What what) {
    const size_t node = open(item.element);
    (void)collect(list.item(), *item.value, what);
    note(node, true, what);
    close(node);
  }

  void compare(const Place& place, const json::Value& old, const json::Value& now, size_t node) {
    if (old.is_object() && now.is_object() && place.is_granular_map()) {
      return compare_members(place, old.get_object(), now.get_object());
    }
    if (json::equal(old, now)) return;
    if (old.is_array() && now.is_array() && place.is_granular_list()) return compare_items(place, old, now, node);
    // When a list takes the place of a map, or a map that of a list: members are before items.
    const auto went = [&] {
      if (!is_leaf(place, old)) note(node, collect(place, old, Changes::kRemoved), Changes::kRemoved);
    };
    const auto came = [&] {
      if (!is_leaf(place, now)) note(node, collect(place, now, Changes::kAdded), Changes::kAdded);
    };
    if (old.is_object()) went();
    came();
    if (!old.is_object()) went();
    note(node, true, Changes::kModified);
  }

  void compare_items(const Place& list, const json::Value& old, const json::Value& now, size_t list_node) {
    Items before, after;
    if (!index_items(list, old.get_array(), before) || !index_items(list, now.get_array(), after)) {
      return note(list_node, true, Changes::kModified);
    }
    std::span<const Item> olds(before.data(), before.size()), news(after.data(), after.size());
    while (!olds.empty() || !news.empty()) {
      if (news.empty() || (!olds.empty() && olds.front().element < news.front().element)) {
        collect_item(list, olds.front(), Changes::kRemoved);
        olds = olds.subspan(alike(olds).size());
        continue;
      }
      if (olds.empty() || news.front().element < olds.front().element) {
        collect_item(list, news.front(), Changes::kAdded);
        news = news.subspan(alike(news).size());
        continue;
      }
      const auto same_olds = alike(olds), same_news = alike(news);
      const size_t node = open(news.front().element);
      if (same_olds.size() == 1 && same_news.size() == 1) {
        compare(list.item(), *olds.front().value, *news.front().value, node);
      } else {
        note(node, !same_values(same_olds, same_news), Changes::kModified);
      }
      close(node);
      olds = olds.subspan(same_olds.size());
      news = news.subspan(same_news.size());
    }
  }

  // The items by their elements; false when one has none, and the list is then compared as a whole.
  bool index_items(const Place& list, const json::Array& items, Items& out) {
    for (const auto& item : items) {
      auto element = list.item_element(item);
      if (!element) return false;
      out.push_back({out_.elements_.emplace_front(std::move(*element)), &item});
    }
    put_in_order(out, [](const Item& a, const Item& b) { return a.element < b.element; });
    return true;
  }

  const FieldScope& scope_;
  Changes& out_;
};

Changes Changes::between(const SchemaNode* schema, const json::Value& old, const json::Value& now,
                         const FieldScope& scope) {
  Changes out;
  ChangeFinder(scope, out).compare_members(Place::root(schema), old.as_object(), now.as_object());
  return out;
}

Changes Changes::of_new(const SchemaNode* schema, const json::Value& object, const FieldScope& scope) {
  Changes out;
  (void)ChangeFinder(scope, out).collect(Place::root(schema), object, kAdded);
  return out;
}

bool Changes::any(uint8_t what) const {
  return std::any_of(nodes_.begin(), nodes_.end(), [&](const Node& node) { return (node.what & what) != 0; });
}

const std::vector<size_t>& Changes::neighbours_in(Nodes level) const {
  auto& out = neighbours_[static_cast<size_t>(level.data() - nodes_.data())];
  if (!out.empty()) return out;
  for (size_t at = 0; at < level.size(); at += 1 + level[at].below) out.push_back(at);
  return out;
}

Changes::Nodes Changes::seek(Nodes& level, std::string_view element) const {
  Nodes found;
  if (level.size() > kShortLevel) {
    const auto& places = neighbours_in(level);
    const auto place = std::lower_bound(places.begin(), places.end(), element,
                                        [&](size_t at, std::string_view e) { return level[at].compare(e) < 0; });
    if (place != places.end()) found = level.subspan(*place);
  } else {
    while (!level.empty() && level.front().compare(element) < 0) level = after_first(level);
    found = level;
  }
  if (found.empty() || found.front().compare(element) != 0) return {};
  return found.first(1 + found.front().below);
}

FieldSet Changes::places(uint8_t what) const {
  FieldSet out;
  add_places(nodes(), what, out);
  return out;
}

}  // namespace chandler::meta
