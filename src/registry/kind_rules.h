// The KindRules document of a file in api/: what a CustomResourceDefinition cannot say. It is read strictly: an unknown
// key, a value of another type or an unknown word is a fault that stops the build and the start, because `encrypt:
// true` in place of `encrypted: true` would store plain text.
#pragma once

#include <span>
#include <string_view>

#include "registry/kind.h"

namespace chandler::registry {

// One key of the document. api/README.md shows these as its table; a test compares the two.
struct KindRule {
  std::string_view key;
  std::string_view takes;
  std::string_view if_absent;
  std::string_view meaning;
  void (*read)(const json::Value& value, const meta::Path& path, Kind& kind, meta::FieldErrors& errors);
};
std::span<const KindRule> kind_rules();

// Applies the document to a kind whose definition has been read. Faults have paths inside the document.
void read_kind_rules(const json::Value& document, Kind& kind, meta::FieldErrors& errors);

}  // namespace chandler::registry
