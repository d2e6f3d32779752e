// Makes whole OpenAPI documents out of kinds. Pure; OpenApi (openapi.h) keeps what they give.
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "json/value.h"
#include "registry/kind.h"

namespace chandler::apiserver {

// A kind in one version, with the openAPIV3Schema of its definition.
struct DescribedKind {
  const registry::Kind* kind = nullptr;
  const registry::Version* version = nullptr;
  json::Value schema;
};

Result<json::Value> openapi_v3(std::span<const DescribedKind> kinds);
Result<json::Value> openapi_v2(std::span<const DescribedKind> kinds);

// A Swagger 2 document as protobuf (openapi.v2.Document), as far as openapi_v2() makes use of the format.
std::string openapi_v2_protobuf(const json::Value& swagger);

}  // namespace chandler::apiserver
