// What has to be done for a usage that is wanted.
#include "reconcilers/usage/usage_pass.h"

#include <fmt/format.h>

#include "base/text.h"
#include "json/arena.h"
#include "reconcilers/catalog/kinds.h"
#include "reconcilers/catalog/parameters.h"
#include "reconcilers/usage/immutable_job.h"
#include "reconcilers/usage/rollout.h"
#include "reconcilers/usage/usage_names.h"
#include "reconcilers/usage/workload_access.h"

namespace chandler::reconcilers {
namespace {

bool is_binding_reference(const json::Value& reference) {
  return text_at(reference, "kind") == "ServiceBinding" &&
         text_at(reference, "apiVersion").starts_with("servicecatalog.k8s.io/");
}

std::string_view reason_of(resolve::LabelObstacle::Kind kind) {
  using Kind = resolve::LabelObstacle::Kind;
  switch (kind) {
    case Kind::kPathBlocked:
      return "LabelsPathBlocked";
    case Kind::kRecordUnreadable:
      return "LabelRecordUnreadable";
    case Kind::kRecordTooLarge:
      return "TooManyUsages";
    case Kind::kConflict:
      break;
  }
  return "LabelConflict";
}

}  // namespace

controller::Step UsagePass::run() {
  if (!has_finalizer(usage_.object(), kUsageFinalizer)) {
    Draft draft(kUsages, usage_.object());
    draft.add_finalizer(kUsageFinalizer);
    return controller::Step::write(std::move(draft).update());
  }
  snapshot_ = usage_.snapshot();
  delivery_ = find_delivery(usage_, view_);
  target_ = find_target(usage_, view_);
  if (auto step = refer_to_binding()) return std::move(*step);
  observations_.add(delivery_.binding_ready);
  observations_.add(target_.resolved);
  if (auto step = leave_former_target()) return std::move(*step);
  if (!look_at_access()) return controller::Step::done();
  auto wanted = look_at_labels();
  if (wanted) {
    if (auto step = record_snapshot()) return std::move(*step);
    if (auto step = write_preset()) return std::move(*step);
    if (auto step = export_snapshot()) return std::move(*step);
    if (!json::equal(*wanted, workload_.value())) {
      if (auto step = tell_refusal()) return std::move(*step);
      return controller::Step::write(update_to(target_.snapshot->target.kind_name(), workload_, std::move(*wanted)));
    }
    look_at_extras();
  }
  return conclude();
}

std::optional<controller::Step> UsagePass::refer_to_binding() {
  const auto& binding = delivery_.binding;
  const bool is_there = binding && !binding.deleting();
  if (is_there && has_owner(usage_.object(), binding.uid())) return std::nullopt;
  bool changed = is_there;
  json::Array references;
  if (const auto* before = json::array_at(member(usage_.object().value(), "metadata"), "ownerReferences")) {
    for (const auto& reference : *before) {
      // One that is going takes the usage with it: the reference to it stays. One that is not named any more must not.
      const bool is_named = !is_there && text_at(reference, "name") == usage_.binding_name();
      if (is_binding_reference(reference) && !is_named) {
        changed = true;
      } else {
        references.push_back(reference);
      }
    }
  }
  if (!changed) return std::nullopt;
  if (is_there) {
    json::Object reference;
    reference["apiVersion"] = text(kCatalogVersion);
    reference["kind"] = "ServiceBinding";
    reference["name"] = text(binding.name());
    reference["uid"] = text(binding.uid());
    references.push_back(std::move(reference));
  }
  Draft draft(kUsages, usage_.object());
  if (references.empty()) {
    draft.metadata().erase("ownerReferences");
  } else {
    draft.metadata()["ownerReferences"] = std::move(references);
  }
  return controller::Step::write(std::move(draft).update());
}

std::optional<controller::Step> UsagePass::leave_former_target() {
  if (!snapshot_) return std::nullopt;
  const bool left = target_.snapshot ? !target_.snapshot->target.same_place(snapshot_->target)
                                     : snapshot_->usage_kind != usage_.usage_kind() ||
                                           snapshot_->target.workload != usage_.workload();
  if (!left) return std::nullopt;
  if (auto step = take_off(*snapshot_)) return step;
  snapshot_.reset();  // nothing is there any more; the stored one goes with the next status
  return std::nullopt;
}

std::optional<controller::Step> UsagePass::take_off(const UsageSnapshot& snapshot) {
  const auto& target = snapshot.target;
  const auto kind = target.kind_name();
  const auto path = resolve::LabelPath::parse(target.labels_path);
  if (!path.ok()) return std::nullopt;  // somebody has edited the snapshot; there is nothing to go by
  if (!view_.find_kind(target.group, target.version, target.plural)) return std::nullopt;  // all of them are gone
  // Without the right to it a workload is not even looked at.
  const auto answer = controllers_may_change(controller_, {kind, target.version, usage_.ns(), target.workload}, view_);
  if (answer.decision == Decision::kUnknown) return controller::Step::done();
  if (answer.decision == Decision::kAllowed) {
    const auto workload = view_.get(kind, usage_.ns(), target.workload);
    // The labels of a Job that has begun cannot change. They do no harm without their PodPreset.
    if (!workload || is_immutable_job(target, workload)) return std::nullopt;
    json::Value value(workload.value(), json::arena());
    if (!resolve::withdraw_labels(value, usage_.uid(), *path, {usage_.own_label()})) return std::nullopt;
    // A refusal is shown before it is tried again: a deletion that waits says for what.
    if (const auto failure = view_.last_failure(); !failure.empty()) {
      Observations observations = observations_;
      observations.add({usage::kLabelsApplied, Truth::kFalse, "EnsureLabelsDeletedError",
                        fmt::format("The labels could not be taken off {}: {}", target.described(), failure)});
      if (auto step = write_status(snapshot_, observations); !step.stages.empty()) return step;
    }
    return controller::Step::write(update_to(kind, workload, std::move(value)));
  }
  ask_again_ = true;
  Observations observations = observations_;
  observations.add(
      {usage::kAccessGranted, Truth::kFalse, "ControllerAccessDenied",
       fmt::format("The labels on {} have to be taken off first. {}", target.described(), answer.message)});
  return write_status(snapshot_, observations);
}

bool UsagePass::look_at_access() {
  Observation out{usage::kAccessGranted, Truth::kUnknown, "Waiting", "The kind of workload is not known yet."};
  if (!target_.snapshot) {
    observations_.add(std::move(out));
    return true;
  }
  const auto& target = target_.snapshot->target;
  const WorkloadQuestion question{target.kind_name(), target.version, usage_.ns(), target.workload};
  const auto mine = controllers_may_change(controller_, question, view_);
  const auto requester = user_of(member(usage_.spec(), "userInfo"));
  // Where no admission records who asks, whoever may make usages is trusted, as everywhere with controllers.
  const auto theirs = requester.name.empty() ? WorkloadAnswer{Decision::kAllowed, ""}
                                             : requester_may_change(requester, question, view_);
  if (mine.decision == Decision::kUnknown || theirs.decision == Decision::kUnknown) return false;
  may_look_ = mine.decision == Decision::kAllowed;
  may_touch_ = may_look_ && theirs.decision == Decision::kAllowed;
  ask_again_ = !may_touch_;
  out.truth = may_touch_ ? Truth::kTrue : Truth::kFalse;
  if (may_touch_) {
    out.reason = "AccessGranted";
    out.message = fmt::format("The controllers and the user who asked may change {}.", target.described());
  } else if (mine.decision == Decision::kDenied) {
    out.reason = "ControllerAccessDenied";
    out.message = mine.message;
  } else {
    out.reason = "RequesterAccessDenied";
    out.message = theirs.message;
  }
  observations_.add(std::move(out));
  return true;
}

std::optional<json::Value> UsagePass::look_at_labels() {
  Observation out{usage::kLabelsApplied, Truth::kFalse, "Waiting", ""};
  const auto refuse = [&](std::string_view reason, std::string message) {
    out.reason = reason;
    out.message = std::move(message);
    observations_.add(std::move(out));
    return std::nullopt;
  };
  if (may_look_) {
    const auto& place = target_.snapshot->target;
    workload_ = view_.get(place.kind_name(), usage_.ns(), place.workload);
  }
  if (!delivery_.binding_ready.holds() || !may_touch_) {
    if (workload_ && snapshot_ && resolve::holds_labels(workload_.value(), usage_.uid())) {
      out.truth = Truth::kTrue;
      return refuse("LabelsApplied",
                    fmt::format("What was delivered to {} before stays.", snapshot_->target.described()));
    }
    if (snapshot_ && !may_look_) {
      out.truth = Truth::kUnknown;
      return refuse("Waiting", fmt::format("What was delivered to {} before stays, as far as can be seen from here.",
                                           snapshot_->target.described()));
    }
    return refuse("Waiting", "Nothing is touched before the conditions above hold.");
  }
  const auto& target = target_.snapshot->target;
  if (!workload_) {
    return refuse("WorkloadNotFound",
                  fmt::format("There is no {} in namespace {}; it gets the credentials as soon as there is.",
                              target.described(), quoted(usage_.ns())));
  }
  if (workload_.deleting()) {
    return refuse("WorkloadBeingDeleted", fmt::format("The {} is being deleted.", target.described()));
  }
  if (!delivery_.labels_problem.empty()) {
    return refuse("ServiceClassGetBindingLabelsError", delivery_.labels_problem + ".");
  }
  for (const auto& label : delivery_.labels) target_.snapshot->labels[label.key] = label.value;
  resolve::LabelClaim claim{usage_.uid(), *target_.path, delivery_.labels, {}};
  claim.note["usage"] = text(usage_.name());
  claim.note["usageKind"] = text(target_.snapshot->usage_kind);
  claim.note["usageKindUID"] = text(target_.snapshot->usage_kind_uid);
  claim.note["version"] = text(target.version);
  claim.note["labelsPath"] = text(target.labels_path);
  json::Value value(workload_.value(), json::arena());
  if (auto obstacle = resolve::project_labels(value, claim)) {
    return refuse(reason_of(obstacle->kind), fmt::format("{}: {}.", target.described(), obstacle->message));
  }
  // Labels that the API drops would be put there again and again.
  if (target_.path_valid.truth == Truth::kFalse) {
    return refuse(target_.path_valid.reason,
                  fmt::format("UsageKind {}: {}", quoted(usage_.usage_kind()), target_.path_valid.message));
  }
  if (is_immutable_job(target, workload_) && !json::equal(value, workload_.value())) {
    return refuse("WorkloadImmutable",
                  fmt::format("The pod template of {} cannot change once it has begun; make the Job anew with "
                              "spec.suspend: true, and resume it when this usage is ready.",
                              target.described()));
  }
  out.truth = Truth::kTrue;
  out.reason = "LabelsApplied";
  out.message = fmt::format("The labels are on {} at {}.", target.described(), target.labels_path);
  observations_.add(std::move(out));
  return value;
}

}  // namespace chandler::reconcilers
