// PodPresets, and what they do to pods that are created. Nothing is applied later: a pod runs as it was made.
#include <fmt/format.h>

#include "admission/fields.h"
#include "admission/kind_rules.h"
#include "admission/pod_preset_merge.h"
#include "base/text.h"
#include "json/writer.h"
#include "meta/selector.h"

namespace chandler::admission {
namespace {

constexpr std::string_view kExclude = "podpreset.admission.kubernetes.io/exclude";
constexpr std::string_view kMirror = "kubernetes.io/config.mirror";
constexpr std::string_view kApplied = "podpreset.admission.kubernetes.io/podpreset-";
constexpr std::string_view kConflicts = "podpreset.admission.kubernetes.io/conflicts";
constexpr size_t kLongestMark = 53;  // what the name of an annotation has left behind "podpreset-"
constexpr size_t kMostConflicts = 32;
// Of all presets of a namespace: each pod that is created makes the server read them.
constexpr size_t kMostRead = 16 * 1024 * 1024;

bool selects(const json::Value& preset_spec, const json::Value& labels) {
  const auto selector = meta::LabelSelector::from_json(member(preset_spec, "selector"));
  return selector.ok() && selector->matches([&](std::string_view key) { return json::string_at(labels, key); });
}

}  // namespace

void check_pod_preset(const Context& context, meta::FieldErrors& errors) {
  const auto selector =
      meta::LabelSelector::from_json(member(member(*context.object, "spec"), "selector"), "spec.selector");
  if (selector.ok()) return;
  for (const auto& cause : selector.error().causes) {
    errors.invalid(meta::Path(cause.field), json::Value(), cause.message);
  }
}

void apply_pod_presets(Context& context) {
  if (context.operation != registry::Operation::kCreate || !context.subresource.empty() || context.lookup == nullptr) {
    return;
  }
  auto& metadata = object_in(*context.object, "metadata");
  if (auto* annotations = metadata.if_contains("annotations"); annotations != nullptr && annotations->is_object()) {
    annotations->get_object().erase(kConflicts);  // ours to say
    if (json::string_or(*annotations, kExclude) == "true" || present(*annotations, kMirror)) return;
  }
  // Without a spec, which the schema reports, there is nothing to give to; to make one would move the metadata.
  auto* pod_spec = json::find(*context.object, "spec");
  if (pod_spec == nullptr || !pod_spec->is_object()) return;
  const auto presets = context.lookup->list_in("settings.svcat.k8s.io", "podpresets", namespace_of(*context.object));
  if (presets.empty()) return;
  const json::Value labels = member(member(*context.object, "metadata"), "labels");
  json::Object conflicts;
  PodPresetMerge merge(pod_spec->get_object());
  size_t read = 0;
  for (const auto& document : presets) {
    if (document->deleting()) continue;
    read += document->bytes().size();
    if (read > kMostRead) {
      if (context.warnings != nullptr) {
        context.warnings->push_back(
            fmt::format("PodPreset {} and those after it were not applied: the PodPresets of this namespace have more "
                        "than {} bytes together; delete some of them",
                        quoted(document->name()), kMostRead));
      }
      break;
    }
    const auto preset = document->parse();
    const auto& spec = member(preset, "spec");
    if (!selects(spec, labels)) continue;
    // Each for itself: one that does not fit must not keep the others from a pod.
    if (const auto why = merge.add(spec)) {
      if (context.warnings != nullptr) {
        context.warnings->push_back(
            fmt::format("PodPreset {} was not applied: {}; rename what is there, or exclude the "
                        "pod with the annotation {}: \"true\"",
                        quoted(document->name()), *why, kExclude));
      }
      if (conflicts.size() < kMostConflicts) conflicts[std::string(document->name())] = text(*why);
      continue;
    }
    if (document->name().size() > kLongestMark) continue;
    object_in(metadata, "annotations")[fmt::format("{}{}", kApplied, document->name())] =
        text(std::to_string(document->revision()));
  }
  if (!conflicts.empty()) object_in(metadata, "annotations")[kConflicts] = text(json::write(conflicts));
}

}  // namespace chandler::admission
