// From a claim to the decision what is going to serve it, in status and spec before anything is made.
#include <fmt/format.h>

#include "base/time_text.h"
#include "reconcilers/claim/class_search.h"
#include "reconcilers/claim/kinds.h"
#include "reconcilers/claim/managed_resource.h"
#include "reconcilers/claim/pass.h"
#include "reconcilers/claim/reasons.h"
#include "resolve/provisioner.h"

namespace chandler::reconcilers::claims {
namespace {

using controller::Step;

json::Value record_of(const ResourceRecord& record, WallTime now) {
  json::Object out;
  out["apiVersion"] = text(record.api_version);
  out["kind"] = text(record.kind);
  if (!record.ns.empty()) out["namespace"] = text(record.ns);
  out["name"] = text(record.name);
  if (!record.binding.empty()) out["binding"] = text(record.binding);
  if (record.is_static) out["static"] = true;
  out["time"] = text(rfc3339(now));
  return out;
}

json::Value reference_to(const ResourceRecord& record) {
  json::Object out;
  out["apiVersion"] = text(record.api_version);
  out["kind"] = text(record.kind);
  if (!record.ns.empty()) out["namespace"] = text(record.ns);
  out["name"] = text(record.name);
  return out;
}

// The class is in the spec and on the label by which users of a class are found.
Draft with_class(const ClaimView& claim, const client::Object& used, bool name_it) {
  Draft draft(claim.kind(), claim.object());
  object_in(draft.metadata(), "labels")[kClassUidLabel] = text(used.uid());
  if (name_it) {
    auto& reference = draft.spec()["classReference"].emplace_object();
    reference["namespace"] = text(used.ns());
    reference["name"] = text(used.name());
  }
  return draft;
}

// No class serves it: it is no user of one, and what was chosen before is taken back.
Draft without_class(const ClaimView& claim, bool was_chosen) {
  Draft draft(claim.kind(), claim.object());
  if (was_chosen) draft.spec().erase("classReference");
  if (claim.object().document().label(kClassUidLabel)) {
    auto& labels = object_in(draft.metadata(), "labels");
    labels.erase(kClassUidLabel);
    if (labels.empty()) draft.metadata().erase("labels");
  }
  return draft;
}

// All is known: the intent, complete, before the first effect.
Step plan(Pass& pass, const client::Object& class_object) {
  const ResourceClassView used(class_object);
  auto kind = provisioner_kind(used, pass.settings, pass.view);
  if (!kind.ok()) return pass.stop(kind.error());
  const auto record = planned_resource(pass.claim, used, *kind);
  // What cannot be made is told before anything is written down.
  if (auto object = managed_object(pass.claim, used, record, *kind, pass.view); !object.ok()) {
    return pass.stop(object.error());
  }
  if (!record.binding.empty()) {
    if (auto binding = binding_object(pass.claim, &used, record); !binding.ok()) return pass.stop(binding.error());
  }
  auto& status = pass.draft.status();
  auto& resolution = object_in(status, "resolution");
  // It may have been deleted and made anew since it was chosen.
  object_in(resolution, "class")["uid"] = text(class_object.uid());
  object_in(resolution, "class")["generation"] = generation_of(class_object);
  resolution["provisioner"] = text(used.provisioner());
  resolution["reclaimPolicy"] = text(used.reclaim_policy());
  status["resource"] = record_of(record, pass.view.now());
  status["provisioner"] = text(used.provisioner());
  pass.not_ready(reason::kCreating,
                 fmt::format("{} is being created with class {}.", record.text(), used.name().text()));
  Draft intent(pass.claim.kind(), pass.claim.object());
  intent.spec()["resourceRef"] = reference_to(record);
  return pass.finish(std::move(intent));
}

// The user names the resource; classes do not matter then.
Step take_given(Pass& pass, ResourceRecord record) {
  auto kind = recorded_kind(record, pass.view);
  if (!kind || !kind->exact_version) {
    return pass.stop({reason::kResourceNotFound,
                      fmt::format("spec.resourceRef: there is no kind {} in {}.", record.kind, record.api_version)});
  }
  const resolve::Provisioner as_provisioner{kind->singular, std::string(kind->name.group), kind->version};
  if (const auto fault = resolve::unfit_provisioner(as_provisioner); !fault.empty()) {
    return pass.stop({reason::kResourceNotOffered, fmt::format("spec.resourceRef: {}.", fault)});
  }
  if (kind->namespaced && record.ns.empty()) record.ns = pass.claim.ns();
  if (!kind->namespaced) record.ns.clear();
  const auto resource = pass.view.get(kind->name, record.ns, record.name);
  if (!resource) {
    return pass.stop({reason::kResourceNotFound, fmt::format("{}, which spec.resourceRef names, does not exist. Create "
                                                             "it, or name another one.",
                                                             record.text())});
  }
  if (auto problem = objection(pass.claim, resource, record)) return pass.stop(*problem);
  record.kind = kind->kind;
  record.is_static = true;
  record.uid.clear();
  if (is_service(*kind)) record.binding = managed_name(pass.claim);
  auto& status = pass.draft.status();
  auto& resolution = status["resolution"].emplace_object();
  resolution["source"] = "Resource";
  const auto message = fmt::format("The claim names its resource, {}.", record.text());
  resolution["message"] = text(message);
  resolution["time"] = text(rfc3339(pass.view.now()));
  status["resource"] = record_of(record, pass.view.now());
  pass.set(kClassResolved, Truth::kTrue, reason::kResourceGiven, message);
  pass.not_ready(reason::kWaitingForResource, fmt::format("{} is going to be taken.", record.text()));
  return pass.finish(without_class(pass.claim, false));  // a class that served it before it was given one is free
}

Step show_unresolved(Pass& pass, std::string_view why, std::string_view message, json::Value resolution) {
  auto& status = pass.draft.status();
  if (resolution.is_object()) {
    status["resolution"] = std::move(resolution);
  } else {
    status.erase("resolution");
  }
  pass.set(kClassResolved, Truth::kFalse, why, message);
  pass.set(kReady, Truth::kFalse, why, message, false);
  return pass.finish(without_class(pass.claim, false));
}

}  // namespace

Step find_resource(Pass& pass) {
  const auto& claim = pass.claim;
  if (auto given = claim.given_resource(); !given.empty()) return take_given(pass, std::move(given));

  const bool was_chosen = claim.was_chosen();
  auto answer = find_class(claim, claim.reference(), pass.settings, pass.view);
  const bool stays = was_chosen && answer.ok() && answer->is_chosen() && still_fits(claim, answer->chosen());
  // A class that was chosen and cannot serve any more, or is not asked for any more, before anything was made: choose
  // again. First it goes from the spec, where nothing tells it from one that the user named.
  if (was_chosen && !stays) return Step::write(without_class(claim, true).update());
  if (!answer.ok()) return show_unresolved(pass, answer.error().reason, answer.error().message, {});
  if (!answer->is_chosen()) {
    return show_unresolved(pass, reason_of(*answer), answer->decision.message,
                           describe(*answer, claim.resolution(), pass.view.now()));
  }
  const auto& used = answer->chosen();
  const bool named_by_user = answer->decision.source == resolve::ClassSource::kReference;
  if (!stays) {
    pass.draft.status()["resolution"] = describe(*answer, claim.resolution(), pass.view.now());
    pass.set(kClassResolved, Truth::kTrue, reason_of(*answer), answer->decision.message);
  }
  auto completed = with_class(claim, used, !named_by_user);
  if (completed.changed()) {
    pass.set(kReady, Truth::kFalse, reason::kCreating,
             fmt::format("Class {} serves the claim.", ResourceClassView(used).name().text()), false);
    return pass.finish(std::move(completed));
  }
  return plan(pass, used);
}

}  // namespace chandler::reconcilers::claims
