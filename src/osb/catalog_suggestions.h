// What a broker suggests beyond the API's own fields: tags of the form Key=Value, and defaults in metadata. What is
// wrong with a suggestion is noted and the suggestion ignored; the entry stays. Pure.
#pragma once

#include <string>
#include <vector>

#include "osb/catalog.h"
#include "osb/catalog_entry.h"

namespace chandler::osb {

Suggestions read_suggestions(CatalogEntry& entry, const std::vector<std::string>& tags);

// Tags of a plan: those of `tags`, which the API does not know, and of `metadata.tags`.
std::vector<std::string> read_plan_tags(CatalogEntry& entry);

// Bytes of attributes that all plans of a catalog may inherit from their services together.
constexpr size_t kMaxInherited = 16 * 1024 * 1024;

// Hands a service's suggestions on to its plans. `listed` is how many plans the broker listed, faulty ones included.
// Attributes are not handed on when they would take more than `bytes_left`, which they use up.
void inherit_suggestions(CatalogEntry& entry, Service& service, size_t listed, size_t& bytes_left);

}  // namespace chandler::osb
