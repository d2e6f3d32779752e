// Which class a claim would get now, decided here with the code that the controller uses, from the classes that the
// caller may read.
#pragma once

#include <string>
#include <vector>

#include "resolve/claim_class.h"
#include "svcat/claims/claim_kinds.h"

namespace chandler::svcat {

struct ClaimDecision {
  resolve::ClassRequest request;
  std::vector<resolve::ClassOption> options;
  resolve::ClassDecision decision;
  std::vector<std::string> unseen;  // namespaces whose classes the caller may not read
};

// `class_namespaces` are the operator's. Fails when the selector of the claim is none.
Result<ClaimDecision> decide_for(Call& call, const ClaimKind& kind, const json::Value& claim,
                                 const std::vector<std::string>& class_namespaces, resolve::TieRule several);

// The classes among these that may serve the claim, as `request` looks for them. Pure.
Result<std::vector<resolve::ClassOption>> options_among(const std::vector<json::Value>& classes,
                                                        const resolve::ClassRequest& request, const json::Value& claim);

}  // namespace chandler::svcat
