// Discovery documents, made from the kinds that are served: /api, /apis, groups, resource lists, and the aggregated
// form.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "http/message.h"
#include "json/value.h"
#include "registry/kinds.h"

namespace chandler::apiserver {

json::Value api_versions(std::string_view server_address);                                   // /api
json::Value api_group_list(const registry::Kinds& kinds);                                    // /apis
std::optional<json::Value> api_group(const registry::Kinds& kinds, std::string_view group);  // /apis/<group>
// /api/v1, /apis/<group>/<version>; nullopt: nothing of that version is served.
std::optional<json::Value> api_resource_list(const registry::Kinds& kinds, std::string_view group,
                                             std::string_view version);
// apidiscovery.k8s.io APIGroupDiscoveryList in v2 or v2beta1; `core` true: only the core group (/api), else the others.
json::Value aggregated_discovery(const registry::Kinds& kinds, bool core, std::string_view version);

}  // namespace chandler::apiserver
