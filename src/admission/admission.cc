#include "admission/admission.h"

#include <memory>

#include <fmt/format.h>

#include "admission/table.h"
#include "resolve/claim_kinds.h"

namespace chandler::admission {
namespace {

constexpr std::string_view kStatus = "status";

Context context_of(const registry::AdmissionRequest& request, const Lookup& lookup, WallTime now) {
  Context context;
  context.operation = request.operation;
  context.namespaced = request.kind->namespaced;
  context.plural = request.kind->plural;
  context.object = request.object;
  context.old = request.old;
  context.subresource = request.subresource;
  context.replaces = request.replaces;
  context.user = request.user;
  context.lookup = &lookup;
  context.now = now;
  context.warnings = request.warnings;
  context.grace_seconds = request.grace_seconds;
  return context;
}

// The rules are about the kinds that the program brings along. What somebody installed under the same name is theirs,
// unless its definition asks for the rules of claims. Its label may come and go, so it is looked up each time.
const Rules* rules_of(const registry::Kind& kind, const Lookup& lookup) {
  if (kind.crd_uid.empty()) return find_rules(kind.group, kind.plural);
  if (!kind.namespaced) return nullptr;
  const auto definition = lookup.get("apiextensions.k8s.io", "customresourcedefinitions", "",
                                     fmt::format("{}.{}", kind.plural, kind.group));
  const bool is_claim = definition != nullptr && definition->label(resolve::kClaimLabel) == "true";
  return is_claim ? &labelled_claim_rules() : nullptr;
}

}  // namespace

Result<void> KindAdmission::permit_in_namespace(const registry::AdmissionRequest& request) const {
  const auto& kind = *request.kind;
  // Reviews are questions about a namespace, not content of it.
  if (request.operation != registry::Operation::kCreate || !kind.namespaced || !kind.stored) return {};
  const auto ns = lookup_.get("", "namespaces", "", request.ns);
  if (ns == nullptr) return not_found({"", "namespaces", request.ns, ""});
  if (!ns->deleting()) return {};
  const auto why = fmt::format(
      "namespace {} is being deleted and takes no new objects; wait until it is gone or use another", request.ns);
  auto error = forbidden(kind.ref(request.name), why);
  error.causes.push_back({"NamespaceTerminating", why, "metadata.namespace"});
  return fail(std::move(error));
}

Result<void> KindAdmission::permit_still(const registry::AdmissionRequest& request) {
  CH_TRY(permit_in_namespace(request));
  const auto& kind = *request.kind;
  if (request.operation != registry::Operation::kCreate || kind.crd_uid.empty()) return {};
  const auto definition = lookup_.get("apiextensions.k8s.io", "customresourcedefinitions", "",
                                      fmt::format("{}.{}", kind.plural, kind.group));
  if (definition == nullptr || definition->uid() != kind.crd_uid) return not_found(kind.ref(request.name));
  if (!definition->deleting()) return {};
  return forbidden(kind.ref(request.name), "its CustomResourceDefinition is being deleted; no new objects");
}

Result<void> KindAdmission::mutate(registry::AdmissionRequest& request) {
  CH_TRY(permit_in_namespace(request));
  const auto* rules = rules_of(*request.kind, lookup_);
  if (rules == nullptr || request.object == nullptr) return {};
  auto context = context_of(request, lookup_, clock_.now());
  if (request.operation == registry::Operation::kDelete) {
    if (rules->mark_deleted != nullptr) rules->mark_deleted(context);
    return {};
  }
  if (request.subresource == kStatus) return {};
  for (const auto change : rules->defaults) change(context);
  return {};
}

Result<void> KindAdmission::validate(const registry::AdmissionRequest& request, meta::FieldErrors& errors) {
  const auto* rules = rules_of(*request.kind, lookup_);
  if (rules == nullptr) return {};
  auto context = context_of(request, lookup_, clock_.now());
  const auto policy = policy_.current();
  context.policy = policy.get();
  if (request.operation == registry::Operation::kDelete) {
    return rules->permit_delete == nullptr ? Result<void>() : rules->permit_delete(context);
  }
  if (request.subresource == kStatus) {
    if (rules->check_status != nullptr) rules->check_status(context, errors);
    return {};
  }
  if (rules->permit != nullptr) CH_TRY(rules->permit(context));
  for (const auto check : rules->checks) check(context, errors);
  if (request.with_status && rules->check_status != nullptr) rules->check_status(context, errors);
  return {};
}

}  // namespace chandler::admission
