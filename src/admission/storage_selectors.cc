// Selectors of claims against the options of their class: said at once, although the provisioner is the judge.
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "admission/fields.h"
#include "admission/kind_rules.h"
#include "meta/selector.h"
#include "resolve/volume_selector.h"

namespace chandler::admission {
namespace {

constexpr std::string_view kStorageGroup = "storage.k8s.io";
constexpr std::string_view kVolumeController = "system:serviceaccount:kube-system:volume-controller";
constexpr size_t kMostRequirements = 1'000;  // each is compared with every volume
using resolve::kOrderAnnotation;
using resolve::kOrderFinalizer;

// Selectors serve to find existing volumes too, by any label that those have.
bool has_free_volume(const Context& context, const std::string& class_name) {
  const auto selector = meta::LabelSelector::from_json(member(member(*context.object, "spec"), "selector"));
  if (!selector.ok() || selector->requirements().size() > kMostRequirements) return false;
  for (const auto& document : context.lookup->list("", "persistentvolumes")) {
    const auto volume = document->parse();
    if (json::string_or(member(volume, "status"), "phase") != "Available") continue;
    if (json::string_or(member(volume, "spec"), "storageClassName") != class_name) continue;
    const auto& labels = member(member(volume, "metadata"), "labels");
    if (selector->matches([&](std::string_view key) { return json::string_at(labels, key); })) return true;
  }
  return false;
}

void refuse(const resolve::SelectorProblem& problem, const std::string& class_name, meta::FieldErrors& errors) {
  using resolve::SelectorFault;
  const auto message = fmt::format("{}: {}", resolve::fault_name(problem.fault), problem.message);
  if (problem.fault == SelectorFault::kMissingRequiredKey) {
    errors.required(meta::Path(problem.field), message);
  } else if (problem.fault == SelectorFault::kClassConflict) {
    errors.invalid(meta::Path("spec.storageClassName"), class_name, message);
  } else {
    errors.invalid(meta::Path(problem.field), problem.key, message);
  }
}

void warn(const Context& context, std::string text) {
  if (context.warnings != nullptr) context.warnings->push_back(std::move(text));
}

bool has_order_finalizer(const json::Value& object) {
  const auto* names = json::array_at(member(object, "metadata"), "finalizers");
  return names != nullptr && std::find(names->begin(), names->end(), text(kOrderFinalizer)) != names->end();
}

// Without it the claim could go while something lies on a disk that nothing else tells of.
void keep_order_finalizer(Context& context) {
  const bool has = has_order_finalizer(*context.object);
  const bool had = context.old != nullptr && has_order_finalizer(*context.old);
  if (has == had) return;
  auto& metadata = object_in(*context.object, "metadata");
  auto& finalizers = metadata["finalizers"];
  if (!finalizers.is_array()) finalizers.emplace_array();
  auto& names = finalizers.get_array();
  if (had) {
    names.push_back(text(kOrderFinalizer));
    warn(context, fmt::format("finalizer {} stays until what was ordered for the claim has its volume or is removed "
                              "from the disk; who must take it off by force does so as a member of {}",
                              kOrderFinalizer, auth::kMasters));
    return;
  }
  names.erase(std::remove(names.begin(), names.end(), text(kOrderFinalizer)), names.end());
  drop_if_empty(metadata, "finalizers");
}

}  // namespace

// What a claim has ordered is the controller's word, and would let a user go round his class.
void keep_claim_order(Context& context) {
  if (context.user != nullptr && (context.user->name == kVolumeController || context.user->in_group(auth::kMasters))) {
    return;
  }
  keep_order_finalizer(context);
  const auto annotations_of = [](const json::Value& object) -> const json::Value& {
    return member(member(object, "metadata"), "annotations");
  };
  const bool has = present(annotations_of(*context.object), kOrderAnnotation);
  const bool had = context.old != nullptr && present(annotations_of(*context.old), kOrderAnnotation);
  if (!has && !had) return;
  auto& metadata = object_in(*context.object, "metadata");
  auto& annotations = object_in(metadata, "annotations");
  annotations.erase(kOrderAnnotation);
  if (had) annotations[kOrderAnnotation] = member(annotations_of(*context.old), kOrderAnnotation);
  drop_if_empty(metadata, "annotations");
}

void check_claim_selector(const Context& context, meta::FieldErrors& errors) {
  if (context.operation != registry::Operation::kCreate || !errors.empty()) return;
  const auto class_name = resolve::class_of_claim(*context.object).value_or("");
  const auto& selector = member(member(*context.object, "spec"), "selector");
  if (class_name.empty()) return;
  const auto document = context.lookup->get(kStorageGroup, "storageclasses", "", class_name);
  if (document == nullptr) {
    if (filled(&selector)) {
      warn(context, fmt::format("spec.selector is not checked: there is no StorageClass \"{}\" yet", class_name));
    }
    return;
  }
  const auto storage_class = document->parse();
  const auto policy = resolve::selector_policy(storage_class);
  const auto read = resolve::read_tunable_class(storage_class);
  if (policy == resolve::SelectorPolicy::kIgnore || !read.ok() || read->options.empty()) return;
  auto resolution = resolve::resolve_selector(
      *read, resolve::known_profile(read->provisioner),
      {.namespace_name = namespace_of(*context.object), .claim_name = name_of(*context.object), .selector = &selector});
  const auto is_unknown_key = [](const auto& p) { return p.fault == resolve::SelectorFault::kUnknownSelectorKey; };
  if (std::any_of(resolution.problems.begin(), resolution.problems.end(), is_unknown_key) &&
      has_free_volume(context, class_name)) {
    std::erase_if(resolution.problems, is_unknown_key);
  }
  for (const auto& problem : resolution.problems) {
    if (policy == resolve::SelectorPolicy::kEnforce) {
      refuse(problem, class_name, errors);
    } else {
      warn(context, fmt::format("no volume will be made: {}: {}", resolve::fault_name(problem.fault), problem.message));
    }
  }
  for (auto& warning : resolution.warnings) warn(context, std::move(warning));
}

}  // namespace chandler::admission
