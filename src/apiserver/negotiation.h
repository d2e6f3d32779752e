// Which form the answer takes: media type by Accept, and the transformations Table and PartialObjectMetadata.
#pragma once

#include <string>
#include <string_view>

#include "apiserver/request_info.h"
#include "base/result.h"
#include "http/message.h"

namespace chandler::apiserver {

enum class MediaType { kJson, kYaml };
enum class Shape { kObject, kTable, kPartialMetadata };

struct Output {
  MediaType media = MediaType::kJson;
  Shape shape = Shape::kObject;
  std::string shape_version;  // of meta.k8s.io: v1 or v1beta1
  bool pretty = false;
  enum class Include { kNone, kMetadata, kObject } include = Include::kMetadata;  // Table rows

  std::string_view content_type() const { return media == MediaType::kJson ? "application/json" : "application/yaml"; }
};

// One clause of an Accept header: "application/json;as=Table;v=v1;g=meta.k8s.io".
struct AcceptClause {
  std::string type;
  std::vector<std::pair<std::string, std::string>> parameters;
  std::string_view parameter(std::string_view name) const;
};
// In order of preference: by weight (q), then as the client lists them.
std::vector<AcceptClause> parse_accept(std::string_view accept);

// NotAcceptable when no clause can be met. `shapes` says what the answer is: a list's metadata goes by another name
// than an object's, and what is no resource has no shapes.
enum class Shapes { kNone, kObject, kList };
Result<Output> negotiate(const http::Request& request, const QueryParameters& query, Shapes shapes);

// Of discovery: "v2" or "v2beta1" when the client prefers the aggregated form to plain JSON, else "".
std::string_view aggregated_version(std::string_view accept);

bool accepts_gzip(const http::Request& request);

}  // namespace chandler::apiserver
