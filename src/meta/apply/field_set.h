// A set of places in a document, as ownership of fields is written down (FieldsV1). A place is a path of elements in
// the notation of the API: f:<member>, k:<keys of a list's item>, v:<value of a set's item>, i:<index>. The set of
// paths is kept as a tree; a node that is itself in the set is a member ("." in FieldsV1, when it has children too).
// A value type; not thread-safe beyond that.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/value.h"

namespace chandler::meta {

class FieldSet {
 public:
  struct Node;

  // Elements are brought into canonical form. What is no FieldsV1 is BadRequest.
  static Result<FieldSet> parse(const json::Value& fields_v1);
  // The same from text in canonical form, as write_to() writes it.
  static Result<FieldSet> parse_text(std::string_view fields_v1);
  // Nodes in any order; those of the same element become one.
  static FieldSet of(std::vector<Node> nodes);
  // The union of many: to unite them one after the other would go over the same nodes again each time.
  static FieldSet union_of(std::vector<FieldSet> sets);
  json::Value to_json() const;
  void write_to(std::string& out) const;  // the same as canonical text, appended

  bool empty() const { return nodes_.empty(); }              // no node stands without a member in or below it
  const std::vector<Node>& nodes() const { return nodes_; }  // by element, in the order of bytes
  std::vector<Node>& nodes() { return nodes_; }              // elements are not to be changed
  const Node* find(std::string_view element) const;
  // The place right below, made when it is missing; cheap when elements come in order. Who makes one also makes a
  // member in or below it.
  Node& at(std::string_view element);

  void unite(FieldSet other);
  void subtract(const FieldSet& other);
  FieldSet intersection(const FieldSet& other) const;
  bool intersects(const FieldSet& other) const;
  bool operator==(const FieldSet& other) const;

  size_t count() const;  // of members
  // Members as people read them: .spec.ports[port=80].name, .spec.tags[="a"], .spec.list[0]. A path repeats all that
  // is above it, so the texts of a set can be far larger than the set: the first ones, up to `max_bytes` together.
  std::vector<std::string> paths(size_t max_bytes = 64 * 1024) const;

 private:
  void write_members(std::string& out) const;
  void collect_paths(std::string& path, size_t& left, std::vector<std::string>& out) const;

  std::vector<Node> nodes_;
};

struct FieldSet::Node {
  std::string element;
  bool member = false;
  FieldSet children;
};

// What all operations on no set find.
const FieldSet& no_fields();

}  // namespace chandler::meta
