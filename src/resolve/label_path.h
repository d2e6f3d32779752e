// Where in an object the labels of its pods stand: spec.template.metadata.labels. Names are separated by dots; one that
// holds a dot or another unusual character is written ['a.b']. There are no indexes and no wildcards: labels belong to
// one place. Immutable. Pure, thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/value.h"

namespace chandler::resolve {

constexpr size_t kLongestLabelPath = 512;
constexpr size_t kDeepestLabelPath = 32;

class LabelPath {
 public:
  // A BadRequest says what is wrong and where. Also refused are places that the server keeps for itself: status,
  // apiVersion, kind, and everything in metadata but its labels.
  static Result<LabelPath> parse(std::string_view text);

  const std::vector<std::string>& names() const { return names_; }  // at least one
  std::string str() const { return prefix(names_.size()); }         // the one spelling of this path
  std::string prefix(size_t count) const;                           // the same of its first names
  bool operator==(const LabelPath&) const = default;

 private:
  std::vector<std::string> names_;
};

struct PathVerdict {
  enum class Kind {
    kFound,
    kMissing,    // the schema has no such field: what is written there would be dropped
    kNotLabels,  // there is a field, but not one for a map of texts
  };
  Kind kind = Kind::kFound;
  std::string message;  // for people; empty when found
};

// Whether objects with this structural schema can hold labels at the path. `schema` is that of the whole object.
PathVerdict judge_label_path(const json::Value& schema, const LabelPath& path);

}  // namespace chandler::resolve
