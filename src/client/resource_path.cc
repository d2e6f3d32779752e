#include "client/resource_path.h"

#include "base/text.h"

namespace chandler::client {

std::string resource_path(const Resource& resource, std::string_view ns, std::string_view name,
                          std::string_view subresource) {
  std::string out = resource.group.empty() ? "/api" : "/apis/" + percent_encode(resource.group);
  const auto add = [&out](std::string_view part) { out.append("/").append(percent_encode(part)); };
  add(resource.version);
  if (!ns.empty()) {
    out += "/namespaces";
    add(ns);
  }
  add(resource.plural);
  if (!name.empty()) add(name);
  if (!subresource.empty()) add(subresource);
  return out;
}

std::string query_text(const QueryParameters& parameters) {
  std::string out;
  for (const auto& [name, value] : parameters) {
    out += out.empty() ? '?' : '&';
    out.append(percent_encode(name)).append("=").append(percent_encode(value));
  }
  return out;
}

}  // namespace chandler::client
