// Pieces of bodies that several tables of shapes use.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "cost/cost_lab.h"

namespace chandler::cost {

// A create that is checked in full and not stored.
inline Message create(std::string_view collection, std::string body) {
  return {Method::kPost, fmt::format("{}?dryRun=All", collection), std::move(body)};
}

// n times the pattern, {0} being the number, with commas between them.
inline std::string numbered(size_t n, std::string_view pattern) {
  return repeat(n, [&](size_t i) { return fmt::format(fmt::runtime(pattern), i); });
}

// A CustomResourceDefinition widgets.example.com with this schema of spec, as YAML or JSON.
inline std::string definition(std::string_view spec_schema, std::string_view of_version = "") {
  return fmt::format(
      R"({{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)"
      R"("metadata":{{"name":"widgets.example.com"}},"spec":{{"group":"example.com","scope":"Namespaced",)"
      R"("names":{{"plural":"widgets","singular":"widget","kind":"Widget","listKind":"WidgetList"}},)"
      R"("versions":[{{"name":"v1","served":true,"storage":true{},"schema":{{"openAPIV3Schema":)"
      R"({{"type":"object","properties":{{"spec":{}}}}}}}}}]}}}})",
      of_version, spec_schema);
}

inline constexpr std::string_view kWidgets = "/apis/example.com/v1/namespaces/ns/widgets";

inline std::string widget(std::string_view spec) {
  return fmt::format(R"({{"apiVersion":"example.com/v1","kind":"Widget","metadata":{{"name":"w"}},"spec":{}}})", spec);
}

}  // namespace chandler::cost
