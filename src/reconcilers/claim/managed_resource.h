// The managed resource of a claim: which kind, which name, and the object that is created. Everything follows from
// claim and class, so the same object comes out after a crash.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "controller/view.h"
#include "reconcilers/catalog/problem.h"
#include "reconcilers/claim/claim_settings.h"
#include "reconcilers/claim/claim_view.h"

namespace chandler::reconcilers::claims {

// One per claim, for ever: "postgresqlinstance-<uid>".
std::string managed_name(const ClaimView& claim);

// The kind that serves the class. A problem: there is no such kind (yet), or it may not serve.
Found<client::ServedKind> provisioner_kind(const ResourceClassView& used, const ClaimSettings& settings,
                                           controller::View& view);
// The kind of a resource that a record names; nullopt when it is not served.
std::optional<client::ServedKind> recorded_kind(const ResourceRecord& record, controller::View& view);

bool is_service(const client::ServedKind& kind);  // a ServiceInstance

// The record of what is going to be created.
ResourceRecord planned_resource(const ClaimView& claim, const ResourceClassView& used, const client::ServedKind& kind);

// The object. A problem: the parameters of the class do not fit the kind.
Found<json::Value> managed_object(const ClaimView& claim, const ResourceClassView& used, const ResourceRecord& record,
                                  const client::ServedKind& kind, controller::View& view);
// The binding beside a ServiceInstance; parameters only for a class.
Found<json::Value> binding_object(const ClaimView& claim, const ResourceClassView* used, const ResourceRecord& record);

// It was made for this claim, or was taken by it.
bool belongs_to(const ClaimView& claim, const client::Object& resource);
// Why the claim may not have a resource that it names: it is not offered to it, or another claim has it. An operator
// offers it by an annotation, or by spec.claimRef.
std::optional<Problem> objection(const ClaimView& claim, const client::Object& resource, const ResourceRecord& record);

}  // namespace chandler::reconcilers::claims
