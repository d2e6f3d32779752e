// The resource is decided on: it is made, awaited, and its connection details are passed on.
#include <fmt/format.h>

#include "reconcilers/catalog/kinds.h"
#include "reconcilers/claim/connection_secret.h"
#include "reconcilers/claim/kinds.h"
#include "reconcilers/claim/managed_resource.h"
#include "reconcilers/claim/pass.h"
#include "reconcilers/claim/reasons.h"
#include "reconcilers/claim/redaction.h"

namespace chandler::reconcilers::claims {
namespace {

using controller::Step;

client::Write creation(const client::KindName& kind, const std::string& ns, const std::string& name,
                       json::Value object) {
  client::Write write;
  write.verb = client::Write::Verb::kCreate;
  write.kind = kind;
  write.ns = ns;
  write.name = name;
  write.object = std::move(object);
  return write;
}

// What a resource says about itself, for people.
std::string progress_of(const client::Object& resource) {
  const auto* ready = condition(status_of(resource), kReady);
  if (ready == nullptr) return "it has not said anything yet";
  const auto why = text_at(*ready, "reason");
  const auto message = text_at(*ready, "message");
  if (message.empty()) return why.empty() ? "it is not ready" : why;
  return why.empty() ? message : fmt::format("{}: {}", why, message);
}

client::Object class_of(Pass& pass) {
  const auto name = pass.claim.resolved_class();
  return name.name.empty() ? client::Object() : pass.view.get(kResourceClasses, name.ns, name.name);
}

// A creation that was refused is shown before it is tried again.
Step create(Pass& pass, client::Write write, std::string_view what) {
  if (const auto failure = pass.view.last_failure(); !failure.empty()) {
    const auto used = class_of(pass);
    const auto told = without_values(failure, used ? ResourceClassView(used).parameters() : json::Value());
    pass.not_ready(reason::kCreateFailed, fmt::format("{} could not be created: {}", what, told));
    if (pass.draft.changed()) return pass.finish();
  }
  return pass.then(std::move(write));
}

Step create_resource(Pass& pass, const ResourceRecord& record, const client::ServedKind& kind) {
  const auto class_object = class_of(pass);
  if (!class_object) {
    return pass.stop({reason::kClassNotFound,
                      fmt::format("Class {}, with which {} was going to be created, is gone. Create it anew, or delete "
                                  "the claim.",
                                  pass.claim.resolved_class().text(), record.text())});
  }
  auto object = managed_object(pass.claim, ResourceClassView(class_object), record, kind, pass.view);
  if (!object.ok()) return pass.stop(object.error());
  return create(pass, creation(kind.name, record.ns, record.name, *std::move(object)), record.text());
}

Step take(Pass& pass, const client::KindName& kind, const client::Object& resource) {
  Draft draft(kind, resource);
  object_in(draft.metadata(), "labels")[kClaimUidLabel] = text(pass.claim.uid());
  draft.set_annotation(kClaimAnnotation, pass.claim.address());
  return pass.then(std::move(draft).update());
}

void note_class_changes(Pass& pass) {
  const auto used = class_of(pass);
  const auto& before = member(pass.claim.resolution(), "class");
  const bool outdated =
      used && text_at(before, "uid") == used.uid() && number_at(before, "generation") != generation_of(used);
  if (outdated) {
    pass.set(kOutdatedClass, Truth::kTrue, reason::kClassChanged,
             fmt::format("Class {} has changed since; the resource keeps what it was made with.",
                         pass.claim.resolved_class().text()),
             false);
  } else if (condition(pass.claim.status(), kOutdatedClass) != nullptr) {
    remove_condition(pass.draft.status(), kOutdatedClass);
  }
}

Step bound(Pass& pass, const ResourceRecord& record) {
  pass.set_phase("Bound");
  note_class_changes(pass);
  pass.set(kReady, Truth::kTrue, reason::kAvailable, fmt::format("{} serves the claim.", record.text()));
  return pass.finish();
}

// The resource can be used; `from` is where its connection details are.
Step pass_on(Pass& pass, const ResourceRecord& record, const SecretPlace& from, bool is_optional) {
  auto outcome = propagate(pass.claim, from, pass.view);
  auto& status = pass.draft.status();
  if (outcome.is_waiting) {
    const auto message = fmt::format("Secret {}/{} with the connection details is not there yet.", from.ns, from.name);
    if (is_optional) {
      pass.set(kSecretPropagated, Truth::kFalse, reason::kNoConnectionSecret, message, false);
      return bound(pass, record);
    }
    pass.set(kSecretPropagated, Truth::kFalse, reason::kWaitingForSecret, message, false);
    pass.not_ready(reason::kWaitingForSecret, message);
    return pass.finish();
  }
  if (outcome.problem) {
    pass.set(kSecretPropagated, Truth::kFalse, outcome.problem->reason, outcome.problem->message, false);
    return pass.stop(*outcome.problem);
  }
  if (outcome.write) return pass.then(*std::move(outcome.write));
  auto& secret = object_in(status, "credentialsSecret");
  secret["name"] = text(pass.claim.secret_name());
  secret["uid"] = text(outcome.target_uid);
  secret["sourceUID"] = text(outcome.source_uid);
  pass.set(kSecretPropagated, Truth::kTrue, reason::kPropagated,
           fmt::format("Secret {} holds the connection details.", pass.claim.secret_name()), false);
  return bound(pass, record);
}

Step serve_from_catalog(Pass& pass, const ResourceRecord& record) {
  const auto binding = pass.view.get(kBindings, record.ns, record.binding);
  const auto text_of_binding = fmt::format("ServiceBinding {}/{}", record.ns, record.binding);
  if (!binding) {
    const auto class_object = record.is_static ? client::Object() : class_of(pass);
    const std::optional<ResourceClassView> used =
        class_object ? std::optional<ResourceClassView>(class_object) : std::nullopt;
    auto object = binding_object(pass.claim, used ? &*used : nullptr, record);
    if (!object.ok()) return pass.stop(object.error());
    return create(pass, creation(kBindings, record.ns, record.binding, *std::move(object)), text_of_binding);
  }
  if (!belongs_to(pass.claim, binding)) {
    return pass.stop({reason::kResourceConflict,
                      fmt::format("{} exists and was not made for this claim. Delete it.", text_of_binding)});
  }
  if (!condition_true(status_of(binding), kReady)) {
    pass.not_ready(reason::kWaitingForBinding, fmt::format("{}: {}", text_of_binding, progress_of(binding)));
    return pass.finish();
  }
  return pass_on(pass, record, {record.ns, text_at(spec_of(binding), "secretName"), std::string(binding.uid())}, false);
}

Step serve_from_resource(Pass& pass, const ResourceRecord& record, const client::Object& resource) {
  const auto& wanted = member(spec_of(resource), "writeConnectionSecretToRef");
  SecretPlace from{text_at(wanted, "namespace"), text_at(wanted, "name"), std::string(resource.uid())};
  const bool is_optional = from.name.empty();
  if (from.name.empty()) from.name = record.name;
  if (!record.ns.empty()) from.ns = record.ns;  // nobody passes on what is elsewhere
  if (from.ns.empty()) from.ns = pass.claim.resolved_class().ns;
  if (from.ns.empty()) return bound(pass, record);
  return pass_on(pass, record, from, is_optional);
}

Step lost(Pass& pass, const ResourceRecord& record, std::string_view how) {
  pass.set_phase("Unbound");
  return pass.stop(
      {reason::kResourceLost,
       fmt::format("{} {}. What it held is not made anew by itself: delete the claim and create another one.",
                   record.text(), how)});
}

}  // namespace

Step serve(Pass& pass) {
  const auto record = pass.claim.resource();
  // The decision stands in status; it is in the spec before anything follows from it.
  const auto given = pass.claim.given_resource();
  // A user may spell the kind as he likes, and it is his to keep.
  const bool differs = !record.is_static && (given.kind != record.kind || given.ns != record.ns);
  if (differs || given.name != record.name) {
    Draft intent(pass.claim.kind(), pass.claim.object());
    auto& reference = intent.spec()["resourceRef"].emplace_object();
    reference["apiVersion"] = text(record.api_version);
    reference["kind"] = text(record.kind);
    if (!record.ns.empty()) reference["namespace"] = text(record.ns);
    reference["name"] = text(record.name);
    return Step::write(std::move(intent).update());
  }
  const auto kind = recorded_kind(record, pass.view);
  if (!kind) {
    return pass.stop(
        {reason::kUnknownProvisioner, fmt::format("There is no kind {} in {} any more; install what provides it.",
                                                  record.kind, record.api_version)});
  }
  const auto resource = pass.view.get(kind->name, record.ns, record.name);
  if (!resource && record.uid.empty() && !record.is_static) return create_resource(pass, record, *kind);
  if (!resource) return lost(pass, record, "is gone");
  if (!record.uid.empty() && record.uid != resource.uid())
    return lost(pass, record, "was deleted and made anew by others");
  if (!belongs_to(pass.claim, resource)) {
    if (auto problem = objection(pass.claim, resource, record); problem || !record.is_static) {
      return pass.stop({reason::kResourceConflict,
                        record.is_static
                            ? problem->message
                            : fmt::format("{} exists and was not made for this claim. Delete it.", record.text())});
    }
    return take(pass, kind->name, resource);
  }
  object_in(pass.draft.status(), "resource")["uid"] = text(resource.uid());
  if (resource.deleting()) return lost(pass, record, "is being deleted");
  if (!condition_true(status_of(resource), kReady)) {
    pass.not_ready(reason::kWaitingForResource, fmt::format("{}: {}", record.text(), progress_of(resource)));
    return pass.finish();
  }
  if (!record.binding.empty()) return serve_from_catalog(pass, record);
  return serve_from_resource(pass, record, resource);
}

}  // namespace chandler::reconcilers::claims
