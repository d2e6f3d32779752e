// The claim goes: its secret, its binding and, unless it is to be kept, its resource go before it. Ends in every state:
// what is not there any more, or belongs to others, holds nobody up.
#include <fmt/format.h>

#include "reconcilers/catalog/kinds.h"
#include "reconcilers/claim/connection_secret.h"
#include "reconcilers/claim/kinds.h"
#include "reconcilers/claim/managed_resource.h"
#include "reconcilers/claim/pass.h"
#include "reconcilers/claim/reasons.h"

namespace chandler::reconcilers::claims {
namespace {

using controller::Step;

// A creation that was sent just before the claim was deleted may still arrive.
constexpr std::chrono::seconds kStragglers{10};

Step let_go(Pass& pass) {
  Draft draft(pass.claim.kind(), pass.claim.object());
  draft.remove_finalizer(kClaimFinalizer);
  auto step = Step::write(std::move(draft).update());
  step.notes = std::move(pass.notes);
  return step;
}

Step wait_for(Pass& pass, const std::string& what, const client::Object& object) {
  const auto* ready = condition(status_of(object), kReady);
  const auto says = ready == nullptr ? std::string() : text_at(*ready, "message");
  pass.set_phase("Released");
  pass.not_ready(reason::kDeleting, says.empty() ? fmt::format("{} is being deleted.", what)
                                                 : fmt::format("{} is being deleted: {}", what, says));
  return pass.finish();
}

// Stays without its claim, for whoever looks after it.
client::Write retain(const ClaimView& claim, const client::KindName& kind, const client::Object& resource) {
  Draft draft(kind, resource);
  auto& labels = object_in(draft.metadata(), "labels");
  labels.erase(kClaimUidLabel);
  if (labels.empty()) draft.metadata().erase("labels");
  draft.set_annotation(kClaimAnnotation, std::nullopt);
  draft.set_annotation(kReleasedAnnotation, claim.address());
  auto& spec = draft.root()["spec"];
  if (spec.is_object()) spec.get_object().erase("claimRef");
  return std::move(draft).update();
}

}  // namespace

Step release(Pass& pass) {
  const auto& claim = pass.claim;
  if (auto write = remove_target(claim, pass.view)) return pass.then(*std::move(write));
  const auto record = claim.resource();
  if (record.empty()) return let_go(pass);

  if (!record.binding.empty()) {
    const auto binding = pass.view.get(kBindings, record.ns, record.binding);
    if (belongs_to(claim, binding)) {
      if (!binding.deleting()) return pass.then(delete_of(kBindings, binding));
      return wait_for(pass, fmt::format("ServiceBinding {}/{}", record.ns, record.binding), binding);
    }
  }
  const auto kind = recorded_kind(record, pass.view);
  const auto resource = kind ? pass.view.get(kind->name, record.ns, record.name) : client::Object();
  if (!resource && kind && record.uid.empty() && !record.is_static) {
    const auto decided = time_at(member(claim.status(), "resource"), "time");
    if (decided && pass.view.now() < *decided + kStragglers) return pass.finish(std::nullopt, *decided + kStragglers);
  }
  if (!belongs_to(claim, resource)) return let_go(pass);
  if (record.is_static || claim.retains()) {
    pass.notes.push_back({false, std::string(reason::kReleased), fmt::format("{} is kept.", record.text())});
    auto step = pass.then(retain(claim, kind->name, resource));
    step.notes = std::move(pass.notes);
    return step;
  }
  if (!resource.deleting()) return pass.then(delete_of(kind->name, resource));
  return wait_for(pass, record.text(), resource);
}

}  // namespace chandler::reconcilers::claims
