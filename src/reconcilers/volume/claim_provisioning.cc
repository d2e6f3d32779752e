// Claims for which a volume is made.
#include <fmt/format.h>

#include "json/writer.h"
#include "reconcilers/catalog/document.h"
#include "reconcilers/volume/claim_pass.h"
#include "reconcilers/volume/handshake.h"
#include "reconcilers/volume/local_calls.h"
#include "reconcilers/volume/volume_match.h"
#include "resolve/choose_default.h"

namespace chandler::reconcilers {
namespace {

void name_provisioner(Draft& draft, std::string_view provisioner) {
  draft.set_annotation(kStorageProvisioner, provisioner);
  draft.set_annotation(kBetaStorageProvisioner, provisioner);
}

std::string values_text(const std::map<std::string, std::string>& values) {
  json::Object out;
  for (const auto& [key, value] : values) out[key] = value;
  return json::write(out);
}

}  // namespace

controller::Step ClaimPass::look_for_volume() {
  if (settings_.binds) {
    if (const auto volume = reserved_volume()) return bind(claim_, volume);
  }
  // What has been asked of a disk is carried out, whatever has become of the class.
  if (const auto stored = annotation_of(claim_, kOrderAnnotation);
      !stored.empty() && has_finalizer(claim_, kOrderFinalizer) && !settings_.pools.empty()) {
    if (const auto order = LocalOrder::read(stored)) return carry_out(*order);
  }
  const auto class_name = resolve::class_of_claim(claim_.value());
  const auto storage_class =
      class_name && !class_name->empty() ? view_.get(kStorageClasses, "", *class_name) : client::Object();
  // Which volume serves a claim that waits for its first user is for the scheduler to say. Where none is ever made, a
  // node that was chosen says that the user is there.
  const bool waits =
      storage_class && waits_for_node(storage_class) &&
      (text_at(storage_class.value(), "provisioner") != kNoProvisioner || annotation_of(claim_, kSelectedNode).empty());
  if (settings_.binds && !waits) {
    if (const auto volume = free_volume(class_name.value_or(""))) return bind(claim_, volume);
  }
  if (!class_name) return give_default_class();
  if (class_name->empty()) {
    return wait("FailedBinding", "no free volume fits, and the claim wants none to be made (storageClassName is \"\")",
                "", false);
  }
  if (!storage_class || storage_class.deleting()) {
    std::vector<std::string> names;
    for (const auto& other : view_.list(kStorageClasses, {})) names.emplace_back(other.name());
    return wait("ProvisioningFailed",
                fmt::format("there is no StorageClass \"{}\"; there {}", *class_name,
                            names.empty() ? "is none" : "are: " + resolve::list_names(names)),
                "NoSuchClass");
  }
  return provision(storage_class);
}

bool ClaimPass::waits_for_node(const client::Object& storage_class) const {
  return text_at(storage_class.value(), "volumeBindingMode") == "WaitForFirstConsumer";
}

controller::Step ClaimPass::provision(const client::Object& storage_class) {
  const auto provisioner = text_at(storage_class.value(), "provisioner");
  if (waits_for_node(storage_class) && annotation_of(claim_, kSelectedNode).empty()) {
    return wait("WaitForFirstConsumer", "the claim gets a volume when a pod that uses it has been given a node", "",
                false);
  }
  if (provisioner == kNoProvisioner) {
    return wait("FailedBinding",
                fmt::format("no free volume fits, and StorageClass \"{}\" makes none", storage_class.name()), "",
                false);
  }
  return provisioner == kLocalProvisioner && !settings_.pools.empty() ? order(storage_class)
                                                                      : provision_outside(storage_class);
}

// The provisioner is the judge; we say beforehand what it will have to say, and hand it what was resolved.
controller::Step ClaimPass::provision_outside(const client::Object& storage_class) {
  const auto provisioner = text_at(storage_class.value(), "provisioner");
  Draft draft(kClaims, claim_);
  if (annotation_of(claim_, kStorageProvisioner) != provisioner) name_provisioner(draft, provisioner);
  Waiting waiting{"ExternalProvisioning", "",
                  fmt::format("waiting for the provisioner {} to make a volume; make sure that it runs", provisioner),
                  false};
  const auto read = resolve::read_tunable_class(storage_class.value());
  if (!read.ok()) {
    waiting = {"ProvisioningFailed", "ClassConflict",
               fmt::format("StorageClass \"{}\": {}", storage_class.name(), read.error().message)};
  } else if (!read->options.empty() &&
             resolve::selector_policy(storage_class.value()) != resolve::SelectorPolicy::kIgnore) {
    const auto resolution = resolve::resolve_selector(*read, resolve::common_profile(),
                                                      {.namespace_name = std::string(claim_.ns()),
                                                       .claim_name = std::string(claim_.name()),
                                                       .selector = json::find(spec_of(claim_), "selector")});
    if (resolution.ok()) {
      const auto resolved = values_text(resolution.values());
      if (annotation_of(claim_, kResolvedAnnotation) != resolved) draft.set_annotation(kResolvedAnnotation, resolved);
    } else {
      waiting = {"ProvisioningFailed", std::string(resolve::fault_name(resolution.problems.front().fault)),
                 fmt::format("the provisioner {} will have to refuse this: {}", provisioner,
                             resolve::problems_text(resolution.problems))};
    }
  }
  controller::Step step;
  if (draft.changed()) step.stages.emplace_back().push_back(std::move(draft).update());
  add_wait(step, claim_, waiting, view_.now());
  return step;
}

// Decides what is made and stores that, before anything is.
controller::Step ClaimPass::order(const client::Object& storage_class) {
  const auto selected = annotation_of(claim_, kSelectedNode);
  if (waits_for_node(storage_class) && selected != settings_.node) {
    return reschedule(fmt::format("{} makes volumes on node \"{}\" only, not on \"{}\"", kLocalProvisioner,
                                  settings_.node, selected));
  }
  const auto node = selected.empty() ? client::Object() : view_.get(kNodes, "", selected);
  const auto decision = decide_order(settings_, claim_, storage_class, node);
  if (!decision.order) {
    return decision.reschedule ? reschedule(decision.message)
                               : wait("ProvisioningFailed", decision.message, decision.reason);
  }
  Draft draft(kClaims, claim_);
  name_provisioner(draft, kLocalProvisioner);
  draft.set_annotation(kOrderAnnotation, decision.order->text());
  draft.set_annotation(kResolvedAnnotation, values_text(decision.order->labels));
  if (!has_finalizer(claim_, kOrderFinalizer)) draft.add_finalizer(kOrderFinalizer);
  auto step = controller::Step::write(std::move(draft).update());
  step.notes.push_back(
      {false, "Provisioning",
       fmt::format("making a volume of form {} in pool {}", decision.order->form, decision.order->pool)});
  return step;
}

controller::Step ClaimPass::reschedule(const std::string& why) {
  Draft draft(kClaims, claim_);
  draft.set_annotation(kSelectedNode, std::nullopt);
  auto step = controller::Step::write(std::move(draft).update());
  add_wait(step, claim_, {"ProvisioningFailed", "WrongNode", why + "; another node has to be chosen"}, view_.now());
  return step;
}

controller::Step ClaimPass::carry_out(const LocalOrder& order) {
  const auto name = volume_name(claim_);
  if (const auto taken = view_.get(kVolumes, "", name)) {
    if (is_reserved_for(taken, claim_)) return controller::Step::done();  // made, for another controller to bind
    return wait("ProvisioningFailed", fmt::format("a volume object \"{}\" of another origin is in the way", name));
  }
  auto call = make_call(name, order);
  const auto* outcome = view_.outcome();
  controller::Step step;
  if (!answers(outcome, call)) {
    step.call = std::move(call);
    return step;
  }
  if (!succeeded(*outcome)) {
    add_wait(step, claim_, {"ProvisioningFailed", "", fmt::format("in pool {}: {}", order.pool, fault_in(*outcome))},
             view_.now());
    step.wake = retry_at(*outcome, view_.now());
    return step;
  }
  client::Write write;
  write.verb = client::Write::Verb::kCreate;
  write.kind = kVolumes;
  write.name = name;
  write.object = local_volume(settings_, claim_, order, path_in(*outcome));
  step.stages.emplace_back().push_back(std::move(write));
  step.notes.push_back({false, "ProvisioningSucceeded", fmt::format("made volume {} in pool {}", name, order.pool)});
  return step;
}

// A claim that goes, or whose volume tells everything by now: what was ordered for it and has no object yet is removed.
controller::Step ClaimPass::release() {
  if (!has_finalizer(claim_, kOrderFinalizer)) return controller::Step::done();
  const auto let_go = [&] {
    Draft draft(kClaims, claim_);
    draft.remove_finalizer(kOrderFinalizer);
    return controller::Step::write(std::move(draft).update());
  };
  const auto name = volume_name(claim_);
  const auto order = LocalOrder::read(annotation_of(claim_, kOrderAnnotation));
  if (!order || view_.get(kVolumes, "", name)) return let_go();
  auto call = remove_call(name, order->pool);
  const auto* outcome = view_.outcome();
  controller::Step step;
  if (!answers(outcome, call)) {
    step.call = std::move(call);
    return step;
  }
  if (succeeded(*outcome)) return let_go();
  step.notes.push_back({true, "ProvisioningCleanupFailed", fault_in(*outcome)});
  step.wake = retry_at(*outcome, view_.now());
  return step;
}

}  // namespace chandler::reconcilers
