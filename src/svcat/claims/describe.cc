// svcat describe claim
#include <fmt/format.h>

#include "svcat/catalog/fields.h"
#include "svcat/catalog/story.h"
#include "svcat/claims/claim_kinds.h"
#include "svcat/claims/fields.h"
#include "svcat/commands.h"

namespace chandler::svcat {
namespace {

Result<int> run_describe_claim(Call& call) {
  CH_TRY_LET(found, find_claim(call));
  const auto& claim = found.object;
  Details details(call.out(), call.style());
  details.add("Name", name_of(claim));
  details.add("Namespace", namespace_of(claim));
  details.add("Kind", fmt::format("{} ({})", found.kind.served.name, found.kind.served.api_version));
  details.add("Phase", text_at(claim, {"status", "bindingPhase"}));
  details.add("Status", shown_status(readiness_sentence(claim)), color_of_status(readiness_word(claim)));
  details.add("Class", claim_class(claim));
  details.add_if("Chosen By", text_at(claim, {"status", "resolution", "source"}));
  details.add_if("Engine Version", text_at(claim, {"spec", "engineVersion"}));
  details.add_if("Provisioner", text_at(claim, {"status", "provisioner"}));
  details.add_if("Resource", claim_resource(claim));
  details.add_if("Reclaim Policy", text_at(claim, {"status", "resolution", "reclaimPolicy"}));
  details.add_if("Secret", claim_secret(claim));
  details.flush();
  details.yaml_section("Class Selector", json::find_path(claim, {"spec", "classSelector"}));
  if (array_at(claim, {"status", "conditions"}) != nullptr) details.section("Conditions");
  tell_conditions(call, claim);
  CH_TRY(tell_events(call, details, found.kind.served.kind(), claim));
  return 0;
}

}  // namespace

Command describe_claim() {
  return {.verb = "describe",
          .noun = "claim",
          .noun_aliases = {"claims"},
          .arguments = "KIND NAME",
          .min_arguments = 2,
          .max_arguments = 2,
          .summary = "Show what is known about a claim",
          .examples = {"describe claim PostgreSQLInstance cloud-postgresql-claim"},
          .flags = {namespace_flag()},
          .offer = Offer::kClaims,
          .run = run_describe_claim};
}

}  // namespace chandler::svcat
