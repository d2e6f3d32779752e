// From what callers of State ask for to what collections and servers understand. Pure.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "client/api.h"
#include "registry/query.h"

namespace chandler::client {

// {"spec.externalName", "mysql"} -> "spec.externalName=mysql", values escaped; several are joined by commas.
std::string field_selector(const std::vector<std::pair<std::string, std::string>>& fields);

// Bound to the storage version of the kind. A field that is not selectable is BadRequest.
Result<registry::Query> query_for(const registry::Kind& kind, const Selection& selection);

// The value of a selectable field of a document of the kind; metadata.name and metadata.namespace too. "": none.
std::string_view field_value(const registry::Kind& kind, const registry::Document& document, std::string_view field);

}  // namespace chandler::client
