// The kinds that are part of the program, loaded once for all tests of this module; and the recorded exchanges that
// they are compared with.
#pragma once

#include <algorithm>
#include <string>

#include "base/check.h"
#include "base/file.h"
#include "json/reader.h"
#include "registry/kind_loader.h"
#include "registry/kinds.h"
#include "support/source_path.h"

namespace chandler::apiserver::testing {

inline const std::vector<registry::KindPtr>& embedded_kinds() {
  static const auto loaded = [] {
    auto result = registry::EmbeddedKinds::load();
    CH_CHECK(result.ok());
    return std::move(result).value();
  }();
  return loaded->kinds();
}

inline registry::KindPtr embedded_kind(std::string_view group, std::string_view plural) {
  for (const auto& kind : embedded_kinds()) {
    if (kind->group == group && kind->plural == plural) return kind;
  }
  return nullptr;
}

// A custom resource definition as a client would create it: Widget in example.com, with these versions.
inline json::Value widget_definition(json::Array versions) {
  return json::Object{
      {"metadata", json::Object{{"name", "widgets.example.com"}, {"uid", "8a1b9e5e-0000-4000-8000-000000000001"}}},
      {"spec", json::Object{{"group", "example.com"},
                            {"scope", "Namespaced"},
                            {"names", json::Object{{"plural", "widgets"},
                                                   {"singular", "widget"},
                                                   {"kind", "Widget"},
                                                   {"shortNames", json::Array{"wg"}},
                                                   {"categories", json::Array{"all"}}}},
                            {"versions", std::move(versions)}}}};
}

inline registry::KindPtr load_custom(const json::Value& definition) {
  meta::FieldErrors errors;
  auto kind = registry::load_kind(definition, nullptr, nullptr, errors);
  CH_CHECK(kind != nullptr);
  return kind;
}

inline json::Value parsed(std::string_view text) {
  auto value = json::parse(text);
  CH_CHECK(value.ok());
  return std::move(value).value();
}

// A vector of tests/compat/<area>.json.
inline json::Value recorded(const std::string& area, std::string_view id) {
  const auto path = chandler::testing::source_path("tests/compat") / (area + ".json");
  auto text = read_file(path.string());
  CH_CHECK(text.ok());
  const auto document = parsed(*text);
  const auto& vectors = *json::array_at(document, "vectors");
  const auto found = std::find_if(vectors.begin(), vectors.end(),
                                  [&](const json::Value& vector) { return json::string_at(vector, "id") == id; });
  CH_CHECK(found != vectors.end());
  return *found;
}

}  // namespace chandler::apiserver::testing
