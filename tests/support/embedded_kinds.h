// The kinds that are part of the program, for tests of modules that reach objects through the client only: does a
// document fit its kind, and does a path exist?
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/text.h"
#include "client/api.h"
#include "registry/kind_loader.h"

namespace chandler::testing {

inline const std::vector<registry::KindPtr>& embedded_kinds() {
  static const auto loaded = [] {
    auto result = registry::EmbeddedKinds::load();
    CH_CHECK(result.ok());
    return std::move(result).value();
  }();
  return loaded->kinds();
}

// The kind that a CustomResourceDefinition makes.
inline registry::KindPtr kind_of_crd(const json::Value& crd) {
  meta::FieldErrors errors;
  auto kind = registry::load_kind(crd, nullptr, nullptr, errors);
  CH_CHECK(kind != nullptr);
  return kind;
}

inline const registry::Kind& embedded_kind(const client::KindName& name) {
  for (const auto& kind : embedded_kinds()) {
    if (kind->group == name.group && kind->plural == name.plural) return *kind;
  }
  CH_CHECK(false);
  std::abort();
}

inline bool has_path(const client::KindName& kind, std::string_view path) {
  std::vector<std::string> names;
  for (const auto piece : split(path, '.')) names.emplace_back(piece);
  return meta::schema_at(*embedded_kind(kind).storage_version().schema, names) != nullptr;
}

inline bool is_selectable(const client::KindName& kind, std::string_view field) {
  const auto& fields = embedded_kind(kind).storage_version().selectable;
  return std::any_of(fields.begin(), fields.end(), [&](const auto& each) { return each.label == field; });
}

// What the server would find wrong with the document, or drop from it; empty when nothing.
inline std::string faults_of(const client::KindName& kind, json::Value document) {
  const auto& schema = *embedded_kind(kind).storage_version().schema;
  std::vector<std::string> unknown;
  meta::prune(schema, document, &unknown);
  std::string out;
  for (const auto& path : unknown) out += path + ": unknown field; ";
  meta::FieldErrors errors;
  meta::validate(schema, document, nullptr, meta::Path(), errors);
  for (const auto& cause : errors.causes()) out += cause.field + ": " + cause.message + "; ";
  return out;
}

}  // namespace chandler::testing
