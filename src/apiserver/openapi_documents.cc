#include "apiserver/openapi_documents.h"

#include "apiserver/openapi_console.h"
#include "apiserver/openapi_paths.h"
#include "apiserver/openapi_schemas.h"

namespace chandler::apiserver {
namespace {

struct Parts {
  json::Object paths;
  json::Object schemas;
};

Result<Parts> describe(Dialect dialect, std::span<const DescribedKind> kinds) {
  SchemaSet schemas(dialect);
  Parts out;
  for (const auto& [kind, version, schema] : kinds) {
    CH_TRY(schemas.add_kind(*kind, *version, schema));
    CH_TRY(add_paths(*kind, *version, schemas, out.paths));
  }
  out.schemas = schemas.take();
  return out;
}

json::Object info() { return {{"title", "Chandler"}, {"version", CHANDLER_VERSION}}; }

}  // namespace

Result<json::Value> openapi_v3(std::span<const DescribedKind> kinds) {
  CH_TRY_LET(parts, describe(Dialect::kOpenApi3, kinds));
  return json::Value(json::Object{{"openapi", "3.0.0"},
                                  {"info", info()},
                                  {"paths", std::move(parts.paths)},
                                  {"components", json::Object{{"schemas", std::move(parts.schemas)}}}});
}

Result<json::Value> openapi_v2(std::span<const DescribedKind> kinds) {
  CH_TRY_LET(parts, describe(Dialect::kSwagger2, kinds));
  describe_console(Dialect::kSwagger2, parts.paths, parts.schemas);
  return json::Value(json::Object{{"swagger", "2.0"},
                                  {"info", info()},
                                  {"paths", std::move(parts.paths)},
                                  {"definitions", std::move(parts.schemas)}});
}

}  // namespace chandler::apiserver
