// svcat explain claim
#include <fmt/format.h>
#include <fmt/ostream.h>

#include "base/text.h"
#include "svcat/catalog/fields.h"
#include "svcat/catalog/story.h"
#include "svcat/claims/decision.h"
#include "svcat/claims/fields.h"
#include "svcat/commands.h"
#include "svcat/output/table.h"

namespace chandler::svcat {
namespace {

std::string state_of(const json::Value& claim) {
  const auto phase = text_at(claim, {"status", "bindingPhase"});
  if (is_deleting(claim)) return "is being deleted";
  if (phase == "Bound") return "has what it asked for";
  const auto word = readiness_word(claim);
  if (word.empty()) return "has not been looked at by the controller yet";
  return fmt::format("does not have what it asked for ({})", word);
}

std::vector<Column> candidate_columns() { return {{"CLASS"}, {"FOUND AS"}, {"VERDICT"}, {"WHY", true}}; }

Color color_of_verdict(std::string_view verdict) {
  return verdict == "Chosen" ? Color::kGreen : verdict == "Tied" ? Color::kRed : Color::kNone;
}

// What the controller decided when it looked.
void tell_recorded(Call& call, Details& details, const json::Value& resolution) {
  if (const auto message = text_at(resolution, {"message"}); !message.empty()) details.line(message);
  if (const auto time = text_at(resolution, {"time"}); !time.empty()) {
    details.line(fmt::format("Decided @ {}.", utc(time)));
  }
  const auto* candidates = array_at(resolution, {"candidates"});
  if (candidates == nullptr) return;
  Table table(call.out(), candidate_columns(), call.style());
  for (const auto& one : candidates->get_array()) {
    const auto verdict = text_at(one, {"verdict"});
    table.add({text_at(one, {"namespace"}) + "/" + text_at(one, {"name"}),
               text_at(one, {"set"}),
               {verdict, color_of_verdict(verdict)},
               text_at(one, {"message"})});
  }
  table.flush();
  if (const auto more = number_at(resolution, {"candidatesLeftOut"}); more > 0) {
    details.line(fmt::format("and {} more", more));
  }
}

void tell_decision(Call& call, Details& details, const ClaimDecision& now) {
  details.line(now.decision.message);
  if (!now.decision.judged.empty()) {
    Table table(call.out(), candidate_columns(), call.style());
    for (const auto& judged : now.decision.judged) {
      const auto& option = now.options[judged.option];
      const auto verdict = resolve::verdict_name(judged.verdict);
      table.add({option.ns + "/" + option.name,
                 resolve::source_name(judged.set),
                 {std::string(verdict), color_of_verdict(verdict)},
                 judged.message});
    }
    table.flush();
  }
  for (const auto& ns : now.unseen) {
    details.line(fmt::format("You may not read the resourceclasses of namespace {}, so they are not among these.", ns));
  }
}

// The same as recorded: then it need not be told twice.
bool is_same(const json::Value& resolution, const ClaimDecision& now) {
  return text_at(resolution, {"message"}) == now.decision.message;
}

Result<void> tell_class(Call& call, Details& details, const NamedClaim& claim,
                        const std::vector<std::string>& class_namespaces, resolve::TieRule several) {
  details.section("Class");
  if (text_at(claim.object, {"status", "resolution", "source"}) == "Resource") {
    details.line(
        fmt::format("The claim names its resource, {}, so no class was looked for.", claim_resource(claim.object)));
    return {};
  }
  const auto* recorded = json::find_path(claim.object, {"status", "resolution"});
  if (recorded != nullptr) {
    tell_recorded(call, details, *recorded);
  } else {
    details.line("The controller has not decided yet; this is what it would decide now.");
  }
  const auto now = decide_for(call, claim.kind, claim.object, class_namespaces, several);
  if (!now.ok()) {
    if (now.error().reason != Reason::kInvalid && now.error().reason != Reason::kBadRequest) return now.error();
    details.line(now.error().message);
    return {};
  }
  if (recorded != nullptr && is_same(*recorded, *now)) return {};
  if (recorded != nullptr) details.section("Class, if it were decided anew");
  tell_decision(call, details, *now);
  return {};
}

void tell_delivery(Details& details, const json::Value& claim) {
  details.section("Resource and secret");
  const auto resource = claim_resource(claim);
  details.line(resource.empty() ? "There is no resource for it yet." : fmt::format("It is served by {}.", resource));
  if (const auto binding = text_at(claim, {"status", "resource", "binding"}); !binding.empty()) {
    details.line(fmt::format("Its credentials come from binding {}.", binding));
  }
  const auto secret = claim_secret(claim);
  details.line(secret.empty() ? "Its connection secret has not been written yet."
                              : fmt::format("How to connect is in secret {}.", secret));
  if (const auto policy = text_at(claim, {"status", "resolution", "reclaimPolicy"}); !policy.empty()) {
    details.line(fmt::format("When the claim goes, the resource {}.", policy == "Retain" ? "stays" : "goes too"));
  }
}

Result<resolve::TieRule> tie_rule(const Call& call) {
  const auto word = call.flag("claim-default-policy");
  if (equals_ignore_case(word, "ambiguous")) return resolve::TieRule::kReject;
  if (equals_ignore_case(word, "newest")) return resolve::TieRule::kNewest;
  if (equals_ignore_case(word, "priority")) return resolve::TieRule::kPriority;
  return usage_error(fmt::format("--claim-default-policy is Ambiguous, Newest or Priority, not {}", quoted(word)));
}

Result<int> run_explain_claim(Call& call) {
  CH_TRY_LET(several, tie_rule(call));
  CH_TRY_LET(claim, find_claim(call));
  std::vector<std::string> class_namespaces;
  const auto given = call.flag("claim-class-namespaces");
  for (const auto ns : split(given, ',')) {
    if (!trim(ns).empty()) class_namespaces.emplace_back(trim(ns));
  }
  Details details(call.out(), call.style());
  fmt::print(call.out(), "{} {} of namespace {} {}.\n", claim.kind.served.name, name_of(claim.object),
             namespace_of(claim.object), state_of(claim.object));
  CH_TRY(tell_class(call, details, claim, class_namespaces, several));
  tell_delivery(details, claim.object);
  if (array_at(claim.object, {"status", "conditions"}) != nullptr) details.section("Conditions");
  tell_conditions(call, claim.object);
  CH_TRY(tell_events(call, details, claim.kind.served.kind(), claim.object));
  return 0;
}

}  // namespace

Command explain_claim() {
  return {
      .verb = "explain",
      .noun = "claim",
      .noun_aliases = {"claims"},
      .arguments = "KIND NAME",
      .min_arguments = 2,
      .max_arguments = 2,
      .summary = "Tell the story of a claim: which class and why, which others there were, what happened",
      .details =
          "What the controller decided is read from the claim; what it would decide now is worked out here, from the "
          "classes that you\nmay read. The last two flags are for servers that were started with flags of these names.",
      .examples = {"explain claim PostgreSQLInstance cloud-postgresql-claim"},
      .flags = {namespace_flag(),
                {"claim-class-namespaces", 0, "NAMES", "Namespaces whose classes serve everybody", "crossplane-system"},
                {"claim-default-policy",
                 0,
                 "RULE",
                 "What several defaults lead to: Ambiguous, Newest or Priority",
                 "Ambiguous",
                 false,
                 Offer::kWords,
                 {"Ambiguous", "Newest", "Priority"}}},
      .offer = Offer::kClaims,
      .run = run_explain_claim};
}

}  // namespace chandler::svcat
