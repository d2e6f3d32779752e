// From the parameters of a class, which are texts, to the specification of a managed resource, which has types: the
// schema of its kind says which. Nothing is dropped silently: what does not fit is a problem that names it. Pure.
#pragma once

#include <string>
#include <string_view>

#include "client/object.h"
#include "reconcilers/catalog/problem.h"
#include "reconcilers/claim/claim_view.h"

namespace chandler::reconcilers::claims {

// The schema of `spec` in a CustomResourceDefinition; null when it does not say (or there is none).
const json::Value& spec_schema(const client::Object& definition, std::string_view version);

// The value of a text as a schema wants it; a problem's message is the expectation ("a whole number").
Result<json::Value, std::string> typed_value(std::string_view text, const json::Value& schema);

// Parameters of the class, fields of the claim that the kind knows too (both must agree), and `customary` fields as far
// as the kind has them; those are neither the class's nor the claim's to set.
Found<json::Object> resource_spec(const ClaimView& claim, const ResourceClassView& used, const json::Value& schema,
                                  const json::Object& customary);

}  // namespace chandler::reconcilers::claims
