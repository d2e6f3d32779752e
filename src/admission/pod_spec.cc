#include "admission/pod_spec.h"

#include <array>
#include <set>
#include <string>

#include "admission/fields.h"
#include "meta/names.h"

namespace chandler::admission {
namespace {

constexpr std::array<std::string_view, 3> kContainerLists = {"initContainers", "containers", "ephemeralContainers"};

// In this order the first source of a volume is the one that counts; the others are too many.
constexpr std::array<std::string_view, 30> kVolumeSources = {"emptyDir",
                                                             "hostPath",
                                                             "gitRepo",
                                                             "gcePersistentDisk",
                                                             "awsElasticBlockStore",
                                                             "secret",
                                                             "nfs",
                                                             "iscsi",
                                                             "glusterfs",
                                                             "persistentVolumeClaim",
                                                             "rbd",
                                                             "flexVolume",
                                                             "cinder",
                                                             "cephfs",
                                                             "flocker",
                                                             "downwardAPI",
                                                             "fc",
                                                             "azureFile",
                                                             "configMap",
                                                             "vsphereVolume",
                                                             "quobyte",
                                                             "azureDisk",
                                                             "projected",
                                                             "photonPersistentDisk",
                                                             "portworxVolume",
                                                             "scaleIO",
                                                             "storageos",
                                                             "csi",
                                                             "ephemeral",
                                                             "image"};

// An image without tag means its latest state, which is to be asked for each time.
std::string_view pull_policy(std::string_view image) {
  if (image.find('@') != std::string_view::npos) return "IfNotPresent";
  const auto slash = image.rfind('/');
  const auto name = slash == std::string_view::npos ? image : image.substr(slash + 1);
  const auto colon = name.find(':');
  return colon == std::string_view::npos || name.substr(colon + 1) == "latest" ? "Always" : "IfNotPresent";
}

void check_volume_source(const json::Value& volume, const meta::Path& path, meta::FieldErrors& errors) {
  bool found = false;
  for (const auto source : kVolumeSources) {
    if (!present(volume, source)) continue;
    if (found) errors.forbidden(path.member(source), "a volume has one source");
    found = true;
  }
  const auto need = [&](std::string_view source, std::string_view field) {
    const auto& value = member(volume, source);
    if (!value.is_null() && !filled(value, field)) errors.required(path.member(source).member(field));
  };
  need("secret", "secretName");
  need("configMap", "name");
}

void check_names(const json::Value& spec, const meta::Path& path, meta::FieldErrors& errors) {
  const auto subdomain = [&](std::string_view field) {
    const auto name = json::string_or(spec, field);
    if (name.empty()) return;
    if (auto fault = meta::check_dns1123_subdomain(name); !fault.empty())
      errors.invalid(path.member(field), name, fault);
  };
  subdomain("serviceAccountName");
  subdomain("nodeName");
  for (const std::string_view field : {"hostname", "subdomain"}) {
    const auto name = json::string_or(spec, field);
    if (name.empty()) continue;
    if (auto fault = meta::check_dns1123_label(name); !fault.empty()) errors.invalid(path.member(field), name, fault);
  }
  if (const auto& labels = member(spec, "nodeSelector"); labels.is_object()) {
    meta::validate_labels(labels, path.member("nodeSelector"), errors);
  }
}

}  // namespace

void default_pod_spec(json::Object& spec) {
  // Two names for one field; the old one is kept for those who still read it.
  const auto* account = spec.if_contains("serviceAccountName");
  if (!filled(account)) account = spec.if_contains("serviceAccount");
  if (filled(account)) {
    const json::Value name = *account;
    spec["serviceAccountName"] = name;
    spec["serviceAccount"] = name;
  }

  for (const auto list : kContainerLists) {
    each(spec, list, [](json::Object& container) {
      if (const auto* image = container.if_contains("image"); image != nullptr && image->is_string()) {
        set_default(container, "imagePullPolicy", text(pull_policy(json::view(image->get_string()))));
      }
    });
  }
  each(spec, "volumes", [](json::Object& volume) {
    for (const auto source : kVolumeSources) {
      if (volume.contains(source)) return;
    }
    volume["emptyDir"] = json::Object();
  });
}

void default_pod_template(json::Object& workload_spec) {
  auto* pod_template = workload_spec.if_contains("template");
  if (pod_template == nullptr || !pod_template->is_object()) return;
  if (auto* spec = pod_template->get_object().if_contains("spec"); spec != nullptr && spec->is_object()) {
    default_pod_spec(spec->get_object());
  }
}

void check_pod_spec(const json::Value& spec, const meta::Path& path, meta::FieldErrors& errors) {
  if (const auto* containers = json::array_at(spec, "containers"); containers != nullptr && containers->empty()) {
    errors.required(path.member("containers"), "a pod has at least one container");
  }
  std::set<std::string_view> volumes;
  each(spec, "volumes", path, [&](const json::Value& volume, const meta::Path& here) {
    check_volume_source(volume, here, errors);
    if (const auto name = json::string_at(volume, "name")) volumes.insert(*name);
  });
  std::set<std::string, std::less<>> other_lists;  // doubles within a list are the schema's business
  for (const auto list : kContainerLists) {
    std::set<std::string, std::less<>> names;
    each(spec, list, path, [&](const json::Value& container, const meta::Path& here) {
      const auto name = json::string_or(container, "name");
      if (other_lists.contains(name)) errors.duplicate(here.member("name"), text(name));
      names.insert(name);
      check_container(container, volumes, here, errors);
    });
    other_lists.merge(names);
  }
  each(spec, "imagePullSecrets", path, [&](const json::Value& secret, const meta::Path& here) {
    if (!filled(secret, "name")) errors.required(here.member("name"));
  });
  check_names(spec, path, errors);
}

void check_pod_template(const json::Value& pod_template, const meta::Path& path, meta::FieldErrors& errors) {
  if (const auto& metadata = member(pod_template, "metadata"); metadata.is_object()) {
    const auto at = path.member("metadata");
    meta::MetadataOptions options;
    options.path = at.str();
    meta::validate_metadata(metadata, nullptr, errors, options);
  }
  check_pod_spec(member(pod_template, "spec"), path.member("spec"), errors);
}

}  // namespace chandler::admission
