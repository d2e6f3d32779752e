#include "meta/schema_node.h"

#include <algorithm>
#include <cmath>

namespace chandler::meta {
namespace {

bool is_integer(const json::Value& value) {
  return value.is_int64() || value.is_uint64() ||
         (value.is_double() && std::floor(value.get_double()) == value.get_double());
}

}  // namespace

const SchemaNode* SchemaNode::property(std::string_view name) const {
  // Few properties are told apart by their lengths and last letters sooner than by halving.
  constexpr size_t kFew = 48;
  if (properties.size() <= kFew) {
    const char last = name.empty() ? '\0' : name.back();
    for (const Property& p : properties) {
      if (p.name.size() == name.size() && (name.empty() || p.name.back() == last) && p.name == name) return p.schema;
    }
    return nullptr;
  }
  const auto found = std::lower_bound(properties.begin(), properties.end(), name,
                                      [](const Property& p, std::string_view wanted) { return p.name < wanted; });
  return found != properties.end() && found->name == name ? found->schema : nullptr;
}

const SchemaNode* SchemaNode::member(std::string_view name) const {
  const SchemaNode* known = property(name);
  return known != nullptr ? known : additional;
}

bool SchemaNode::accepts_type(const json::Value& value) const {
  if (types == 0) return true;
  switch (value.kind()) {
    case boost::json::kind::object:
      return (types & kTypeObject) != 0;
    case boost::json::kind::array:
      return (types & kTypeArray) != 0;
    case boost::json::kind::string:
      return (types & kTypeString) != 0;
    case boost::json::kind::bool_:
      return (types & kTypeBoolean) != 0;
    case boost::json::kind::null:
      return (types & kTypeNull) != 0 || has(kNullable);
    case boost::json::kind::int64:
    case boost::json::kind::uint64:
    case boost::json::kind::double_:
      return (types & kTypeNumber) != 0 || ((types & kTypeInteger) != 0 && is_integer(value));
  }
  return false;
}

std::string SchemaNode::type_names() const {
  std::string names;
  for (auto [bit, name] : {std::pair{kTypeObject, "object"},
                           {kTypeArray, "array"},
                           {kTypeString, "string"},
                           {kTypeInteger, "integer"},
                           {kTypeNumber, "number"},
                           {kTypeBoolean, "boolean"},
                           {kTypeNull, "null"}}) {
    if ((types & bit) != 0) names.append(names.empty() ? "" : " or ").append(name);
  }
  return names;
}

}  // namespace chandler::meta
