#include "reconcilers/claim/managed_resource.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "reconcilers/catalog/kinds.h"
#include "reconcilers/claim/kinds.h"
#include "reconcilers/claim/reasons.h"
#include "reconcilers/claim/resource_parameters.h"
#include "reconcilers/claim/service_parameters.h"
#include "resolve/claim_kinds.h"
#include "resolve/provisioner.h"

namespace chandler::reconcilers::claims {
namespace {

constexpr size_t kLongestKind = 26;  // with the uid it makes 63

json::Object metadata_of(const ClaimView& claim, const ResourceClassView* used, const std::string& ns,
                         const std::string& name) {
  json::Object metadata;
  metadata["name"] = text(name);
  if (!ns.empty()) metadata["namespace"] = text(ns);
  object_in(metadata, "labels")[kClaimUidLabel] = text(claim.uid());
  auto& annotations = object_in(metadata, "annotations");
  annotations[kClaimAnnotation] = text(claim.address());
  if (used != nullptr) annotations[kClassAnnotation] = text(used->name().text());
  return metadata;
}

json::Value claim_reference(const ClaimView& claim) {
  json::Object out;
  out["apiVersion"] = text(claim.api_version());
  out["kind"] = text(claim.kind_word());
  out["namespace"] = text(claim.ns());
  out["name"] = text(claim.name());
  out["uid"] = text(claim.uid());
  return out;
}

// What a managed resource is told besides the class's parameters, as far as its kind has fields for it.
json::Object customary_fields(const ClaimView& claim, const ResourceClassView& used, const ResourceRecord& record) {
  json::Object out;
  out["claimRef"] = claim_reference(claim);
  auto& class_ref = object_in(out, "classRef");
  class_ref["apiVersion"] = "core.crossplane.io/v1alpha1";
  class_ref["kind"] = "ResourceClass";
  class_ref["namespace"] = text(used.object().ns());
  class_ref["name"] = text(used.object().name());
  if (!used.provider().empty()) object_in(out, "providerRef")["name"] = text(used.provider());
  out["reclaimPolicy"] = text(used.reclaim_policy());
  auto& secret = object_in(out, "writeConnectionSecretToRef");
  secret["name"] = text(record.name);
  secret["namespace"] = text(used.object().ns());
  return out;
}

bool is_offered_to(const ClaimView& claim, const client::Object& resource) {
  if (annotation_of(resource, kClaimAnnotation) == claim.address()) return true;
  const auto& reference = member(spec_of(resource), "claimRef");
  const auto kind = text_at(reference, "kind");
  return text_at(reference, "namespace") == claim.ns() && text_at(reference, "name") == claim.name() &&
         (kind.empty() || equals_ignore_case(kind, claim.kind_word()));
}

}  // namespace

std::string managed_name(const ClaimView& claim) {
  return fmt::format("{}-{}", to_lower(claim.kind_word()).substr(0, kLongestKind), claim.uid());
}

Found<client::ServedKind> provisioner_kind(const ResourceClassView& used, const ClaimSettings& settings,
                                           controller::View& view) {
  const auto parsed = resolve::parse_provisioner(used.provisioner());
  const auto where = fmt::format("Class {}", used.name().text());
  if (!parsed) {
    return Problem{reason::kInvalidProvisioner, fmt::format("{}: provisioner {} is not of the form kind.group/version.",
                                                            where, quoted(used.provisioner()))};
  }
  if (const auto fault = resolve::unfit_provisioner(*parsed); !fault.empty()) {
    return Problem{reason::kInvalidProvisioner, fmt::format("{}: {}.", where, fault)};
  }
  auto kind = view.find_kind(parsed->group, parsed->version, parsed->kind);
  if (!kind || !kind->exact_version) {
    return Problem{
        reason::kUnknownProvisioner,
        fmt::format("{}: there is no kind {}{}. Install what provides it (its CustomResourceDefinition); the "
                    "claim goes on as soon as it is there.",
                    where, used.provisioner(), kind ? fmt::format(" (the served version is {})", kind->version) : "")};
  }
  // Under whichever name it was found: a plural, a short name, or a kind of claim that came at run time. What is made
  // for a claim names the claim's class, so a claim that serves a claim would have another one made, without end.
  if (const auto fault =
          resolve::unfit_provisioner({to_lower(kind->kind), std::string(kind->name.group), kind->version});
      !fault.empty()) {
    return Problem{reason::kInvalidProvisioner, fmt::format("{}: {}.", where, fault)};
  }
  const auto definition = view.get(kDefinitions, "", fmt::format("{}.{}", kind->name.plural, kind->name.group));
  if (definition && definition.document().label(resolve::kClaimLabel) == "true") {
    return Problem{reason::kInvalidProvisioner,
                   fmt::format("{}: {} is itself a kind of claim; name the kind of a managed resource.", where,
                               resolve::claim_kind_name(kind->kind, kind->name.group))};
  }
  const auto& trusted = settings.class_namespaces;
  if (!kind->namespaced && std::find(trusted.begin(), trusted.end(), used.object().ns()) == trusted.end()) {
    return Problem{reason::kInvalidProvisioner,
                   fmt::format("{}: objects of {} belong to the whole cluster; only classes of the operator's class "
                               "namespaces may have them made.",
                               where, kind->kind)};
  }
  return *std::move(kind);
}

std::optional<client::ServedKind> recorded_kind(const ResourceRecord& record, controller::View& view) {
  const size_t slash = record.api_version.find('/');
  if (slash == std::string::npos) return std::nullopt;
  return view.find_kind(record.api_version.substr(0, slash), record.api_version.substr(slash + 1), record.kind);
}

bool is_service(const client::ServedKind& kind) { return kind.name == kInstances; }

ResourceRecord planned_resource(const ClaimView& claim, const ResourceClassView& used, const client::ServedKind& kind) {
  ResourceRecord out;
  out.api_version = kind.api_version();
  out.kind = kind.kind;
  if (kind.namespaced) out.ns = used.object().ns();
  out.name = managed_name(claim);
  if (is_service(kind)) out.binding = out.name;
  return out;
}

Found<json::Value> managed_object(const ClaimView& claim, const ResourceClassView& used, const ResourceRecord& record,
                                  const client::ServedKind& kind, controller::View& view) {
  json::Object spec;
  if (is_service(kind)) {
    auto made = service_spec(used);
    if (!made.ok()) return fail(std::move(made).error());
    spec = *std::move(made);
  } else {
    const auto definition = view.get(kDefinitions, "", fmt::format("{}.{}", kind.name.plural, kind.name.group));
    auto made =
        resource_spec(claim, used, spec_schema(definition, kind.version), customary_fields(claim, used, record));
    if (!made.ok()) return fail(std::move(made).error());
    spec = *std::move(made);
  }
  json::Object out;
  out["apiVersion"] = text(record.api_version);
  out["kind"] = text(record.kind);
  out["metadata"] = metadata_of(claim, &used, record.ns, record.name);
  out["spec"] = std::move(spec);
  return json::Value(std::move(out));
}

Found<json::Value> binding_object(const ClaimView& claim, const ResourceClassView* used, const ResourceRecord& record) {
  json::Object spec;
  object_in(spec, "instanceRef")["name"] = text(record.name);
  spec["secretName"] = text(record.binding);
  if (used != nullptr) {
    auto parameters = binding_parameters(*used);
    if (!parameters.ok()) return fail(std::move(parameters).error());
    if (!parameters->empty()) spec["parameters"] = *std::move(parameters);
  }
  json::Object out;
  out["apiVersion"] = text(kCatalogVersion);
  out["kind"] = "ServiceBinding";
  out["metadata"] = metadata_of(claim, used, record.ns, record.binding);
  out["spec"] = std::move(spec);
  return json::Value(std::move(out));
}

bool belongs_to(const ClaimView& claim, const client::Object& resource) {
  return resource && resource.document().label(kClaimUidLabel) == claim.object().uid();
}

std::optional<Problem> objection(const ClaimView& claim, const client::Object& resource, const ResourceRecord& record) {
  const auto holder = resource.document().label(kClaimUidLabel);
  if (holder == claim.object().uid()) return std::nullopt;
  if (holder) {
    return Problem{reason::kResourceConflict, fmt::format("{} serves another claim ({}).", record.text(),
                                                          annotation_of(resource, kClaimAnnotation))};
  }
  if (is_offered_to(claim, resource)) return std::nullopt;
  return Problem{reason::kResourceNotOffered,
                 fmt::format("{} is not offered to this claim. Its operator can do that with the annotation {}={}.",
                             record.text(), kClaimAnnotation, claim.address())};
}

}  // namespace chandler::reconcilers::claims
