#include "webhooks/hook_address.h"

#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace chandler::webhooks {
namespace {

std::string host_of(const json::Value& spec) {
  if (auto name = json::string_or(spec, "externalName"); !name.empty()) {
    if (name.ends_with('.')) name.pop_back();
    return name;
  }
  if (const auto* addresses = json::array_at(spec, "externalIPs");
      addresses != nullptr && !addresses->empty() && addresses->front().is_string()) {
    return std::string(json::view(addresses->front().get_string()));
  }
  const auto address = json::string_or(spec, "clusterIP");
  return address == "None" ? "" : address;
}

bool has_port(const json::Value& spec, int64_t port) {
  const auto* ports = json::array_at(spec, "ports");
  if (ports == nullptr || ports->empty()) return true;  // of an external name: there need be none
  for (const auto& one : *ports) {
    if (json::int_at(one, "port") == port) return true;
  }
  return false;
}

}  // namespace

Result<std::string, std::string> hook_url(const Hook& hook, const admission::Lookup& lookup) {
  if (!hook.unusable.empty()) return fail(hook.unusable);
  if (!hook.service) return hook.url;
  const auto& to = *hook.service;
  const auto document = lookup.get("", "services", to.ns, to.name);
  if (document == nullptr)
    return fail(fmt::format("service {} not found in namespace {}", quoted(to.name), quoted(to.ns)));
  const auto service = document->parse();
  const auto* spec = json::find(service, "spec");
  const auto host = spec == nullptr ? std::string() : host_of(*spec);
  if (spec == nullptr || host.empty()) {
    return fail(
        fmt::format("service {} in namespace {} leads nowhere: give it an externalName, externalIPs or a "
                    "clusterIP, or use clientConfig.url",
                    quoted(to.name), quoted(to.ns)));
  }
  if (!has_port(*spec, to.port)) {
    return fail(fmt::format("no service port {} found for service {}", to.port, quoted(to.name)));
  }
  const bool is_v6 = host.find(':') != host.npos;
  return fmt::format("https://{}{}{}:{}{}", is_v6 ? "[" : "", host, is_v6 ? "]" : "", to.port, to.path);
}

}  // namespace chandler::webhooks
