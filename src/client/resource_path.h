// URLs of resources. Pure.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace chandler::client {

// How a kind is spelled in URLs. The command line names its kinds as constants; nothing is discovered.
struct Resource {
  std::string group;  // "": core
  std::string version = "v1";
  std::string plural;
};

// "/api/v1/namespaces/ns/secrets/name/status"; empty parts are left out.
std::string resource_path(const Resource& resource, std::string_view ns, std::string_view name = "",
                          std::string_view subresource = "");

using QueryParameters = std::vector<std::pair<std::string, std::string>>;
// "?limit=500&watch=1" with everything escaped; "" without parameters.
std::string query_text(const QueryParameters& parameters);

}  // namespace chandler::client
