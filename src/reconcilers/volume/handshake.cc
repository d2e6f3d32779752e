#include "reconcilers/volume/handshake.h"

#include <utility>

#include <fmt/format.h>

#include "reconcilers/catalog/document.h"
#include "reconcilers/volume/claim_waiting.h"
#include "reconcilers/volume/local_order.h"
#include "reconcilers/volume/volume_kinds.h"

namespace chandler::reconcilers {
namespace {

void add_stage(controller::Step& step, client::Write write) { step.stages.emplace_back().push_back(std::move(write)); }

void name_claim(controller::Step& step, const client::Object& claim, const client::Object& volume) {
  const auto& reference = member(spec_of(volume), "claimRef");
  if (text_at(reference, "uid") == claim.uid()) return;
  Draft draft(kVolumes, volume);
  if (!reference.is_object()) draft.set_annotation(kBoundByController, "yes");
  auto& written = object_in(draft.spec(), "claimRef");
  written["apiVersion"] = "v1";
  written["kind"] = "PersistentVolumeClaim";
  written["namespace"] = text(claim.ns());
  written["name"] = text(claim.name());
  written["uid"] = text(claim.uid());
  written["resourceVersion"] = claim.resource_version();
  add_stage(step, std::move(draft).update());
}

void name_volume(controller::Step& step, const client::Object& claim, const client::Object& volume) {
  Draft draft(kClaims, claim);
  if (text_at(spec_of(claim), "volumeName").empty()) {
    draft.spec()["volumeName"] = text(volume.name());
    draft.set_annotation(kBoundByController, "yes");
  }
  if (annotation_of(claim, kBindCompleted) != "yes") draft.set_annotation(kBindCompleted, "yes");
  // From here on the volume tells what lies where, if it is the one that was ordered. Beside another one the order
  // stands until what may lie on the disk for it has been removed.
  if (volume.name() == volume_name(claim)) {
    if (has_finalizer(claim, kOrderFinalizer)) draft.remove_finalizer(kOrderFinalizer);
    if (!annotation_of(claim, kOrderAnnotation).empty()) draft.set_annotation(kOrderAnnotation, std::nullopt);
  }
  if (draft.changed()) add_stage(step, std::move(draft).update());
}

void tell_claim(controller::Step& step, const client::Object& claim, const client::Object& volume) {
  Draft draft(kClaims, claim);
  auto& status = draft.status();
  status["phase"] = "Bound";
  status["accessModes"] = member(spec_of(volume), "accessModes");
  status["capacity"] = member(spec_of(volume), "capacity");
  remove_waiting(status);
  if (draft.changed()) add_stage(step, std::move(draft).update_status());
}

}  // namespace

controller::Step bind(const client::Object& claim, const client::Object& volume) {
  controller::Step step;
  name_claim(step, claim, volume);
  auto phase = set_phase(volume, "Bound", "", "");
  for (auto& stage : phase.stages) step.stages.push_back(std::move(stage));
  name_volume(step, claim, volume);
  tell_claim(step, claim, volume);
  return step;
}

controller::Step set_phase(const client::Object& volume, std::string_view phase, std::string_view reason,
                           std::string_view message) {
  Draft draft(kVolumes, volume);
  auto& status = draft.status();
  status["phase"] = text(phase);
  for (const auto& [key, value] : {std::pair("reason", reason), std::pair("message", message)}) {
    if (value.empty()) {
      status.erase(key);
    } else {
      status[key] = text(value);
    }
  }
  if (!draft.changed()) return controller::Step::done();
  return controller::Step::write(std::move(draft).update_status());
}

}  // namespace chandler::reconcilers
