// UsageKinds and ServiceBindingUsages. Both wait for their controller when they are deleted, so both get a finalizer
// the moment they are made: there is no time in which one could go unnoticed.
#include <algorithm>

#include <fmt/format.h>

#include "admission/catalog_metadata.h"
#include "admission/catalog_requester.h"
#include "admission/fields.h"
#include "admission/kind_rules.h"
#include "base/text.h"
#include "resolve/label_path.h"

namespace chandler::admission {
namespace {

constexpr std::string_view kUsageGroup = "servicecatalog.kyma-project.io";
constexpr std::string_view kUsageController = "system:serviceaccount:kube-system:binding-usage-controller";
constexpr std::string_view kUsageKindFinalizer = "servicecatalog.kyma-project.io/usage-kind-protection";
constexpr std::string_view kUsageFinalizer = "servicecatalog.kyma-project.io/sbu-protection";
constexpr std::string_view kCounter = "reprocessRequest";
constexpr size_t kUsagesShown = 5;

bool has_finalizer(const json::Value& object, std::string_view finalizer) {
  const auto* list = json::array_at(member(object, "metadata"), "finalizers");
  return list != nullptr && std::find(list->begin(), list->end(), text(finalizer)) != list->end();
}

// On create only, so that whoever finishes a deletion can take it away.
void add_finalizer(Context& context, std::string_view finalizer) {
  if (context.operation != registry::Operation::kCreate || has_finalizer(*context.object, finalizer)) return;
  auto& finalizers = object_in(*context.object, "metadata")["finalizers"];
  if (finalizers.is_null()) finalizers.emplace_array();
  if (finalizers.is_array()) finalizers.get_array().push_back(text(finalizer));
}

void warn(const Context& context, std::string message) {
  if (context.warnings != nullptr) context.warnings->push_back(std::move(message));
}

std::vector<std::string> usages_of(const Context& context, std::string_view usage_kind) {
  std::vector<std::string> names;
  if (context.lookup == nullptr) return names;
  for (const auto& document : context.lookup->list(kUsageGroup, "servicebindingusages")) {
    const auto usage = document->parse();
    if (json::string_or(member(member(usage, "spec"), "usedBy"), "kind") == usage_kind) {
      names.push_back(fmt::format("{}/{}", document->ns(), document->name()));
    }
  }
  return names;
}

std::string shown(std::vector<std::string> names) {
  const auto count = names.size();
  if (count > kUsagesShown) names.resize(kUsagesShown);
  const auto more = count > names.size() ? fmt::format(" and {} more", count - names.size()) : std::string();
  return join(names, ", ") + more;
}

Error usage_refusal(const Context& context, std::string_view why) {
  return forbidden({std::string(kUsageGroup), std::string(context.plural), name_of(*context.object), ""}, why);
}

}  // namespace

void default_usage_kind(Context& context) { add_finalizer(context, kUsageKindFinalizer); }

void check_usage_kind(const Context& context, meta::FieldErrors& errors) {
  const auto path = json::string_at(member(*context.object, "spec"), "labelsPath");
  if (!path || path->empty()) return;  // the schema reports it
  if (const auto parsed = resolve::LabelPath::parse(*path); !parsed.ok()) {
    errors.invalid(meta::Path("spec").member("labelsPath"), text(*path), parsed.error().message);
  }
}

Result<void> permit_usage_kind(const Context& context) {
  if (context.old == nullptr) return {};
  const bool gives_up =
      has_finalizer(*context.old, kUsageKindFinalizer) && !has_finalizer(*context.object, kUsageKindFinalizer);
  if (!gives_up) return {};
  // What the controller saw may be old by now. What is stored decides: a usage that was acknowledged is in it.
  const auto usages = usages_of(context, name_of(*context.object));
  if (usages.empty()) return {};
  const bool by_controller = context.user != nullptr && context.user->name == kUsageController;
  if (by_controller) {
    return fail(conflict({std::string(kUsageGroup), std::string(context.plural), name_of(*context.object), ""},
                         fmt::format("it is used by ServiceBindingUsages {}", shown(usages))));
  }
  // An administrator who insists is obeyed: usages keep a snapshot and can be undone without the UsageKind.
  warn(context, fmt::format("UsageKind {} is used by ServiceBindingUsages {}; without it they cannot be changed, only "
                            "deleted",
                            quoted(name_of(*context.object)), shown(usages)));
  return {};
}

void default_binding_usage(Context& context) {
  add_finalizer(context, kUsageFinalizer);
  keep_counter(context, kCounter);
  record_requester(context);
}

void check_binding_usage(const Context& context, meta::FieldErrors& errors) {
  check_counter(context, kCounter, errors);
}

Result<void> permit_binding_usage(const Context& context) {
  if (context.lookup == nullptr) return {};
  const auto& used_by = member(member(*context.object, "spec"), "usedBy");
  if (context.old != nullptr && json::equal(used_by, member(member(*context.old, "spec"), "usedBy"))) return {};
  const auto name = json::string_or(used_by, "kind");
  const auto kind = context.lookup->get(kUsageGroup, "usagekinds", "", name);
  if (kind == nullptr) {
    // It may still come: manifests are applied in any order.
    warn(context, fmt::format("spec.usedBy.kind: there is no UsageKind {} yet; nothing is delivered before there is",
                              quoted(name)));
    return {};
  }
  if (!kind->deleting()) return {};
  return fail(usage_refusal(context, fmt::format("spec.usedBy.kind: UsageKind {} is being deleted and takes no new "
                                                 "usages; use another, or wait and create it anew",
                                                 quoted(name))));
}

}  // namespace chandler::admission
