// svcat get claims
#include "svcat/catalog/fields.h"
#include "svcat/claims/claim_kinds.h"
#include "svcat/claims/fields.h"
#include "svcat/commands.h"
#include "svcat/listing.h"

namespace chandler::svcat {
namespace {

Listing listing_of(Call& call) {
  const auto now = call.env().clock.now();
  Listing listing;
  listing.columns = {{"NAME"}, {"NAMESPACE"}, {"KIND"}, {"CLASS"}, {"STATUS"}};
  listing.wide_columns = {{"CHOSEN BY"}, {"RESOURCE"}, {"SECRET"}, {"AGE"}};
  listing.row = [now](const json::Value& claim, bool wide) {
    const auto state = claim_state(claim);
    Row row{name_of(claim),
            namespace_of(claim),
            text_at(claim, {"kind"}),
            claim_class(claim),
            {state, color_of_status(state)}};
    if (wide) {
      row.emplace_back(text_at(claim, {"status", "resolution", "source"}));
      row.emplace_back(claim_resource(claim));
      row.emplace_back(claim_secret(claim));
      row.emplace_back(age_of(claim, now));
    }
    return row;
  };
  listing.nothing = "No claims. They are objects of kinds such as PostgreSQLInstance, made with kubectl apply.";
  return listing;
}

Result<int> run_get_claims(Call& call) {
  if (call.argument_count() == 2) {
    if (call.is_set("all-namespaces")) return usage_error("a name and --all-namespaces contradict each other");
    CH_TRY_LET(claim, find_claim(call));
    return show_one(call, claim.object, listing_of(call));
  }
  if (call.argument_count() == 0 && call.is_set("watch")) {
    return usage_error("--watch follows one kind; name it, as in get claims PostgreSQLInstance --watch");
  }
  std::vector<ClaimKind> kinds;
  if (call.argument_count() == 1) {
    CH_TRY_LET(kind, find_claim_kind(call, call.argument(0)));
    kinds.push_back(std::move(kind));
  } else {
    CH_TRY_LET(all, claim_kinds(call));
    kinds = std::move(all);
  }
  CH_TRY_LET(ns, call.ns());
  std::vector<Kind> served;
  served.reserve(kinds.size());  // sources refer to them
  std::vector<Source> sources;
  for (const auto& kind : kinds) {
    served.push_back(kind.served.kind());
    served.back().optional = kinds.size() > 1;  // not every server has all that we know of
    sources.push_back({served.back(), call.is_set("all-namespaces") ? "" : ns});
  }
  return run_listing(call, sources, listing_of(call));
}

}  // namespace

Command get_claims() {
  return {.verb = "get",
          .noun = "claims",
          .noun_aliases = {"claim"},
          .arguments = "[KIND [NAME]]",
          .max_arguments = 2,
          .summary = "List claims of all kinds or of one, or show one",
          .examples = {"get claims", "get claims PostgreSQLInstance --all-namespaces",
                       "get claims postgresqlinstance cloud-postgresql-claim -o yaml"},
          .flags = {output_flag(), namespace_flag(), all_namespaces_flag(), watch_flag()},
          .offer = Offer::kClaims,
          .run = run_get_claims};
}

}  // namespace chandler::svcat
