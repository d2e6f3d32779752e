#include <set>
#include <string>

#include "admission/fields.h"
#include "admission/kind_rules.h"
#include "admission/port_name.h"
#include "meta/names.h"

namespace chandler::admission {
namespace {

constexpr std::string_view kHeadless = "None";
constexpr std::string_view kExternalName = "ExternalName";
constexpr int64_t kAffinitySeconds = 10800;

bool has_address(std::string_view type) { return type == "ClusterIP" || type == "NodePort" || type == "LoadBalancer"; }
bool is_reached_from_outside(std::string_view type) { return type == "NodePort" || type == "LoadBalancer"; }

json::Object affinity_config() {
  json::Object client;
  client["timeoutSeconds"] = kAffinitySeconds;
  json::Object config;
  config["clientIP"] = std::move(client);
  return config;
}

void check_external_name(const json::Value& spec, const meta::Path& path, meta::FieldErrors& errors) {
  auto name = json::string_or(spec, "externalName");
  if (name.empty())
    return errors.required(path.member("externalName"), "a Service of type ExternalName is one for a name");
  if (name.ends_with('.')) name.pop_back();
  if (auto fault = meta::check_dns1123_subdomain(name); !fault.empty()) {
    errors.invalid(path.member("externalName"), name, fault);
  }
}

void check_ports(const json::Value& spec, const meta::Path& path, meta::FieldErrors& errors) {
  const auto type = json::string_or(spec, "type");
  const auto* ports = json::array_at(spec, "ports");
  const bool several = ports != nullptr && ports->size() > 1;
  const bool headless = json::string_or(spec, "clusterIP") == kHeadless;
  if ((ports == nullptr || ports->empty()) && !headless && has_address(type)) errors.required(path.member("ports"));
  std::set<std::string> names;
  each(spec, "ports", path, [&](const json::Value& port, const meta::Path& here) {
    const auto name = json::string_or(port, "name");
    if (name.empty()) {
      if (several) errors.required(here.member("name"), "tells several ports apart");
    } else {
      if (auto fault = meta::check_dns1123_label(name); !fault.empty())
        errors.invalid(here.member("name"), name, fault);
      if (!names.insert(name).second) errors.duplicate(here.member("name"), text(name));
    }
    const auto& target = member(port, "targetPort");
    if (target.is_string()) {
      if (auto fault = check_port_ref(target); !fault.empty()) errors.invalid(here.member("targetPort"), target, fault);
    }
    if (type == "ClusterIP" && json::int_at(port, "nodePort").value_or(0) != 0) {
      errors.forbidden(here.member("nodePort"), "only Services of type NodePort and LoadBalancer have one");
    }
  });
}

}  // namespace

void default_service(Context& context) {
  auto& spec = object_in(*context.object, "spec");
  each(spec, "ports", [](json::Object& port) {
    auto& target = port["targetPort"];
    const bool unset = target.is_null() || target == json::Value(0) || target == json::Value("");
    const auto* number = port.if_contains("port");
    if (!unset) return;
    if (number != nullptr) {
      port["targetPort"] = json::Value(*number);
    } else {
      port.erase("targetPort");
    }
  });
  const auto& view = member(*context.object, "spec");
  const auto type = json::string_or(view, "type");
  if (json::string_or(view, "sessionAffinity") == "ClientIP") {
    set_default(spec, "sessionAffinityConfig", affinity_config());
  } else {
    spec.erase("sessionAffinityConfig");
  }
  if (!has_address(type)) return;

  // An address, once there, stays; who leaves it out means the one there is.
  const auto& old_spec = context.old == nullptr ? json::Value() : member(*context.old, "spec");
  if (!filled(view, "clusterIP") && filled(old_spec, "clusterIP")) spec["clusterIP"] = member(old_spec, "clusterIP");
  if (filled(view, "clusterIP") && !filled(view, "clusterIPs")) {
    spec["clusterIPs"] = json::Array{member(view, "clusterIP")};
  } else if (!filled(view, "clusterIP") && filled(view, "clusterIPs")) {
    spec["clusterIP"] = json::Value(member(view, "clusterIPs").get_array().front());
  }
  if (!filled(view, "ipFamilies")) spec["ipFamilies"] = json::Array{json::Value("IPv4")};
  set_default(spec, "ipFamilyPolicy", "SingleStack");
  set_default(spec, "internalTrafficPolicy", "Cluster");
  if (is_reached_from_outside(type)) set_default(spec, "externalTrafficPolicy", "Cluster");
  if (type == "LoadBalancer") set_default(spec, "allocateLoadBalancerNodePorts", true);
}

void check_service(const Context& context, meta::FieldErrors& errors) {
  const auto& spec = member(*context.object, "spec");
  const meta::Path path("spec");
  const auto type = json::string_or(spec, "type");
  check_ports(spec, path, errors);
  if (const auto& labels = member(spec, "selector"); labels.is_object()) {
    meta::validate_labels(labels, path.member("selector"), errors);
  }
  if (type == kExternalName) {
    check_external_name(spec, path, errors);
    if (filled(spec, "clusterIP")) errors.forbidden(path.member("clusterIPs"), "a name has no address here");
    return;
  }
  const auto* addresses = json::array_at(spec, "clusterIPs");
  if (addresses != nullptr && !addresses->empty() && !json::equal(addresses->front(), member(spec, "clusterIP"))) {
    errors.invalid(path.member("clusterIPs"), member(spec, "clusterIPs"), "must begin with clusterIP");
  }
  if (context.old == nullptr) return;
  const auto& old_spec = member(*context.old, "spec");
  if (json::string_or(old_spec, "type") != kExternalName && filled(old_spec, "clusterIP") &&
      !same(spec, old_spec, "clusterIP")) {
    errors.invalid(path.member("clusterIPs").index(0), member(spec, "clusterIP"), "field is immutable");
  }
}

}  // namespace chandler::admission
