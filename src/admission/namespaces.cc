#include <algorithm>
#include <array>

#include "admission/fields.h"
#include "admission/kind_rules.h"
#include "meta/names.h"

namespace chandler::admission {
namespace {

constexpr std::string_view kNameLabel = "kubernetes.io/metadata.name";
constexpr std::string_view kFinalizer = "kubernetes";  // the one that the namespace's clean-up removes
constexpr std::array<std::string_view, 3> kProtected = {"default", "kube-public", "kube-system"};

}  // namespace

void default_namespace(Context& context) {
  auto& object = *context.object;
  const auto name = name_of(object);
  if (!name.empty()) object_in(object_in(object, "metadata"), "labels")[kNameLabel] = name;
  auto& spec = object_in(object, "spec");
  if (context.operation == registry::Operation::kCreate) {
    auto& finalizers = spec["finalizers"];
    if (!finalizers.is_array()) finalizers.emplace_array();
    auto& names = finalizers.get_array();
    if (std::find(names.begin(), names.end(), text(kFinalizer)) == names.end()) names.push_back(text(kFinalizer));
    object_in(object, "status")["phase"] = "Active";
  } else if (context.subresource.empty()) {
    // Only the finalize subresource changes them.
    copy_member(spec, member(*context.old, "spec"), "finalizers");
  }
}

void check_namespace(const Context& context, meta::FieldErrors& errors) {
  each(member(*context.object, "spec"), "finalizers", meta::Path("spec"),
       [&](const json::Value& finalizer, const meta::Path& path) {
         const auto* name = finalizer.if_string();
         if (name == nullptr || *name == kFinalizer) return;
         if (auto fault = meta::check_qualified_name(json::view(*name)); !fault.empty()) {
           errors.invalid(path, finalizer, fault);
         } else if (json::view(*name).find('/') == std::string_view::npos) {
           errors.invalid(path, finalizer, "must be kubernetes or start with a domain, such as example.com/finalizer");
         }
       });
}

void check_namespace_status(const Context& context, meta::FieldErrors& errors) {
  const auto& object = *context.object;
  const bool deleting = present(member(object, "metadata"), "deletionTimestamp");
  const std::string_view wanted = deleting ? "Terminating" : "Active";
  const auto& phase = member(member(object, "status"), "phase");
  if (phase == text(wanted)) return;
  // Spelled as the API spells it in this place.
  errors.invalid(meta::Path("status.Phase"), phase,
                 deleting ? "must be Terminating while the namespace is being deleted"
                          : "must be Active as long as the namespace is not being deleted");
}

Result<void> permit_namespace_delete(const Context& context) {
  const auto name = name_of(*context.old);
  if (std::find(kProtected.begin(), kProtected.end(), name) == kProtected.end()) return {};
  return forbidden({"", "namespaces", name, ""}, "this namespace may not be deleted");
}

void terminate_namespace(Context& context) {
  object_in(*context.object, "status")["phase"] = "Terminating";
  object_in(*context.object, "metadata").erase("deletionGracePeriodSeconds");
}

}  // namespace chandler::admission
