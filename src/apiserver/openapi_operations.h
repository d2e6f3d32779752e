// The requests that a kind takes, as both OpenAPI dialects describe them. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "registry/kind.h"

namespace chandler::apiserver {

struct QueryParameter {
  std::string_view name;
  std::string_view type;
  std::string_view description;
};

struct ApiOperation {
  std::string_view method;  // "get"
  std::string_view action;  // x-kubernetes-action: "list"
  std::string id;           // "listAppsV1NamespacedDeployment"
  std::string_view description;
  std::vector<const QueryParameter*> parameters;
  enum class Body { kNone, kObject, kPatch, kDeleteOptions, kTokenRequest, kScale } body = Body::kNone;
  enum class Answer { kObject, kList, kStatus, kTokenRequest, kScale } answer = Answer::kObject;
  bool creates = false;  // may answer 201
};

struct ApiPath {
  std::string path;  // "/apis/apps/v1/namespaces/{namespace}/deployments/{name}"
  bool in_namespace = false;
  bool named = false;
  std::vector<ApiOperation> operations;
};

std::vector<ApiPath> api_paths(const registry::Kind& kind, const registry::Version& version);

// Content types of a patch: strategic merge is for Kubernetes' own kinds.
std::vector<std::string_view> patch_types(const registry::Kind& kind);

// The parameter that any request takes.
inline constexpr QueryParameter kPretty{"pretty", "string", "If 'true', the answer is indented."};

}  // namespace chandler::apiserver
