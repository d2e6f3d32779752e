#include "reconcilers/claim/claim_reconciler.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "reconcilers/catalog/kinds.h"
#include "reconcilers/claim/claim_kind_check.h"
#include "reconcilers/claim/kinds.h"
#include "reconcilers/claim/pass.h"
#include "reconcilers/claim/reasons.h"
#include "resolve/choose_default.h"
#include "resolve/claim_kinds.h"

namespace chandler::reconcilers::claims {
namespace {

using controller::Step;

client::Selection labelled_as_claims() {
  client::Selection selection;
  selection.fields.emplace_back(std::string(client::kLabelField) + std::string(resolve::kClaimLabel), "true");
  return selection;
}

bool is_built_in(const client::KindName& kind) {
  return std::find(std::begin(kBuiltInClaims), std::end(kBuiltInClaims), kind) != std::end(kBuiltInClaims);
}

// Somebody's definition may not have room for what is written down; then nothing is begun.
std::vector<std::string> missing_fields(const ClaimView& claim, controller::View& view) {
  if (is_built_in(claim.kind())) return {};
  const auto definition = view.get(kDefinitions, "", fmt::format("{}.{}", claim.kind().plural, claim.kind().group));
  return definition ? missing_claim_fields(definition) : std::vector<std::string>();
}

// Where no admission does it: the finalizer before any effect, and one spelling of the reference.
std::optional<Draft> prepare_claim(const ClaimView& claim) {
  Draft draft(claim.kind(), claim.object());
  if (!has_finalizer(claim.object(), kClaimFinalizer)) draft.add_finalizer(kClaimFinalizer);
  if (claim.has_other_spelling()) {
    auto& spec = draft.spec();
    if (!member(claim.spec(), "classReference").is_object()) spec["classReference"] = spec["classRef"];
    spec.erase("classRef");
  }
  if (!draft.changed()) return std::nullopt;
  return draft;
}

}  // namespace

std::vector<client::KindName> labelled_claim_kinds(const std::vector<client::Object>& definitions) {
  std::vector<client::KindName> out;
  for (const auto& definition : definitions) {
    const auto& spec = spec_of(definition);
    if (text_at(spec, "scope") != "Namespaced") continue;  // a claim has a namespace, for its secret
    const auto kind = client::intern_kind(text_at(spec, "group"), text_at(member(spec, "names"), "plural"));
    if (!is_built_in(kind)) out.push_back(kind);
  }
  return out;
}

std::vector<client::KindName> ClaimReconciler::kinds() const {
  return {std::begin(kBuiltInClaims), std::end(kBuiltInClaims)};
}

std::vector<client::KindName> ClaimReconciler::reads() const { return {kResourceClasses, kDefinitions, kSecrets}; }

std::vector<client::KindName> ClaimReconciler::kinds_of(const client::State& state) const {
  return labelled_claim_kinds(state.list(kDefinitions, labelled_as_claims()));
}

Step ClaimReconciler::reconcile(const client::KindName& kind, const client::Object& object,
                                controller::View& view) const {
  Pass pass(kind, object, settings_, view);
  if (object.deleting()) return has_finalizer(object, kClaimFinalizer) ? release(pass) : Step::done();
  if (const auto missing = missing_fields(pass.claim, view); !missing.empty()) {
    Step step;
    step.notes.push_back(
        {true, std::string(reason::kIncompleteClaimKind),
         fmt::format("CustomResourceDefinition {}.{} is labelled as a kind of claim, but lacks {}. Add "
                     "it; the claim goes on then.",
                     kind.plural, kind.group, resolve::list_names(missing))});
    return step;
  }
  if (auto draft = prepare_claim(pass.claim)) return Step::write(std::move(*draft).update());
  return pass.claim.resource().empty() ? find_resource(pass) : serve(pass);
}

}  // namespace chandler::reconcilers::claims
