#include <array>
#include <set>
#include <string>

#include "admission/fields.h"
#include "admission/pod_spec.h"
#include "admission/port_name.h"
#include "admission/quantities.h"
#include "base/text.h"
#include "meta/names.h"

namespace chandler::admission {
namespace {

constexpr std::array<std::string_view, 5> kValueSources = {"fieldRef", "resourceFieldRef", "configMapKeyRef",
                                                           "secretKeyRef", "fileKeyRef"};
constexpr std::array<std::string_view, 4> kHandlers = {"exec", "httpGet", "tcpSocket", "grpc"};

template <size_t N>
size_t count_present(const json::Value& value, const std::array<std::string_view, N>& members) {
  size_t count = 0;
  for (const auto name : members) count += present(value, name) ? 1 : 0;
  return count;
}

void check_ref_name(const json::Value& ref, const meta::Path& path, meta::FieldErrors& errors) {
  const auto name = json::string_or(ref, "name");
  if (auto fault = meta::check_dns1123_subdomain(name); !fault.empty())
    errors.invalid(path.member("name"), name, fault);
}

void check_value_from(const json::Value& variable, const meta::Path& path, meta::FieldErrors& errors) {
  const auto& source = member(variable, "valueFrom");
  if (source.is_null()) return;
  if (filled(variable, "value")) errors.invalid(path, source, "value and valueFrom exclude each other");
  const auto count = count_present(source, kValueSources);
  if (count == 0)
    errors.invalid(path, source, "one of these is needed: " + join({kValueSources.begin(), kValueSources.end()}, ", "));
  if (count > 1) errors.invalid(path, source, "a value has one source");
  for (const std::string_view kind : {"configMapKeyRef", "secretKeyRef"}) {
    const auto& ref = member(source, kind);
    if (ref.is_null()) continue;
    check_ref_name(ref, path.member(kind), errors);
    const auto key = json::string_at(ref, "key");
    if (!key) continue;
    if (auto fault = meta::check_config_key(*key); !fault.empty()) {
      errors.invalid(path.member(kind).member("key"), *key, fault);
    }
  }
}

void check_environment(const json::Value& container, const meta::Path& path, meta::FieldErrors& errors) {
  each(container, "env", path, [&](const json::Value& variable, const meta::Path& here) {
    const auto name = json::string_or(variable, "name");
    if (name.empty()) {
      errors.required(here.member("name"));
    } else if (name.find('=') != std::string::npos) {
      errors.invalid(here.member("name"), name, "the name of a variable has no '='");
    }
    check_value_from(variable, here.member("valueFrom"), errors);
  });
  each(container, "envFrom", path, [&](const json::Value& source, const meta::Path& here) {
    constexpr std::array<std::string_view, 2> kSources = {"configMapRef", "secretRef"};
    if (count_present(source, kSources) != 1)
      errors.invalid(here, source, "either configMapRef or secretRef is needed");
    for (const auto kind : kSources) {
      const auto& ref = member(source, kind);
      if (!ref.is_null()) check_ref_name(ref, here.member(kind), errors);
    }
  });
}

void check_ports(const json::Value& container, const meta::Path& path, meta::FieldErrors& errors) {
  std::set<std::string> names;
  each(container, "ports", path, [&](const json::Value& port, const meta::Path& here) {
    const auto name = json::string_or(port, "name");
    if (name.empty()) return;
    if (auto fault = check_port_name(name); !fault.empty()) errors.invalid(here.member("name"), name, fault);
    if (!names.insert(name).second) errors.duplicate(here.member("name"), text(name));
  });
}

void check_mounts(const json::Value& container, const std::set<std::string_view>& volumes, const meta::Path& path,
                  meta::FieldErrors& errors) {
  const auto check = [&](std::string_view list, std::string_view where) {
    each(container, list, path, [&](const json::Value& mount, const meta::Path& here) {
      const auto name = json::string_or(mount, "name");
      if (name.empty()) {
        errors.required(here.member("name"));
      } else if (!volumes.contains(name)) {
        errors.not_found(here.member("name"), name);
      }
      if (!filled(mount, where)) errors.required(here.member(where));
      if (filled(mount, "subPath") && filled(mount, "subPathExpr")) {
        errors.invalid(here.member("subPathExpr"), member(mount, "subPathExpr"),
                       "subPath and subPathExpr exclude each other");
      }
    });
  };
  check("volumeMounts", "mountPath");
  check("volumeDevices", "devicePath");
}

void check_probes(const json::Value& container, const meta::Path& path, meta::FieldErrors& errors) {
  for (const std::string_view name : {"livenessProbe", "readinessProbe", "startupProbe"}) {
    const auto& probe = member(container, name);
    if (probe.is_null()) continue;
    const auto here = path.member(name);
    const auto count = count_present(probe, kHandlers);
    if (count == 0) errors.required(here, "a probe says what to try: exec, httpGet, tcpSocket or grpc");
    if (count > 1) errors.forbidden(here, "a probe tries one thing only");
    for (const std::string_view handler : {"httpGet", "tcpSocket"}) {
      const auto& port = member(member(probe, handler), "port");
      if (port.is_null()) continue;
      if (auto fault = check_port_ref(port); !fault.empty())
        errors.invalid(here.member(handler).member("port"), port, fault);
    }
    if (name != "readinessProbe" && json::int_at(probe, "successThreshold").value_or(1) != 1) {
      errors.invalid(here.member("successThreshold"), member(probe, "successThreshold"), "must be 1");
    }
  }
}

}  // namespace

void check_container(const json::Value& container, const std::set<std::string_view>& volumes, const meta::Path& path,
                     meta::FieldErrors& errors) {
  if (const auto image = json::string_at(container, "image"); image && image->empty()) {
    errors.required(path.member("image"));
  } else if (image && trim(*image).size() != image->size()) {
    errors.invalid(path.member("image"), *image, "has white space at an end");
  }
  check_environment(container, path, errors);
  check_ports(container, path, errors);
  check_mounts(container, volumes, path, errors);
  check_probes(container, path, errors);
  check_resources(member(container, "resources"), path.member("resources"), errors);
}

}  // namespace chandler::admission
