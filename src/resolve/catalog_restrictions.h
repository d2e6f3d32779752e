// Catalog restrictions of a broker: which classes and plans of its catalog become objects. Parsed once, immutable,
// thread-safe.
//
//   restriction  = requirement *("," requirement)          all must hold, over all strings
//   requirement  = property ("=" | "==" | "!=") value
//                | property ("in" | "notin") "(" value *("," value) ")"
//   value        = word | '"' text '"' | "'" text "'"      a word is free of blanks and of , ( ) = ! < > " '
//
// In quotes a backslash takes the next character as it is, so that every value can be written. What is a label selector
// with these operators means the same here.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "meta/field_error.h"
#include "resolve/value_set.h"

namespace chandler::resolve {

enum class RestrictedKind { kClass, kClusterPlan, kPlan };

// What a restriction can ask for.
struct CatalogEntry {
  std::string_view name{};
  std::string_view external_name{};
  std::string_view external_id{};
  bool free = false;              // plans
  std::string_view class_name{};  // plans: object name of the class
};

class CatalogRestrictions {
 public:
  // Faults are reported per string at path[i], with the position in the string; nullopt when there were any.
  static std::optional<CatalogRestrictions> parse(std::span<const std::string> texts, RestrictedKind kind,
                                                  const meta::Path& path, meta::FieldErrors& errors);

  bool empty() const { return requirements_.empty(); }
  bool matches(const CatalogEntry& entry) const;
  std::string str() const;  // canonical form; parses to the same

 private:
  enum class Property { kName, kExternalName, kExternalId, kFree, kClassName };
  struct Requirement {
    Property property = Property::kName;
    std::string key;
    bool negated = false;
    std::vector<std::string> values;  // sorted, unique
  };
  class Parser;

  std::vector<Requirement> requirements_;
  std::map<Property, ValueSet> allowed_;  // what all of them leave: a catalog may be as long as the restrictions
};

// The properties that a restriction of this kind may name.
std::vector<std::string_view> restriction_properties(RestrictedKind kind);

}  // namespace chandler::resolve
