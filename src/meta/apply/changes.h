// What a write changes in a document, place by place: what ordinary writes and server-side apply make their records of.
// Pure; not thread-safe. The names of members are those of the documents, which must outlive this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "json/value.h"
#include "meta/apply/field_set.h"
#include "meta/apply/place.h"

namespace chandler::meta {

// A tree written down flat, since it is read once and from front to back: a place is followed by all that is below it,
// and neighbours are in the order of FieldsV1. No place stands without a change in or below it.
class Changes {
 public:
  enum What : uint8_t { kAdded = 1, kModified = 2, kRemoved = 4 };
  static constexpr uint8_t kTaken = kAdded | kModified;  // what is the writer's from now on

  struct Node {
    char prefix = 'f';      // of the element: f, k or v
    uint8_t what = 0;       // with the place itself, one bit each
    std::string_view name;  // the element without its prefix
    size_t below = 0;       // how many follow that are below it

    // As texts are compared: below zero when it comes before this element.
    int compare(std::string_view element) const {
      return prefix != element[0] ? prefix - element[0] : name.compare(element.substr(2));
    }
  };
  using Nodes = std::span<const Node>;

  // Items of sets and of map lists are matched by what they are, so their order does not count.
  static Changes between(const SchemaNode* schema, const json::Value& old, const json::Value& now,
                         const FieldScope& scope);
  // All fields of an object that was not there before.
  static Changes of_new(const SchemaNode* schema, const json::Value& object, const FieldScope& scope);

  Changes(Changes&&) = default;
  Changes& operator=(Changes&&) = default;
  Changes(const Changes&) = delete;  // names are views of elements that are here
  Changes& operator=(const Changes&) = delete;

  Nodes nodes() const { return {nodes_.data(), nodes_.size()}; }
  bool empty() const { return nodes_.empty(); }
  bool any(uint8_t what) const;
  FieldSet places(uint8_t what) const;  // those with one of these bits

  // The place with this element in a level, the nodes below one place (or nodes()), together with all that is below it;
  // empty when it is not there. Elements are asked for in order. A short level is stepped through; a long one is
  // searched, because many records may each ask for few places of many.
  Nodes seek(Nodes& level, std::string_view element) const;

 private:
  friend class ChangeFinder;

  Changes() = default;
  const std::vector<size_t>& neighbours_in(Nodes level) const;

  boost::container::small_vector<Node, 64> nodes_;
  std::forward_list<std::string> elements_;  // what names of items are part of
  // Of the long levels that were searched, by where they begin: where in the level its own places are.
  mutable std::unordered_map<size_t, std::vector<size_t>> neighbours_;
};

inline Changes::Nodes below_first(Changes::Nodes nodes) { return nodes.subspan(1, nodes.front().below); }
inline Changes::Nodes after_first(Changes::Nodes nodes) { return nodes.subspan(1 + nodes.front().below); }

}  // namespace chandler::meta
