#include "meta/apply/field_set.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "base/text.h"
#include "json/reader.h"
#include "json/sorted_members.h"
#include "json/writer.h"
#include "meta/apply/fields_cursor.h"

namespace chandler::meta {
namespace {

Error not_a_field(std::string_view element) {
  return bad_request(fmt::format("{} is no element of FieldsV1", quoted(element)));
}

// The same place always reads the same.
Result<std::string> canonical_element(std::string_view element) {
  if (element.size() < 2 || element[1] != ':') return not_a_field(element);
  const auto rest = element.substr(2);
  switch (element[0]) {
    case 'f':
      return std::string(element);
    case 'i': {
      const auto index = parse_int64(rest);
      if (!index) return not_a_field(element);
      return fmt::format("i:{}", *index);
    }
    case 'k':
    case 'v': {
      const auto value = json::parse(rest);
      if (!value.ok() || (element[0] == 'k' && !value->is_object())) return not_a_field(element);
      return fmt::format("{}:{}", element[0], json::write(*value));
    }
    default:
      return not_a_field(element);
  }
}

std::string readable_element(std::string_view element) {
  const auto rest = element.substr(2);
  if (element[0] == 'f') return fmt::format(".{}", rest);
  if (element[0] == 'v') return fmt::format("[={}]", rest);
  if (element[0] == 'i') return fmt::format("[{}]", rest);
  std::string out = "[";
  if (const auto keys = json::parse(rest); keys.ok() && keys->is_object()) {
    json::for_each_sorted(keys->get_object(), [&](const json::Member& key) {
      if (out.size() > 1) out += ',';
      out += fmt::format("{}={}", json::key_of(key), json::write(key.value()));
    });
  }
  return out + "]";
}

bool by_element(const FieldSet::Node& node, std::string_view element) { return node.element < element; }

// What follows the opening bracket of a place, up to its closing one.
bool read_members(FieldsCursor& cursor, std::vector<FieldSet::Node>& out) {
  while (!cursor.take('}')) {
    cursor.take(',');
    FieldsCursor::Key key;
    if (!cursor.take_key(key)) return false;
    FieldSet::Node node{std::string(key.element), true, {}};
    if (!cursor.take("{}")) {
      if (!cursor.take('{')) return false;
      const bool member = cursor.take(FieldsCursor::kMember);
      if (!read_members(cursor, node.children.nodes())) return false;
      node.member = member || node.children.empty();
    }
    out.push_back(std::move(node));
  }
  return true;
}

}  // namespace

const FieldSet& no_fields() {
  static const FieldSet none;
  return none;
}

Result<FieldSet> FieldSet::parse(const json::Value& fields_v1) {
  if (!fields_v1.is_object()) return bad_request("FieldsV1 must be an object");
  std::vector<Node> nodes;
  nodes.reserve(fields_v1.get_object().size());
  for (const auto& [key, value] : fields_v1.get_object()) {
    const std::string_view name(key.data(), key.size());
    if (name == ".") continue;  // read by the level above
    CH_TRY_LET(element, canonical_element(name));
    CH_TRY_LET(children, parse(value));
    const bool member = value.get_object().contains(".") || children.empty();
    nodes.push_back({std::move(element), member, std::move(children)});
  }
  return of(std::move(nodes));
}

Result<FieldSet> FieldSet::parse_text(std::string_view fields_v1) {
  FieldsCursor cursor(fields_v1);
  FieldSet out;
  if (!cursor.take('{')) return bad_request("FieldsV1 must be an object");
  cursor.take(FieldsCursor::kMember);  // nobody owns the whole as such
  if (!read_members(cursor, out.nodes_)) return bad_request("the text is no FieldsV1 in canonical form");
  return out;
}

FieldSet FieldSet::of(std::vector<Node> nodes) {
  const auto before = [](const Node& a, const Node& b) { return a.element < b.element; };
  if (!std::is_sorted(nodes.begin(), nodes.end(), before)) std::stable_sort(nodes.begin(), nodes.end(), before);
  FieldSet out;
  out.nodes_.reserve(nodes.size());
  for (auto first = nodes.begin(); first != nodes.end();) {
    const auto end = std::find_if(first + 1, nodes.end(), [&](const Node& n) { return n.element != first->element; });
    if (end - first > 1) {
      std::vector<FieldSet> children;
      for (auto node = first; node != end; ++node) {
        first->member = first->member || node->member;
        children.push_back(std::move(node->children));
      }
      first->children = union_of(std::move(children));
    }
    out.nodes_.push_back(std::move(*first));
    first = end;
  }
  return out;
}

FieldSet FieldSet::union_of(std::vector<FieldSet> sets) {
  if (sets.size() == 1) return std::move(sets.front());
  std::vector<Node> all;
  for (FieldSet& set : sets) std::move(set.nodes_.begin(), set.nodes_.end(), std::back_inserter(all));
  return of(std::move(all));
}

json::Value FieldSet::to_json() const {
  json::Object out;
  out.reserve(nodes_.size() + 1);
  for (const Node& node : nodes_) {
    auto children = node.children.to_json();
    if (node.member && !node.children.empty()) children.get_object()["."] = json::Object();
    out.emplace(node.element, std::move(children));
  }
  return out;
}

void FieldSet::write_to(std::string& out) const {
  out += '{';
  write_members(out);
  out += '}';
}

void FieldSet::write_members(std::string& out) const {
  for (const Node& node : nodes_) {
    if (out.back() != '{') out += ',';
    json::write_string(out, node.element);
    out += ":{";
    if (node.member && !node.children.empty()) out += FieldsCursor::kMember;
    node.children.write_members(out);
    out += '}';
  }
}

const FieldSet::Node* FieldSet::find(std::string_view element) const {
  const auto place = std::lower_bound(nodes_.begin(), nodes_.end(), element, by_element);
  return place != nodes_.end() && place->element == element ? &*place : nullptr;
}

FieldSet::Node& FieldSet::at(std::string_view element) {
  auto place = std::lower_bound(nodes_.begin(), nodes_.end(), element, by_element);
  if (place == nodes_.end() || place->element != element) {
    place = nodes_.insert(place, Node{std::string(element), false, {}});
  }
  return *place;
}

void FieldSet::unite(FieldSet other) {
  if (other.empty()) return;
  if (empty()) {
    nodes_ = std::move(other.nodes_);
    return;
  }
  std::vector<Node> both;
  both.reserve(nodes_.size() + other.nodes_.size());
  auto ours = nodes_.begin();
  for (Node& theirs : other.nodes_) {
    while (ours != nodes_.end() && ours->element < theirs.element) both.push_back(std::move(*ours++));
    if (ours == nodes_.end() || ours->element != theirs.element) {
      both.push_back(std::move(theirs));
      continue;
    }
    ours->member = ours->member || theirs.member;
    ours->children.unite(std::move(theirs.children));
    both.push_back(std::move(*ours++));
  }
  std::move(ours, nodes_.end(), std::back_inserter(both));
  nodes_ = std::move(both);
}

void FieldSet::subtract(const FieldSet& other) {
  if (other.empty()) return;
  for (Node& ours : nodes_) {
    const Node* theirs = other.find(ours.element);
    if (theirs == nullptr) continue;
    if (theirs->member) ours.member = false;
    ours.children.subtract(theirs->children);
  }
  std::erase_if(nodes_, [](const Node& node) { return !node.member && node.children.empty(); });
}

FieldSet FieldSet::intersection(const FieldSet& other) const {
  FieldSet out;
  for (const Node& ours : nodes_) {
    const Node* theirs = other.find(ours.element);
    if (theirs == nullptr) continue;
    Node both{ours.element, ours.member && theirs->member, ours.children.intersection(theirs->children)};
    if (both.member || !both.children.empty()) out.nodes_.push_back(std::move(both));
  }
  return out;
}

bool FieldSet::intersects(const FieldSet& other) const {
  return std::any_of(nodes_.begin(), nodes_.end(), [&](const Node& ours) {
    const Node* theirs = other.find(ours.element);
    return theirs != nullptr && ((ours.member && theirs->member) || ours.children.intersects(theirs->children));
  });
}

bool FieldSet::operator==(const FieldSet& other) const {
  return std::equal(nodes_.begin(), nodes_.end(), other.nodes_.begin(), other.nodes_.end(),
                    [](const Node& a, const Node& b) {
                      return a.element == b.element && a.member == b.member && a.children == b.children;
                    });
}

size_t FieldSet::count() const {
  size_t out = 0;
  for (const Node& node : nodes_) out += (node.member ? 1 : 0) + node.children.count();
  return out;
}

std::vector<std::string> FieldSet::paths(size_t max_bytes) const {
  std::vector<std::string> out;
  std::string path;
  collect_paths(path, max_bytes, out);
  return out;
}

void FieldSet::collect_paths(std::string& path, size_t& left, std::vector<std::string>& out) const {
  const size_t above = path.size();
  for (const Node& node : nodes_) {
    path += readable_element(node.element);
    if (path.size() > left) left = 0;
    if (left == 0) return;
    if (node.member) {
      left -= path.size();
      out.push_back(path);
    }
    node.children.collect_paths(path, left, out);
    path.resize(above);
  }
}

}  // namespace chandler::meta
