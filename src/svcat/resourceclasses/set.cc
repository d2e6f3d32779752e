// svcat set resourceclass
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "svcat/catalog/fields.h"
#include "svcat/catalog/lookup.h"
#include "svcat/claims/claim_kinds.h"
#include "svcat/commands.h"
#include "svcat/resourceclasses/default_kinds.h"

namespace chandler::svcat {
namespace {

Result<std::vector<ClaimKind>> kinds_in(Call& call, std::string_view flag) {
  std::vector<ClaimKind> kinds;
  for (const auto& word : call.flags(flag)) {
    CH_TRY_LET(kind, find_claim_kind(call, word));
    kinds.push_back(std::move(kind));
  }
  return kinds;
}

// Two defaults would be ambiguous, so the others of the namespace cease to be one.
Result<void> take_over(Call& call, const json::Value& resource_class, const ClaimKind& kind) {
  CH_TRY_LET(catalog, call.catalog());
  const auto ns = namespace_of(resource_class);
  CH_TRY_LET(all, catalog->list(resource_classes_kind(), ns));
  for (const auto& other : all) {
    if (name_of(other) == name_of(resource_class) || !is_default_for(other, kind.qualified())) continue;
    auto changed =
        catalog->change(resource_classes_kind(), ns, name_of(other), [&](json::Object& object) -> Result<void> {
          remove_default(object, kind.qualified());
          return {};
        });
    if (!changed.ok() && !is_not_found(changed.error())) return std::move(changed).error();
    fmt::print(call.out(), "{} is no longer the default class for {}\n", name_of(other), kind.served.name);
  }
  return {};
}

Result<int> run_set_resource_class(Call& call) {
  if (!call.given("default-for") && !call.given("no-default-for")) {
    return usage_error("set resourceclass needs --default-for KIND or --no-default-for KIND");
  }
  CH_TRY_LET(wanted, kinds_in(call, "default-for"));
  CH_TRY_LET(unwanted, kinds_in(call, "no-default-for"));
  for (const auto& kind : wanted) {
    const bool both = std::any_of(unwanted.begin(), unwanted.end(),
                                  [&](const ClaimKind& other) { return other.qualified() == kind.qualified(); });
    if (both) {
      return usage_error(fmt::format("--default-for and --no-default-for {} contradict each other", kind.served.name));
    }
  }
  CH_TRY_LET(ns, call.ns());
  CH_TRY_LET(catalog, call.catalog());
  CH_TRY_LET(before, find_named(call, resource_classes_kind(), ns, call.argument(0)));
  // The old ones first: for a moment there is none, and claims wait; with two of them the server would warn.
  for (const auto& kind : wanted) CH_TRY(take_over(call, before, kind));
  CH_TRY(catalog->change(resource_classes_kind(), ns, name_of(before), [&](json::Object& object) -> Result<void> {
    for (const auto& kind : wanted) add_default(object, kind.qualified());
    for (const auto& kind : unwanted) remove_default(object, kind.qualified());
    return {};
  }));
  for (const auto& kind : wanted) {
    fmt::print(call.out(), "{} is the default class for {}\n", name_of(before), kind.served.name);
  }
  for (const auto& kind : unwanted) {
    const bool was = is_default_for(before, kind.qualified());
    fmt::print(call.out(), "{} {} the default class for {}\n", name_of(before), was ? "is no longer" : "was not",
               kind.served.name);
  }
  return 0;
}

}  // namespace

Command set_resource_class() {
  return {.verb = "set",
          .noun = "resourceclass",
          .noun_aliases = {"resourceclasses", "rclass"},
          .arguments = "NAME",
          .min_arguments = 1,
          .max_arguments = 1,
          .summary = "Make a class the default for kinds of claims, or take that back",
          .details =
              "Other classes of the namespace cease to be the default for that kind. Claims that have a class keep it.",
          .examples = {"set resourceclass cloud-postgresql --default-for PostgreSQLInstance -n crossplane-system",
                       "set resourceclass cloud-postgresql --no-default-for PostgreSQLInstance -n crossplane-system"},
          .flags = {{"default-for", 0, "KIND", "Kind of claim that gets this class when it names none", "", true,
                     Offer::kClaimKinds},
                    {"no-default-for", 0, "KIND", "Kind of claim that it shall not be the default for", "", true,
                     Offer::kClaimKinds},
                    namespace_flag()},
          .offer = Offer::kResourceClasses,
          .run = run_set_resource_class};
}

}  // namespace chandler::svcat
