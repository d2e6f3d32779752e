// svcat get resourceclasses
#include <fmt/format.h>

#include "base/text.h"
#include "svcat/catalog/fields.h"
#include "svcat/catalog/lookup.h"
#include "svcat/claims/claim_kinds.h"
#include "svcat/commands.h"
#include "svcat/listing.h"
#include "svcat/resourceclasses/default_kinds.h"

namespace chandler::svcat {
namespace {

Listing listing_of(Call& call, const std::string& ns) {
  const auto now = call.env().clock.now();
  Listing listing;
  listing.columns = {{"NAME"}, {"NAMESPACE"}, {"PROVISIONER"}, {"DEFAULT FOR"}, {"RECLAIM"}};
  listing.wide_columns = {{"PROVIDER"}, {"STATUS"}, {"AGE"}};
  listing.row = [now](const json::Value& one, bool wide) {
    Row row{name_of(one), namespace_of(one), text_at(one, {"provisioner"}), join(default_kinds(one), ", "),
            text_at(one, {"reclaimPolicy"})};
    if (wide) {
      const auto status = status_word(one);
      row.emplace_back(text_at(one, {"providerRef", "name"}));
      row.emplace_back(status, color_of_status(status));
      row.emplace_back(age_of(one, now));
    }
    return row;
  };
  listing.nothing = ns.empty() ? std::string("No resourceclasses. Operators create them.")
                               : fmt::format(
                                     "No resourceclasses in namespace {}. Those that serve everybody are often "
                                     "in: svcat get resourceclasses -n crossplane-system",
                                     ns);
  return listing;
}

Result<int> run_get_resource_classes(Call& call) {
  if (call.argument_count() == 1 && (call.given("default-for") || call.is_set("all-namespaces"))) {
    return usage_error("a name and --default-for or --all-namespaces cannot be used together; leave one out");
  }
  std::string kind;
  if (call.given("default-for")) {
    CH_TRY_LET(found, find_claim_kind(call, call.flag("default-for")));
    kind = found.qualified();
  }
  CH_TRY_LET(ns, call.ns());
  const auto place = call.is_set("all-namespaces") ? std::string() : ns;
  auto listing = listing_of(call, place);
  if (call.argument_count() == 1) {
    CH_TRY_LET(one, find_named(call, resource_classes_kind(), ns, call.argument(0)));
    return show_one(call, one, listing);
  }
  if (!kind.empty()) {
    listing.judge = [kind](const json::Value& one) {
      return is_default_for(one, kind) ? Verdict::kShow : Verdict::kSkip;
    };
  }
  return run_listing(call, {{resource_classes_kind(), place}}, listing);
}

}  // namespace

Command get_resource_classes() {
  return {.verb = "get",
          .noun = "resourceclasses",
          .noun_aliases = {"resourceclass", "rclass"},
          .arguments = "[NAME]",
          .max_arguments = 1,
          .summary = "List the classes that serve claims, or show one",
          .examples = {"get resourceclasses -n crossplane-system", "get resourceclasses --all-namespaces -o wide",
                       "get resourceclasses -A --default-for PostgreSQLInstance"},
          .flags = {{"default-for", 0, "KIND", "Only defaults for this kind of claim", "", false, Offer::kClaimKinds},
                    output_flag(),
                    namespace_flag(),
                    all_namespaces_flag(),
                    watch_flag()},
          .offer = Offer::kResourceClasses,
          .run = run_get_resource_classes};
}

}  // namespace chandler::svcat
