// What a run over a usage writes: snapshot, PodPreset, ConfigMap and status.
#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "json/writer.h"
#include "reconcilers/catalog/parameters.h"
#include "reconcilers/usage/rollout.h"
#include "reconcilers/usage/usage_names.h"
#include "reconcilers/usage/usage_pass.h"
#include "reconcilers/usage/workload_access.h"

namespace chandler::reconcilers {
namespace {

constexpr std::string_view kSnapshotKey = "snapshot.json";

bool same_but_generation(const UsageSnapshot& a, const UsageSnapshot& b) {
  return a.target.same_place(b.target) && a.labels == b.labels && a.usage_kind == b.usage_kind &&
         a.usage_kind_uid == b.usage_kind_uid;
}

json::Value snapshot_map(const UsageView& usage, const UsageSnapshot& snapshot) {
  json::Object annotations;
  annotations[kOwnerNameAnnotation] = text(usage.name());
  json::Object metadata;
  metadata["name"] = text(usage.snapshot_map());
  metadata["namespace"] = text(usage.ns());
  metadata["annotations"] = std::move(annotations);
  metadata["ownerReferences"] = json::Array{usage.owner_reference()};
  json::Object data;
  data[kSnapshotKey] = text(json::write_pretty(snapshot.write()));
  json::Object out;
  out["apiVersion"] = "v1";
  out["kind"] = "ConfigMap";
  out["metadata"] = std::move(metadata);
  out["data"] = std::move(data);
  return out;
}

// An event when Ready comes, goes, or has another reason.
std::optional<controller::Note> note_of(const json::Value& before, const json::Value& now) {
  const auto* ready = condition(now, kReady);
  if (ready == nullptr || condition_reason(before, kReady) == text_at(*ready, "reason")) return std::nullopt;
  if (text_at(*ready, "reason") == "Applying") return std::nullopt;  // what becomes of it is news
  const auto message = text_at(*ready, "message");
  return controller::Note{text_at(*ready, "status") != "True", text_at(*ready, "reason"),
                          message.substr(0, message.find('\n'))};
}

}  // namespace

Observations UsagePass::not_applied(std::string_view reason, std::string message) const {
  Observations out;
  for (const auto type : {usage::kBindingReady, usage::kUsageKindResolved, usage::kAccessGranted})
    out.add(*observations_.find(type));
  out.add({usage::kLabelsApplied, Truth::kFalse, reason, std::move(message)});
  return out;
}

// The labels were not taken last time: that is said before they are tried again.
std::optional<controller::Step> UsagePass::tell_refusal() {
  const auto failure = view_.last_failure();
  if (failure.empty()) return std::nullopt;
  auto step = write_status(
      snapshot_, not_applied("EnsureLabelsAppliedError", fmt::format("The labels could not be put on {}: {}",
                                                                     target_.snapshot->target.described(), failure)));
  return step.stages.empty() ? std::nullopt : std::optional(std::move(step));
}

std::optional<controller::Step> UsagePass::record_snapshot() {
  if (snapshot_ && same_but_generation(*snapshot_, *target_.snapshot)) {
    target_.snapshot = snapshot_;
    return std::nullopt;
  }
  return write_status(
      target_.snapshot,
      not_applied("Applying",
                  fmt::format("Labels are being put on {}; if this stays, its API refuses them: `svcat test "
                              "usagekind {}` says why.",
                              target_.snapshot->target.described(), usage_.usage_kind())));
}

std::optional<controller::Step> UsagePass::write_preset() {
  const auto current = view_.get(kPodPresets, usage_.ns(), usage_.preset_name());
  auto wanted = wanted_preset(usage_, delivery_.secret_name);
  if (!current) {
    return controller::Step::write(create_of(kPodPresets, usage_.ns(), usage_.preset_name(), std::move(wanted)));
  }
  if (!has_owner(current, usage_.uid())) {
    return write_status(snapshot_, not_applied("PodPresetUpsertError",
                                               fmt::format("PodPreset {} exists and is not this usage's; delete it.",
                                                           quoted(current.name()))));
  }
  if (json::equal(spec_of(current), member(wanted, "spec"))) return std::nullopt;
  Draft draft(kPodPresets, current);
  draft.root()["spec"] = member(wanted, "spec");
  return controller::Step::write(std::move(draft).update());
}

std::optional<controller::Step> UsagePass::export_snapshot() {
  const auto before = text_at(usage_.status(), "snapshotConfigMapName");
  if (!before.empty() && before != usage_.snapshot_map()) {
    const auto old = view_.get(kSnapshotMaps, usage_.ns(), before);
    if (old && has_owner(old, usage_.uid())) return controller::Step::write(delete_of(kSnapshotMaps, old));
  }
  const auto name = usage_.snapshot_map();
  if (name.empty()) return std::nullopt;
  Observation out{usage::kSnapshotExported, Truth::kFalse, "ConfigMapTaken", "", false};
  auto wanted = snapshot_map(usage_, *target_.snapshot);
  const auto current = view_.get(kSnapshotMaps, usage_.ns(), name);
  if (!current) {
    const auto requester = user_of(member(usage_.spec(), "userInfo"));
    auth::Attributes attributes;
    attributes.user = &requester;
    attributes.verb = "create";
    attributes.version = "v1";
    attributes.resource = "configmaps";
    attributes.namespace_ = usage_.ns();
    const auto decision = requester.name.empty() ? Decision::kAllowed : view_.may(attributes);
    if (decision == Decision::kUnknown) return controller::Step::done();
    if (decision == Decision::kAllowed) {
      return controller::Step::write(create_of(kSnapshotMaps, usage_.ns(), name, std::move(wanted)));
    }
    ask_again_ = true;
    out.reason = "ConfigMapDenied";
    out.message =
        fmt::format("User {} may not create ConfigMaps in namespace {}.", quoted(requester.name), quoted(usage_.ns()));
    observations_.add(std::move(out));
    return std::nullopt;
  }
  if (!has_owner(current, usage_.uid())) {
    out.message = fmt::format("ConfigMap {} exists and is not this usage's; choose another name.", quoted(name));
    observations_.add(std::move(out));
    return std::nullopt;
  }
  if (!json::equal(member(current.value(), "data"), member(wanted, "data"))) {
    Draft draft(kSnapshotMaps, current);
    draft.root()["data"] = member(wanted, "data");
    return controller::Step::write(std::move(draft).update());
  }
  out.truth = Truth::kTrue;
  out.reason = "SnapshotExported";
  out.message = fmt::format("ConfigMap {} has a copy of the snapshot.", quoted(name));
  observations_.add(std::move(out));
  return std::nullopt;
}

void UsagePass::look_at_extras() {
  observations_.add(rollout_of(target_.snapshot->target, workload_));
  const auto preset = view_.get(kPodPresets, usage_.ns(), usage_.preset_name());
  const auto* injected = preset ? condition(status_of(preset), usage::kInjected) : nullptr;
  if (injected == nullptr) return;
  const bool holds = text_at(*injected, "status") == "True";
  observations_.add({usage::kPodsInjected, holds ? Truth::kTrue : Truth::kFalse,
                     holds ? std::string_view("Injected") : "PodPresetConflict", text_at(*injected, "message"), false});
}

controller::Step UsagePass::conclude() { return write_status(snapshot_, observations_); }

controller::Step UsagePass::write_status(const std::optional<UsageSnapshot>& snapshot,
                                         const Observations& observations) {
  Draft draft(kUsages, usage_.object());
  auto& status = draft.status();
  const json::Value before(status);
  observations.put_into(status, "Delivered",
                        fmt::format("The credentials of binding {} reach {} {}.", quoted(usage_.binding_name()),
                                    usage_.usage_kind(), quoted(usage_.workload())),
                        generation_of(usage_.object()), view_.now());
  if (!snapshot) {
    status.erase("snapshot");
  } else if (const auto stored = usage_.snapshot(); !stored || !same_but_generation(*stored, *snapshot)) {
    status["snapshot"] = snapshot->write();
  }
  if (!delivery_.secret_name.empty() && snapshot) status["secretName"] = text(delivery_.secret_name);
  if (snapshot) status["podPresetName"] = text(usage_.preset_name());
  const auto copied_to = text_at(usage_.status(), "snapshotConfigMapName");
  if (usage_.snapshot_map().empty() && !copied_to.empty()) {
    // A copy that is not wanted any more is found by this name until it is gone.
    const auto copy = view_.get(kSnapshotMaps, usage_.ns(), copied_to);
    if (!copy || !has_owner(copy, usage_.uid())) status.erase("snapshotConfigMapName");
  } else if (const auto* exported = observations.find(usage::kSnapshotExported); exported && exported->holds()) {
    status["snapshotConfigMapName"] = text(usage_.snapshot_map());
  }
  controller::Step step;
  if (draft.changed()) {
    if (auto note = note_of(before, status)) step.notes.push_back(std::move(*note));
    step.stages.emplace_back().push_back(std::move(draft).update_status());
  } else if (ask_again_) {
    step.wake = view_.now() + kAskAboutRightsAgain;
  }
  return step;
}

}  // namespace chandler::reconcilers
