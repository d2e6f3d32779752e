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

// Hands a service's suggestions on to its plans. `listed` is how many plans the broker listed, faulty ones included.
void inherit_suggestions(CatalogEntry& entry, Service& service, size_t listed);

}  // namespace chandler::osb
