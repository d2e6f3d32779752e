// The parameters of a class that orders services from the catalog: they name a service type or a class and plan, with
// the names that the specification of a ServiceInstance has for it, and may hold parameters for the broker as JSON.
// Pure.
#pragma once

#include "reconcilers/catalog/problem.h"
#include "reconcilers/claim/claim_view.h"

namespace chandler::reconcilers::claims {

// The specification of the ServiceInstance.
Found<json::Object> service_spec(const ResourceClassView& used);
// For the ServiceBinding; empty when the class says nothing.
Found<json::Object> binding_parameters(const ResourceClassView& used);

}  // namespace chandler::reconcilers::claims
