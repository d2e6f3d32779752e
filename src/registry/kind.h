// A Kind is everything the engine knows about one served resource. It is read from data: the CustomResourceDefinition
// in api/<group>/<plural>.yaml with its KindRules document, or a CustomResourceDefinition that somebody created at run
// time. Immutable once loaded; shared by all threads.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "json/json_path.h"
#include "json/value.h"
#include "meta/field_error.h"
#include "meta/gvk.h"
#include "meta/names.h"
#include "meta/schema.h"

namespace chandler::cel {
class SchemaRules;
}

namespace chandler::registry {

// A column of the server-side table: a path into the document, or a cell computed by code (api/COMPUTED.md).
struct Column {
  std::string name;
  std::string type;
  std::string format;
  std::string description;
  int priority = 0;
  std::optional<json::JsonPath> path;
  std::string computed;
  json::Value fallback;  // cell when the path leads nowhere
};

// A field that selectors may use; its value is extracted when an object is written and kept in an index.
struct SelectableField {
  std::string label;              // as the client writes it: "spec.externalName"
  std::vector<std::string> path;  // where it is in the document
  std::string fallback;           // what an absent field counts as
  bool fold = false;              // A-Z of the value count as a-z: selects without regard to case
  bool operator==(const SelectableField&) const = default;
};

struct ScalePaths {
  std::vector<std::string> spec_replicas;
  std::vector<std::string> status_replicas;
  std::vector<std::string> label_selector;
};

struct Version {
  std::string name;
  std::string api_version;  // with the group, as objects name it; derived by Kind::finish()
  bool served = true;
  bool storage = false;
  bool deprecated = false;
  std::string deprecation_warning;
  meta::SchemaPtr schema;
  std::shared_ptr<const cel::SchemaRules> rules;  // x-kubernetes-validations; null: none
  bool has_status = false;
  std::optional<ScalePaths> scale;
  std::vector<Column> columns;
  std::vector<SelectableField> selectable;
};

enum class Verb { kGet, kList, kWatch, kCreate, kUpdate, kPatch, kDelete, kDeleteCollection };
inline constexpr unsigned kAllVerbs = 0xff;
constexpr unsigned bit(Verb verb) { return 1u << static_cast<unsigned>(verb); }
std::string_view verb_name(Verb verb);

struct Kind {
  std::string group;
  std::string plural;
  std::string singular;
  std::string kind;
  std::string list_kind;
  std::vector<std::string> short_names;
  std::vector<std::string> categories;
  bool namespaced = true;
  std::vector<Version> versions;  // in order of preference; exactly one is the storage version

  // From KindRules; the defaults are what a custom resource does.
  bool builtin = false;
  meta::NameRule name_rule = meta::NameRule::kDns1123Subdomain;
  bool generation = true;
  bool create_on_update = false;
  bool unconditional_update = false;
  bool delete_returns_object = false;
  bool graceful = false;  // a deletion may take a grace period
  bool encrypted = false;
  bool stored = true;
  unsigned verbs = kAllVerbs;
  std::vector<std::vector<std::string>> immutable;  // paths that never change
  std::vector<std::vector<std::string>> set_once;   // paths that may be filled in, but not changed or removed
  std::string stored_as;                            // "core/events": shares the storage of that kind

  // Of the CustomResourceDefinition object; empty for what the program brings along.
  std::string crd_uid;
  int64_t crd_generation = 0;
  bool terminating = false;  // its definition is being deleted: no new objects

  bool allows(Verb verb) const { return (verbs & bit(verb)) != 0; }
  const Version* version(std::string_view name) const;  // null when unknown or not served
  const Version& storage_version() const;

  // "core/configmaps/": the prefix of its keys in the store.
  const std::string& prefix() const { return prefix_; }
  std::string key(std::string_view ns, std::string_view name) const;

  // For messages: resource name (most errors) or Kind (validation).
  ObjectRef ref(std::string_view name = "") const { return {group, plural, std::string(name), ""}; }
  ObjectRef kind_ref(std::string_view name) const { return {group, kind, std::string(name), ""}; }

  void finish();  // derives what is derived; called once by the loader

 private:
  std::string prefix_;
};

using KindPtr = std::shared_ptr<const Kind>;

}  // namespace chandler::registry
