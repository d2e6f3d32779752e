#include "registry/kind_rules.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "registry/kind_loader.h"

namespace chandler::registry {
namespace {

using meta::FieldErrors;
using meta::Path;

constexpr std::string_view kApiVersion = "chandler.io/v1";
constexpr std::string_view kDocumentKind = "KindRules";

constexpr std::array kNameRules{
    std::pair{std::string_view("dns1123-subdomain"), meta::NameRule::kDns1123Subdomain},
    std::pair{std::string_view("dns1123-label"), meta::NameRule::kDns1123Label},
    std::pair{std::string_view("dns1035-label"), meta::NameRule::kDns1035Label},
    std::pair{std::string_view("path-segment"), meta::NameRule::kPathSegment},
};

// --- values ----------------------------------------------------------------------------------------------------------

// Null, after a fault, if it is not a text.
const json::String* text_of(const json::Value& value, const Path& path, FieldErrors& errors) {
  if (value.is_string() && !value.get_string().empty()) return &value.get_string();
  errors.type_invalid(path, value, "must be a text that is not empty");
  return nullptr;
}

// Calls read(item, path) for each item.
template <typename Read>
void read_list(const json::Value& value, const Path& path, FieldErrors& errors, Read read) {
  if (!value.is_array()) return errors.type_invalid(path, value, "must be a list");
  const auto& items = value.get_array();
  for (size_t i = 0; i < items.size(); ++i) read(items[i], path.index(i));
}

enum class Takes { kText, kFlag, kNumber, kAnything };
struct Member {
  std::string_view key;
  Takes takes;
};

bool fits(const json::Value& value, Takes takes) {
  switch (takes) {
    case Takes::kText:
      return value.is_string();
    case Takes::kFlag:
      return value.is_bool();
    case Takes::kNumber:
      return value.is_int64();
    case Takes::kAnything:
      return true;
  }
  return false;
}

// True for an object that has none but these members.
bool is_object_of(const std::vector<Member>& members, const json::Value& value, const Path& path, FieldErrors& errors) {
  if (!value.is_object()) {
    errors.type_invalid(path, value, "must be an object");
    return false;
  }
  const size_t before = errors.size();
  for (const auto& [key, item] : value.get_object()) {
    const auto known = std::find_if(members.begin(), members.end(), [&](const auto& m) { return m.key == key; });
    if (known == members.end()) {
      errors.forbidden(path.member(key), "unknown key");
    } else if (!fits(item, known->takes)) {
      errors.type_invalid(path.member(key), item, "has the wrong type");
    }
  }
  return errors.size() == before;
}

// --- keys ------------------------------------------------------------------------------------------------------------

template <bool Kind::*kMember>
void read_flag(const json::Value& value, const Path& path, Kind& kind, FieldErrors& errors) {
  if (!value.is_bool()) return errors.type_invalid(path, value, "must be true or false");
  kind.*kMember = value.get_bool();
}

template <std::vector<std::vector<std::string>> Kind::*kMember>
void read_paths(const json::Value& value, const Path& path, Kind& kind, FieldErrors& errors) {
  read_list(value, path, errors, [&](const json::Value& item, const Path& at) {
    if (const auto* text = text_of(item, at, errors)) (kind.*kMember).push_back(path_names(json::view(*text)));
  });
}

void read_name_rule(const json::Value& value, const Path& path, Kind& kind, FieldErrors& errors) {
  const auto found = std::find_if(kNameRules.begin(), kNameRules.end(), [&](const auto& rule) {
    return value.is_string() && json::view(value.get_string()) == rule.first;
  });
  if (found != kNameRules.end()) {
    kind.name_rule = found->second;
    return;
  }
  std::vector<std::string> supported;
  for (const auto& [name, rule] : kNameRules) supported.emplace_back(name);
  errors.not_supported(path, value, supported);
}

void read_verbs(const json::Value& value, const Path& path, Kind& kind, FieldErrors& errors) {
  constexpr unsigned kVerbs = 8;
  kind.verbs = 0;
  read_list(value, path, errors, [&](const json::Value& item, const Path& at) {
    std::vector<std::string> supported;
    for (unsigned v = 0; v < kVerbs; ++v) {
      supported.emplace_back(verb_name(static_cast<Verb>(v)));
      if (!item.is_string() || json::view(item.get_string()) != supported.back()) continue;
      kind.verbs |= bit(static_cast<Verb>(v));
      return;
    }
    errors.not_supported(at, item, supported);
  });
}

void read_stored_as(const json::Value& value, const Path& path, Kind& kind, FieldErrors& errors) {
  if (const auto* text = text_of(value, path, errors)) kind.stored_as = json::view(*text);
}

void read_columns(const json::Value& value, const Path& path, Kind& kind, FieldErrors& errors) {
  static const std::vector<Member> kMembers{{"name", Takes::kText},        {"type", Takes::kText},
                                            {"format", Takes::kText},      {"priority", Takes::kNumber},
                                            {"description", Takes::kText}, {"jsonPath", Takes::kText},
                                            {"default", Takes::kAnything}, {"computed", Takes::kText}};
  for (auto& version : kind.versions) version.columns.clear();
  read_list(value, path, errors, [&](const json::Value& item, const Path& at) {
    if (!is_object_of(kMembers, item, at, errors)) return;
    for (auto& version : kind.versions) version.columns.push_back(load_column(item, at, errors));
  });
}

void read_selectable_fields(const json::Value& value, const Path& path, Kind& kind, FieldErrors& errors) {
  static const std::vector<Member> kMembers{
      {"field", Takes::kText}, {"path", Takes::kText}, {"default", Takes::kText}, {"fold", Takes::kFlag}};
  read_list(value, path, errors, [&](const json::Value& item, const Path& at) {
    if (!is_object_of(kMembers, item, at, errors)) return;
    SelectableField field;
    field.label = json::string_or(item, "field");
    if (field.label.empty()) return errors.required(at.member("field"));
    field.path = path_names(json::string_or(item, "path", field.label));
    field.fallback = json::string_or(item, "default");
    field.fold = json::bool_at(item, "fold").value_or(false);
    for (auto& version : kind.versions) {
      std::erase_if(version.selectable, [&](const SelectableField& other) { return other.label == field.label; });
      version.selectable.push_back(field);
    }
  });
}

constexpr std::array kRules{
    KindRule{"builtin", "true, false", "false",
             "a kind of Kubernetes itself: list items carry no kind, bodies may lack it, strategic merge works",
             read_flag<&Kind::builtin>},
    KindRule{"nameRule", "`dns1123-subdomain`, `dns1123-label`, `dns1035-label`, `path-segment`", "`dns1123-subdomain`",
             "which names objects may have", read_name_rule},
    KindRule{"generation", "true, false", "true", "the server counts `metadata.generation`",
             read_flag<&Kind::generation>},
    KindRule{"createOnUpdate", "true, false", "false", "PUT of a name that does not exist creates the object",
             read_flag<&Kind::create_on_update>},
    KindRule{"unconditionalUpdate", "true, false", "false", "PUT may lack a resourceVersion",
             read_flag<&Kind::unconditional_update>},
    KindRule{"deleteReturnsObject", "true, false", "false", "DELETE answers the object, not a Status",
             read_flag<&Kind::delete_returns_object>},
    KindRule{"graceful", "true, false", "false", "a deletion may take a grace period", read_flag<&Kind::graceful>},
    KindRule{"encrypted", "true, false", "false", "objects are sealed at rest", read_flag<&Kind::encrypted>},
    KindRule{"stored", "true, false", "true", "false: the server answers requests and stores nothing, as for reviews",
             read_flag<&Kind::stored>},
    KindRule{"storedAs", "a kind, as `core/events`", "", "the kind shares the objects of that one", read_stored_as},
    KindRule{"verbs", "a list of verbs of RBAC", "all", "what clients may do with the kind", read_verbs},
    KindRule{"immutable", "a list of paths", "none", "fields that never change after creation",
             read_paths<&Kind::immutable>},
    KindRule{"setOnce", "a list of paths", "none", "fields that may be filled in later, but not changed or removed",
             read_paths<&Kind::set_once>},
    KindRule{"columns", "a list of columns", "those of the definition",
             "the columns of tables, in place of "
             "`additionalPrinterColumns`; Name comes first unless it is given",
             read_columns},
    KindRule{"selectableFields", "a list of fields", "those of the definition",
             "fields for field selectors, besides `metadata.name` and `metadata.namespace`", read_selectable_fields},
};

}  // namespace

std::span<const KindRule> kind_rules() { return kRules; }

void read_kind_rules(const json::Value& document, Kind& kind, FieldErrors& errors) {
  if (!document.is_object()) return errors.type_invalid(Path(), document, "must be an object");
  if (json::string_or(document, "apiVersion") != kApiVersion || json::string_or(document, "kind") != kDocumentKind) {
    errors.invalid(Path("kind"), json::string_or(document, "kind"), "must be KindRules of chandler.io/v1");
  }
  for (const auto& member : document.get_object()) {
    const std::string_view key = member.key();
    if (key == "apiVersion" || key == "kind") continue;
    const auto rule = std::find_if(kRules.begin(), kRules.end(), [&](const auto& known) { return known.key == key; });
    if (rule == kRules.end()) {
      errors.forbidden(Path(key), "unknown key; api/README.md lists those that there are");
    } else {
      rule->read(member.value(), Path(key), kind, errors);
    }
  }
}

}  // namespace chandler::registry
