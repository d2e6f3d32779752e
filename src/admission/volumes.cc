#include <algorithm>
#include <array>
#include <string>

#include "admission/fields.h"
#include "admission/kind_rules.h"
#include "admission/quantities.h"
#include "meta/selector.h"
#include "resolve/volume_selector.h"

namespace chandler::admission {
namespace {

constexpr std::string_view kClaimFinalizer = "kubernetes.io/pvc-protection";
constexpr std::string_view kVolumeFinalizer = "kubernetes.io/pv-protection";
constexpr std::string_view kStorageGroup = "storage.k8s.io";
constexpr std::string_view kOncePod = "ReadWriteOncePod";

// Where the data of a volume is; everything else in the specification says how it is used.
constexpr std::array<std::string_view, 22> kSources = {"hostPath",
                                                       "gcePersistentDisk",
                                                       "awsElasticBlockStore",
                                                       "glusterfs",
                                                       "nfs",
                                                       "rbd",
                                                       "quobyte",
                                                       "cephfs",
                                                       "flocker",
                                                       "fc",
                                                       "iscsi",
                                                       "cinder",
                                                       "vsphereVolume",
                                                       "azureFile",
                                                       "azureDisk",
                                                       "portworxVolume",
                                                       "scaleIO",
                                                       "local",
                                                       "storageos",
                                                       "csi",
                                                       "flexVolume",
                                                       "photonPersistentDisk"};

std::string default_class(const Lookup& lookup) {
  std::vector<resolve::ClassCandidate> marked;
  for (const auto& document : lookup.list(kStorageGroup, "storageclasses")) {
    if (document->deleting()) continue;
    const auto storage_class = document->parse();
    if (!resolve::is_default_class(storage_class)) continue;
    marked.push_back(
        {std::string(document->name()), json::string_or(member(storage_class, "metadata"), "creationTimestamp")});
  }
  return resolve::default_class(marked);
}

void check_access_modes(const json::Value& spec, const meta::Path& path, meta::FieldErrors& errors) {
  const auto* modes = json::array_at(spec, "accessModes");
  if (modes == nullptr) return;
  if (modes->empty()) errors.required(path.member("accessModes"), "at least one access mode is needed");
  if (modes->size() > 1 && std::find(modes->begin(), modes->end(), text(kOncePod)) != modes->end()) {
    errors.forbidden(path.member("accessModes"), "ReadWriteOncePod goes with no other mode");
  }
}

// What is in use does not go; whoever knows when that ends removes the finalizer.
void protect(json::Value& object, std::string_view finalizer) {
  auto& finalizers = object_in(object, "metadata")["finalizers"];
  if (!finalizers.is_array()) finalizers.emplace_array();
  auto& names = finalizers.get_array();
  if (std::find(names.begin(), names.end(), text(finalizer)) == names.end()) names.push_back(text(finalizer));
}

const json::Value& requested_storage(const json::Value& claim) {
  return member(member(member(member(claim, "spec"), "resources"), "requests"), "storage");
}

bool is_bound(const json::Value& claim) { return json::string_or(member(claim, "status"), "phase") == "Bound"; }

bool grows(const Context& context) {
  const auto now = quantity_of(requested_storage(*context.object));
  const auto before = quantity_of(requested_storage(*context.old));
  return now && before && *now > *before;
}

// A claim's wishes are final, but for what binding it and growing it need.
void check_claim_update(const Context& context, meta::FieldErrors& errors) {
  const auto& old = member(*context.old, "spec");
  json::Value rest = member(*context.object, "spec");
  if (!rest.is_object()) return;
  auto& spec = rest.get_object();
  if (!filled(old, "volumeName")) copy_member(spec, old, "volumeName");
  if (!present(old, "storageClassName")) copy_member(spec, old, "storageClassName");
  if (is_bound(*context.old)) {
    copy_member(spec, old, "volumeAttributesClassName");
    const auto now = quantity_of(requested_storage(*context.object));
    const auto before = quantity_of(requested_storage(*context.old));
    if (now && before && *now < *before) {
      errors.forbidden(meta::Path("spec.resources.requests.storage"), "a volume cannot be made smaller");
    }
    copy_member(spec, old, "resources");
  }
  if (json::equal(rest, old)) return;
  errors.forbidden(meta::Path("spec"),
                   "a claim cannot be changed; only a bound one can grow (resources.requests) or get another "
                   "volumeAttributesClassName");
}

}  // namespace

void default_claim(Context& context) {
  auto& spec = object_in(*context.object, "spec");
  // Another spelling of the same field.
  if (const auto* given = spec.if_contains("class"); filled(given)) {
    const json::Value name = *given;
    set_default(spec, "storageClassName", name);
    if (spec["storageClassName"] == name) spec.erase("class");
  }
  if (context.operation != registry::Operation::kCreate) return;
  protect(*context.object, kClaimFinalizer);
}

void default_storage_class_of_claim(Context& context) {
  if (context.operation != registry::Operation::kCreate) return;
  if (resolve::class_of_claim(*context.object)) return;  // "" is a wish too: for no class at all
  if (const auto name = default_class(*context.lookup); !name.empty()) {
    object_in(*context.object, "spec")["storageClassName"] = name;
  }
}

void check_claim(const Context& context, meta::FieldErrors& errors) {
  const auto& spec = member(*context.object, "spec");
  const meta::Path path("spec");
  if (filled(spec, "class"))
    errors.invalid(path.member("class"), member(spec, "class"), "differs from storageClassName");
  check_access_modes(spec, path, errors);
  const auto storage = path.member("resources").key("storage");
  const auto& asked = requested_storage(*context.object);
  const auto amount = quantity_of(asked);
  if (!amount) {
    errors.required(storage, "how much storage, at resources.requests.storage");
  } else if (amount->is_negative() || amount->is_zero()) {
    errors.invalid(storage, asked, "must be more than nothing");
  }
  if (const auto& selector = member(spec, "selector"); selector.is_object()) {
    auto parsed = meta::LabelSelector::from_json(selector, path.member("selector").str());
    if (!parsed.ok()) {
      for (const auto& cause : parsed.error().causes) errors.add(cause);
    }
  }
  if (context.old != nullptr) check_claim_update(context, errors);
}

Result<void> permit_claim(const Context& context) {
  if (context.old == nullptr || !is_bound(*context.old) || !grows(context)) return {};
  const auto class_name = json::string_or(member(*context.old, "spec"), "storageClassName");
  const auto storage_class =
      class_name.empty() ? nullptr : context.lookup->get(kStorageGroup, "storageclasses", "", class_name);
  if (storage_class != nullptr && json::bool_at(storage_class->parse(), "allowVolumeExpansion").value_or(false))
    return {};
  return forbidden({"", "persistentvolumeclaims", name_of(*context.object), ""},
                   "only claims of a StorageClass with allowVolumeExpansion can grow");
}

void default_volume(Context& context) {
  if (context.operation == registry::Operation::kCreate) protect(*context.object, kVolumeFinalizer);
}

void check_volume(const Context& context, meta::FieldErrors& errors) {
  const auto& spec = member(*context.object, "spec");
  const meta::Path path("spec");
  check_access_modes(spec, path, errors);
  if (const auto* capacity = json::object_at(spec, "capacity")) {
    const auto amount = quantity_of(member(member(spec, "capacity"), "storage"));
    if (capacity->empty() || !amount) {
      errors.required(path.member("capacity"), "how much the volume holds, at capacity.storage");
    } else if (amount->is_negative() || amount->is_zero()) {
      errors.invalid(path.member("capacity").key("storage"), member(member(spec, "capacity"), "storage"),
                     "must be more than nothing");
    }
  }
  bool found = false;
  bool changed = false;
  for (const auto source : kSources) {
    if (present(spec, source)) {
      if (found) errors.forbidden(path.member(source), "a volume has one source");
      found = true;
    }
    changed = changed || (context.old != nullptr &&
                          !json::equal(member(spec, source), member(member(*context.old, "spec"), source)));
  }
  if (!found) errors.required(path, "a volume has a source, such as csi, local or nfs");
  if (changed) errors.forbidden(path.member("persistentvolumesource"), "the source of a volume cannot be changed");
}

}  // namespace chandler::admission
