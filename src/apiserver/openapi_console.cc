#include "apiserver/openapi_console.h"

#include <fmt/format.h>

#include "apiserver/console.h"

namespace chandler::apiserver {
namespace {

constexpr std::string_view kPrefix = "io.chandler.console.v1.";

json::Object field(std::string_view type, std::string_view description) {
  return {{"type", type}, {"description", description}};
}

class Writer {
 public:
  explicit Writer(Dialect dialect) : v3_(dialect == Dialect::kOpenApi3) {}

  json::Object refer(std::string_view name) const {
    return {{"$ref", fmt::format("{}{}{}", v3_ ? "#/components/schemas/" : "#/definitions/", kPrefix, name)}};
  }

  json::Object parameter(std::string_view name, std::string_view place, std::string_view type,
                         std::string_view description) const {
    json::Object out{{"name", name}, {"in", place}, {"description", description}};
    if (place == "path") out["required"] = true;
    if (v3_) {
      out["schema"] = json::Object{{"type", type}};
    } else {
      out["type"] = type;
    }
    return out;
  }

  json::Object get(std::string_view id, std::string_view description, std::string_view answer,
                   json::Array parameters) const {
    json::Object ok{{"description", "OK"}};
    if (v3_) {
      ok["content"] = json::Object{{"application/json", json::Object{{"schema", refer(answer)}}}};
    } else {
      ok["schema"] = refer(answer);
    }
    json::Object operation{{"operationId", id},
                           {"description", description},
                           {"parameters", std::move(parameters)},
                           {"responses", json::Object{{"200", std::move(ok)},
                                                      {"403", json::Object{{"description", "Forbidden"}}},
                                                      {"404", json::Object{{"description", "Not Found"}}}}}};
    if (!v3_) operation["produces"] = json::Array{"application/json", "application/yaml"};
    return {{"get", std::move(operation)}};
  }

  json::Object list_of(std::string_view item, std::string_view description) const {
    return {{"type", "array"}, {"description", description}, {"items", refer(item)}};
  }

 private:
  const bool v3_;
};

json::Object object_of(std::string_view description, json::Object properties, json::Array required) {
  return {{"type", "object"},
          {"description", description},
          {"required", std::move(required)},
          {"properties", std::move(properties)}};
}

json::Object usage_kind_schema() {
  return object_of("A kind of workload that can use a binding.",
                   {{"name", field("string", "Name of the UsageKind; spec.usedBy.kind of a usage.")},
                    {"displayName", field("string", "Name for people.")},
                    {"group", field("string", "API group of the workloads.")},
                    {"version", field("string", "Version in which they are served.")},
                    {"kind", field("string", "Their kind.")},
                    {"resource", field("string", "Their name in URLs; absent when the kind is not served.")},
                    {"labelsPath", field("string", "Where the labels are put.")},
                    {"deleting", field("boolean", "True while the UsageKind waits to be deleted.")},
                    {"listable", field("boolean", "True when you may list such workloads in the namespace.")},
                    {"reason", field("string", "Why they cannot be listed, in a word.")},
                    {"message", field("string", "Why they cannot be listed, in a sentence.")}},
                   {"name", "displayName", "group", "version", "kind", "labelsPath", "listable"});
}

}  // namespace

void describe_console(Dialect dialect, json::Object& paths, json::Object& schemas) {
  const Writer writer(dialect);
  const auto add = [&](std::string_view name, json::Object schema) {
    schemas[fmt::format("{}{}", kPrefix, name)] = std::move(schema);
  };
  add("UsageKind", usage_kind_schema());
  add("UsageKindList",
      object_of("All kinds of workload that can use a binding.",
                {{"items", writer.list_of("UsageKind", "By name; one that cannot be listed says so.")}}, {"items"}));
  add("Resource", object_of("A workload.",
                            {{"name", field("string", "Its name; spec.usedBy.name of a usage.")},
                             {"namespace", field("string", "Its namespace.")},
                             {"uid", field("string", "Its uid.")}},
                            {"name", "namespace", "uid"}));
  add("ResourceList", object_of("The workloads of one kind that belong to no other object.",
                                {{"usageKind", writer.refer("UsageKind")},
                                 {"namespace", field("string", "The namespace that was asked for; empty: all.")},
                                 {"items", writer.list_of("Resource", "By namespace and name.")},
                                 {"continue", field("string", "Token of the next page; absent on the last.")}},
                                {"usageKind", "namespace", "items"}));

  paths[kConsoleKindsPath] =
      writer.get("listConsoleV1UsageKinds",
                 "All kinds of workload that can use a binding. Needs the right to list usagekinds.", "UsageKindList",
                 {writer.parameter("namespace", "query", "string",
                                   "Namespace for which it is said whether you may list a kind; all when left out.")});
  paths[fmt::format("{}/{{name}}/resources", kConsoleKindsPath)] = writer.get(
      "listConsoleV1UsageKindResources",
      "Workloads of one kind, without those that belong to another object. Needs the right to get the usagekind and "
      "to list the workloads.",
      "ResourceList",
      {writer.parameter("name", "path", "string", "Name of the UsageKind."),
       writer.parameter("namespace", "query", "string", "Namespace to look in; all when left out."),
       writer.parameter("limit", "query", "integer", "At most so many objects, 500 at most."),
       writer.parameter("continue", "query", "string", "Token of the page before.")});
}

json::Value console_openapi_v3() {
  json::Object paths, schemas;
  describe_console(Dialect::kOpenApi3, paths, schemas);
  return json::Object{{"openapi", "3.0.0"},
                      {"info", json::Object{{"title", "Chandler"}, {"version", CHANDLER_VERSION}}},
                      {"paths", std::move(paths)},
                      {"components", json::Object{{"schemas", std::move(schemas)}}}};
}

}  // namespace chandler::apiserver
