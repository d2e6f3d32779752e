#include "reconcilers/claim/connection_secret.h"

#include <fmt/format.h>

#include "reconcilers/catalog/kinds.h"
#include "reconcilers/claim/kinds.h"
#include "reconcilers/claim/reasons.h"

namespace chandler::reconcilers::claims {
namespace {

std::string to_key(std::string_view target_uid) { return fmt::format("{}{}", kToPrefix, target_uid); }

void name_source(json::Object& metadata, const client::Object& source) {
  auto& annotations = object_in(metadata, "annotations");
  annotations[kFromNamespace] = text(source.ns());
  annotations[kFromName] = text(source.name());
  annotations[kFromUid] = text(source.uid());
}

bool names_source(const client::Object& target, const client::Object& source) {
  return annotation_of(target, kFromUid) == source.uid() && annotation_of(target, kFromNamespace) == source.ns() &&
         annotation_of(target, kFromName) == source.name();
}

client::Write new_target(const ClaimView& claim, const client::Object& source) {
  json::Object owner;
  owner["apiVersion"] = text(claim.api_version());
  owner["kind"] = text(claim.kind_word());
  owner["name"] = text(claim.name());
  owner["uid"] = text(claim.uid());
  owner["controller"] = true;
  owner["blockOwnerDeletion"] = true;
  json::Object object;
  object["apiVersion"] = "v1";
  object["kind"] = "Secret";
  auto& metadata = object_in(object, "metadata");
  metadata["name"] = text(claim.secret_name());
  metadata["namespace"] = text(claim.ns());
  metadata["ownerReferences"] = json::Array{json::Value(std::move(owner))};
  name_source(metadata, source);

  client::Write write;
  write.verb = client::Write::Verb::kCreate;
  write.kind = kSecrets;
  write.ns = claim.ns();
  write.name = claim.secret_name();
  write.object = std::move(object);
  return write;
}

// Agreements with former secrets of the same place, which are gone: there would be one more with each that is deleted.
void forget_former_targets(json::Object& metadata, std::string_view place) {
  auto* annotations = metadata.if_contains("annotations");
  if (annotations == nullptr || !annotations->is_object()) return;
  std::vector<std::string> former;
  for (const auto& entry : annotations->get_object()) {
    std::string key(entry.key());
    if (key.starts_with(kToPrefix) && text_at(*annotations, key) == place) former.push_back(std::move(key));
  }
  for (const auto& key : former) annotations->get_object().erase(key);
}

Problem withdrawn(const client::Object& secret, std::string_view mark) {
  return {reason::kConsentWithdrawn,
          fmt::format("Secret {}/{} no longer carries the annotation {}: nothing is passed on any more. Delete the "
                      "secret of the claim to have it made anew.",
                      secret.ns(), secret.name(), mark)};
}

const json::Value& data_of(const client::Object& secret) { return member(secret.value(), "data"); }

bool same_data(const client::Object& a, const client::Object& b) {
  const auto is_empty = [](const json::Value& data) { return !data.is_object() || data.get_object().empty(); };
  return (is_empty(data_of(a)) && is_empty(data_of(b))) || json::equal(data_of(a), data_of(b));
}

}  // namespace

bool is_controlled_by(const client::Object& object, std::string_view uid) {
  const auto* owners = json::array_at(member(object.value(), "metadata"), "ownerReferences");
  if (owners == nullptr) return false;
  for (const auto& owner : *owners) {
    if (true_at(owner, "controller") && text_at(owner, "uid") == uid) return true;
  }
  return false;
}

Propagation propagate(const ClaimView& claim, const SecretPlace& from, controller::View& view) {
  Propagation out;
  const auto source = view.get(kSecrets, from.ns, from.name);
  const auto target = view.get(kSecrets, claim.ns(), claim.secret_name());
  if (!source || source.deleting()) {
    out.is_waiting = true;
    return out;
  }
  if (!is_controlled_by(source, from.owner_uid)) {
    out.problem =
        Problem{reason::kSourceNotControlled,
                fmt::format("Secret {}/{} is not controlled by the managed resource (ownerReferences), so its "
                            "content is not passed on.",
                            from.ns, from.name)};
    return out;
  }
  if (!target) {
    out.write = new_target(claim, source);
    return out;
  }
  if (!is_controlled_by(target, claim.uid())) {
    out.problem = Problem{reason::kSecretConflict,
                          fmt::format("Secret {}/{} exists and does not belong to this claim. Delete it; or delete the "
                                      "claim and name another secret in spec.writeConnectionSecretToRef.",
                                      claim.ns(), claim.secret_name())};
    return out;
  }
  out.source_uid = source.uid();
  out.target_uid = target.uid();
  const auto& recorded = member(claim.status(), "credentialsSecret");
  const bool established = text_at(recorded, "uid") == target.uid() && text_at(recorded, "sourceUID") == source.uid();
  if (!names_source(target, source)) {
    if (established) {
      out.problem = withdrawn(target, kFromUid);
      return out;
    }
    Draft draft(kSecrets, target);
    name_source(draft.metadata(), source);
    draft.root().erase("data");
    out.write = std::move(draft).update();
    return out;
  }
  if (annotation_of(source, to_key(target.uid())) != fmt::format("{}/{}", target.ns(), target.name())) {
    if (established) {
      out.problem = withdrawn(source, to_key(target.uid()));
      return out;
    }
    Draft draft(kSecrets, source);
    const auto place = fmt::format("{}/{}", target.ns(), target.name());
    forget_former_targets(draft.metadata(), place);
    draft.set_annotation(to_key(target.uid()), place);
    out.write = std::move(draft).update();
    return out;
  }
  if (!same_data(source, target)) {
    Draft draft(kSecrets, target);
    draft.root()["data"] = data_of(source);
    out.write = std::move(draft).update();
  }
  return out;
}

std::optional<client::Write> remove_target(const ClaimView& claim, controller::View& view) {
  const auto target = view.get(kSecrets, claim.ns(), claim.secret_name());
  if (!target || target.deleting() || !is_controlled_by(target, claim.uid())) return std::nullopt;
  return delete_of(kSecrets, target);
}

}  // namespace chandler::reconcilers::claims
