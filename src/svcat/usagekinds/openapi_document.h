// Where the schema of a kind comes from: the server's OpenAPI document or, on servers that have none for it, the
// CustomResourceDefinition.
#pragma once

#include "resolve/label_path.h"
#include "svcat/catalog/discovery.h"

namespace chandler::svcat {

// An OpenAPI 3 document that describes the kind; null: the server does not tell.
Result<json::Value> openapi_document(Catalog& catalog, const DiscoveredKind& kind);

// The schema of the kind, with references in it; null when the document does not describe it.
const json::Value* schema_of_kind(const json::Value& document, const DiscoveredKind& kind);
// The same with everything that it refers to put in place along the path, and nothing beside it; a null value as above.
json::Value schema_along(const json::Value& document, const DiscoveredKind& kind, const resolve::LabelPath& path);
// Where a reference, or a chain of them, leads; the schema itself when it is none.
const json::Value& dereferenced(const json::Value& document, const json::Value& schema);

}  // namespace chandler::svcat
