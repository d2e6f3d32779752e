#include "apiserver/openapi_paths.h"

#include "apiserver/openapi_operations.h"

namespace chandler::apiserver {
namespace {

using Body = ApiOperation::Body;
using Answer = ApiOperation::Answer;

class PathWriter {
 public:
  PathWriter(const registry::Kind& kind, const registry::Version& version, SchemaSet& schemas)
      : kind_(kind), version_(version), schemas_(schemas), v3_(schemas.dialect() == Dialect::kOpenApi3) {}

  Result<json::Object> item(const ApiPath& path) {
    json::Object out;
    for (const auto& operation : path.operations) {
      CH_TRY_LET(described, describe(operation));
      out[operation.method] = std::move(described);
    }
    json::Array parameters;
    if (path.named) parameters.push_back(in_path({"name", "string", "Name of the object."}));
    if (path.in_namespace) parameters.push_back(in_path({"namespace", "string", "Namespace of the object."}));
    parameters.push_back(parameter(kPretty, "query"));
    out["parameters"] = std::move(parameters);
    return out;
  }

 private:
  Result<json::Object> describe(const ApiOperation& operation) {
    json::Object about = kind_reference(kind_, version_, kind_.kind);
    if (operation.body == Body::kTokenRequest) {
      about = {{"group", "authentication.k8s.io"}, {"version", "v1"}, {"kind", "TokenRequest"}};
    }
    if (operation.answer == Answer::kScale) about = {{"group", "autoscaling"}, {"version", "v1"}, {"kind", "Scale"}};
    json::Object out{{"operationId", operation.id},
                     {"description", operation.description},
                     {"x-kubernetes-action", operation.action},
                     {"x-kubernetes-group-version-kind", std::move(about)}};
    json::Array parameters;
    CH_TRY(add_body(operation, out, parameters));
    for (const auto* source : operation.parameters) parameters.push_back(parameter(*source, "query"));
    if (!parameters.empty()) out["parameters"] = std::move(parameters);
    CH_TRY_LET(answer, answer_schema(operation.answer));
    json::Object ok{{"description", "OK"}};
    if (v3_) {
      ok["content"] = json::Object{{"application/json", json::Object{{"schema", std::move(answer)}}}};
    } else {
      ok["schema"] = std::move(answer);
      out["produces"] = json::Array{"application/json", "application/yaml"};
    }
    json::Object responses;
    if (operation.creates) responses["201"] = ok;
    responses["200"] = std::move(ok);
    out["responses"] = std::move(responses);
    return out;
  }

  // OpenAPI 3 has a member of its own for the body, Swagger 2 counts it among the parameters.
  Result<void> add_body(const ApiOperation& source, json::Object& operation, json::Array& parameters) {
    const Body body = source.body;
    if (body == Body::kNone) return {};
    CH_TRY_LET(schema, body_schema(body));
    const auto types = body == Body::kPatch ? patch_types(kind_) : std::vector<std::string_view>{"*/*"};
    json::Object out;
    if (v3_) {
      json::Object content;
      for (const auto type : types) content[type] = json::Object{{"schema", schema}};
      out["content"] = std::move(content);
    } else {
      out = {{"name", "body"}, {"in", "body"}, {"schema", std::move(schema)}};
      operation["consumes"] = json::Array(types.begin(), types.end());
    }
    if (body != Body::kDeleteOptions) out["required"] = true;
    if (v3_) {
      operation["requestBody"] = std::move(out);
    } else {
      parameters.push_back(std::move(out));
    }
    return {};
  }

  json::Object parameter(const QueryParameter& source, std::string_view place) const {
    json::Object out{{"name", source.name}, {"in", place}, {"description", source.description}};
    json::Object type{{"type", source.type}, {"uniqueItems", true}};
    if (v3_) {
      out["schema"] = std::move(type);
    } else {
      out.insert(type.begin(), type.end());
    }
    return out;
  }

  json::Object in_path(const QueryParameter& source) const {
    auto out = parameter(source, "path");
    out["required"] = true;
    return out;
  }

  Result<json::Object> body_schema(Body body) {
    if (body == Body::kPatch) return schemas_.refer("Patch");
    if (body == Body::kDeleteOptions) return schemas_.refer("DeleteOptions");
    if (body == Body::kTokenRequest) return schemas_.refer("TokenRequest");
    if (body == Body::kScale) return schemas_.refer("Scale");
    return schemas_.refer_to(schema_name(kind_, version_, kind_.kind));
  }

  Result<json::Object> answer_schema(Answer answer) {
    if (answer == Answer::kStatus) return schemas_.refer("Status");
    if (answer == Answer::kTokenRequest) return schemas_.refer("TokenRequest");
    if (answer == Answer::kScale) return schemas_.refer("Scale");
    return schemas_.refer_to(schema_name(kind_, version_, answer == Answer::kList ? kind_.list_kind : kind_.kind));
  }

  const registry::Kind& kind_;
  const registry::Version& version_;
  SchemaSet& schemas_;
  const bool v3_;
};

}  // namespace

Result<void> add_paths(const registry::Kind& kind, const registry::Version& version, SchemaSet& schemas,
                       json::Object& out) {
  PathWriter writer(kind, version, schemas);
  for (const auto& path : api_paths(kind, version)) {
    CH_TRY_LET(item, writer.item(path));
    out[path.path] = std::move(item);
  }
  return {};
}

}  // namespace chandler::apiserver
