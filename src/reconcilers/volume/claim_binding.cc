// Claims and the volumes that exist.
#include <fmt/format.h>

#include "reconcilers/catalog/document.h"
#include "reconcilers/volume/claim_pass.h"
#include "reconcilers/volume/handshake.h"
#include "reconcilers/volume/volume_match.h"

namespace chandler::reconcilers {
namespace {

controller::Step lose(const client::Object& claim, std::string_view reason, const std::string& message) {
  if (text_at(status_of(claim), "phase") == "Lost") return controller::Step::done();
  Draft draft(kClaims, claim);
  draft.status()["phase"] = "Lost";
  draft.status().erase("capacity");
  draft.status().erase("accessModes");
  auto step = controller::Step::write(std::move(draft).update_status());
  step.notes.push_back({true, std::string(reason), message});
  return step;
}

}  // namespace

// A claim that has been bound: its volume must still be there and mean it.
controller::Step ClaimPass::confirm(const std::string& volume_name) {
  const auto volume = view_.get(kVolumes, "", volume_name);
  if (!volume) {
    return lose(claim_, "ClaimLost",
                fmt::format("its volume \"{}\" is gone, and with it the data: delete the claim", volume_name));
  }
  if (member(spec_of(volume), "claimRef").is_object() && !is_reserved_for(volume, claim_)) {
    return lose(claim_, "ClaimMisbound",
                fmt::format("its volume \"{}\" belongs to another claim: delete this one", volume_name));
  }
  auto step = bind(claim_, volume);
  if (step.stages.empty()) return release();  // of what had been ordered when another volume came first
  return step;
}

// A user has named the volume.
controller::Step ClaimPass::bind_named(const std::string& volume_name) {
  const auto volume = view_.get(kVolumes, "", volume_name);
  if (!volume)
    return wait("FailedBinding", fmt::format("there is no volume \"{}\", which the claim names", volume_name));
  if (member(spec_of(volume), "claimRef").is_object() && !is_reserved_for(volume, claim_)) {
    return wait("FailedBinding",
                fmt::format("volume \"{}\", which the claim names, belongs to another claim", volume_name));
  }
  if (volume.deleting()) return wait("FailedBinding", fmt::format("volume \"{}\" is being deleted", volume_name));
  if (const auto lacks = shortcoming(volume, claim_); !lacks.empty()) {
    return wait("VolumeMismatch",
                fmt::format("volume \"{}\", which the claim names, does not fit: {}", volume_name, lacks));
  }
  // Of a volume that its owner has reserved for the claim, the class is not looked at.
  const auto its_class = text_at(spec_of(volume), "storageClassName");
  if (!member(spec_of(volume), "claimRef").is_object() &&
      its_class != resolve::class_of_claim(claim_.value()).value_or("")) {
    return wait("VolumeMismatch",
                fmt::format("volume \"{}\", which the claim names, is of the StorageClass \"{}\": name "
                            "that one in spec.storageClassName",
                            volume_name, its_class));
  }
  return bind(claim_, volume);
}

// Reserved by its UID or by its name; class and selector are not looked at.
client::Object ClaimPass::reserved_volume() {
  client::Object found;
  for (auto& volume :
       view_.list(kVolumes, {.ns = "", .fields = {{"spec.claimRef.name", std::string(claim_.name())}}})) {
    if (volume.deleting() || !is_reserved_for(volume, claim_) || !shortcoming(volume, claim_).empty()) continue;
    const bool is_certain = text_at(member(spec_of(volume), "claimRef"), "uid") == claim_.uid();
    if (!found || is_certain) found = volume;
  }
  return found;
}

client::Object ClaimPass::free_volume(const std::string& class_name) {
  std::vector<client::Object> volumes;
  // A volume that is so new that nobody has called it available is as good: one is not made beside it.
  for (const auto phase : {"Available", "Pending"}) {
    client::Selection selection;
    if (!class_name.empty()) selection.fields.emplace_back("spec.storageClassName", class_name);
    selection.fields.emplace_back("status.phase", phase);
    for (auto& volume : view_.list(kVolumes, selection)) volumes.push_back(std::move(volume));
  }
  return best_match(claim_, class_name, volumes);
}

// The claim came before there was a default class.
controller::Step ClaimPass::give_default_class() {
  std::vector<resolve::ClassCandidate> marked;
  for (const auto& storage_class : view_.list(kStorageClasses, {})) {
    if (storage_class.deleting() || !resolve::is_default_class(storage_class.value())) continue;
    marked.push_back(
        {std::string(storage_class.name()), text_at(member(storage_class.value(), "metadata"), "creationTimestamp")});
  }
  const auto name = resolve::default_class(marked);
  if (name.empty()) {
    return wait("FailedBinding",
                "no free volume fits, and there is no default StorageClass: name one in spec.storageClassName, or mark "
                "one as the default",
                "", false);
  }
  const auto storage_class = view_.get(kStorageClasses, "", name);
  const auto read = resolve::read_tunable_class(storage_class.value());
  if (read.ok() && !read->options.empty() &&
      resolve::selector_policy(storage_class.value()) != resolve::SelectorPolicy::kIgnore) {
    const auto resolution = resolve::resolve_selector(*read, resolve::common_profile(),
                                                      {.namespace_name = std::string(claim_.ns()),
                                                       .claim_name = std::string(claim_.name()),
                                                       .selector = json::find(spec_of(claim_), "selector")});
    if (!resolution.ok()) {
      return wait(
          "FailedBinding",
          fmt::format("the default StorageClass \"{}\" is not assigned, because the selector does not fit it: {}", name,
                      resolve::problems_text(resolution.problems)),
          std::string(resolve::fault_name(resolution.problems.front().fault)));
    }
  }
  Draft draft(kClaims, claim_);
  draft.spec()["storageClassName"] = name;
  return controller::Step::write(std::move(draft).update());
}

}  // namespace chandler::reconcilers
