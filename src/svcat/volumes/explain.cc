// svcat explain pvc
#include <fmt/format.h>
#include <fmt/ostream.h>

#include "json/sorted_members.h"
#include "svcat/catalog/fields.h"
#include "svcat/catalog/lookup.h"
#include "svcat/catalog/story.h"
#include "svcat/commands.h"
#include "svcat/volumes/resolution.h"

namespace chandler::svcat {
namespace {

std::string state_of(const json::Value& claim) {
  const auto phase = text_at(claim, {"status", "phase"});
  const auto volume = text_at(claim, {"spec", "volumeName"});
  if (is_deleting(claim)) return "is being deleted";
  if (phase == "Bound") return fmt::format("is bound to volume {}", volume);
  if (phase == "Lost") return fmt::format("has lost its volume {}", volume);
  return volume.empty() ? "has no volume yet" : fmt::format("is to be bound to volume {}", volume);
}

// What the volume says about itself. Not everybody may read volumes.
Result<void> tell_volume(Call& call, Details& details, const json::Value& claim) {
  const auto name = text_at(claim, {"spec", "volumeName"});
  if (name.empty()) return {};
  details.section("Volume");
  CH_TRY_LET(catalog, call.catalog());
  const auto volume = catalog->get(volumes_kind(), "", name);
  if (!volume.ok()) {
    const bool hidden = volume.error().reason == Reason::kForbidden;
    if (!hidden && !is_not_found(volume.error())) return volume.error();
    details.line(hidden ? fmt::format("{}; you may not read volumes", name)
                        : fmt::format("{} does not exist any more", name));
    return {};
  }
  details.add("Name", name);
  details.add("Capacity", text_at(*volume, {"spec", "capacity", "storage"}));
  details.add("Reclaim Policy", text_at(*volume, {"spec", "persistentVolumeReclaimPolicy"}));
  details.add_if("Provisioned By", annotation_of(*volume, "pv.kubernetes.io/provisioned-by"));
  details.flush();
  details.yaml_section("Labels of the volume", json::find_path(*volume, {"metadata", "labels"}));
  return {};
}

Result<void> tell_class(Call& call, Details& details, const json::Value& claim) {
  details.section("Class");
  std::string why;
  CH_TRY_LET(storage_class, storage_class_of(call, claim, why));
  details.line(why);
  if (storage_class.is_null()) return {};
  details.line(fmt::format("Its volumes are made by {}, {}.", text_at(storage_class, {"provisioner"}),
                           text_at(storage_class, {"volumeBindingMode"}) == "WaitForFirstConsumer"
                               ? "when a pod uses the claim"
                               : "at once"));
  details.section("Selector");
  const auto resolution = resolve_claim(storage_class, claim);
  if (!resolution.ok()) {
    details.line(resolution.error().message);
    return {};
  }
  tell_resolution(call, details, *resolution);
  if (const auto recorded = annotation_of(claim, "storage.chandler.io/resolved"); !recorded.empty()) {
    details.line(fmt::format("The controller wrote down: {}", recorded));
  }
  if (!resolution->ok()) {
    details.line("A claim's selector cannot be changed: correct the class, or delete the claim and make a new one.");
  }
  return {};
}

Result<int> run_explain_volume_claim(Call& call) {
  CH_TRY_LET(ns, call.ns());
  CH_TRY_LET(claim, find_named(call, volume_claims_kind(), ns, call.argument(0)));
  Details details(call.out(), call.style());
  fmt::print(call.out(), "Claim {} of namespace {} {}.\n", name_of(claim), ns, state_of(claim));
  details.section("Request");
  details.add("Size", text_at(claim, {"spec", "resources", "requests", "storage"}));
  if (const auto* modes = array_at(claim, {"spec", "accessModes"})) {
    std::string all;
    for (const auto& mode : modes->get_array()) {
      if (mode.is_string()) all += (all.empty() ? "" : ", ") + std::string(json::view(mode.get_string()));
    }
    details.add("Access Modes", all);
  }
  details.add_if("Volume Mode", text_at(claim, {"spec", "volumeMode"}));
  details.add_if("Selected Node", annotation_of(claim, "volume.kubernetes.io/selected-node"));
  details.flush();
  CH_TRY(tell_class(call, details, claim));
  CH_TRY(tell_volume(call, details, claim));
  if (array_at(claim, {"status", "conditions"}) != nullptr) details.section("Conditions");
  tell_conditions(call, claim);
  CH_TRY(tell_events(call, details, volume_claims_kind(), claim));
  return 0;
}

}  // namespace

Command explain_volume_claim() {
  return {.verb = "explain",
          .noun = "pvc",
          .noun_aliases = {"pvcs", "persistentvolumeclaim", "persistentvolumeclaims"},
          .arguments = "NAME",
          .min_arguments = 1,
          .max_arguments = 1,
          .summary = "Tell the story of a volume claim: which class and why, what its selector leads to, what happened",
          .examples = {"explain pvc data"},
          .flags = {namespace_flag()},
          .offer = Offer::kVolumeClaims,
          .run = run_explain_volume_claim};
}

}  // namespace chandler::svcat
