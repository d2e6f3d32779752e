// svcat get usagekinds
#include <fmt/format.h>

#include "svcat/catalog/fields.h"
#include "svcat/catalog/lookup.h"
#include "svcat/commands.h"
#include "svcat/listing.h"

namespace chandler::svcat {
namespace {

// "Deployment.v1.apps", as kubectl takes it; what the server serves, else what the spec asks for.
std::string resource_cell(const json::Value& usage_kind) {
  const auto* resource = json::find_path(usage_kind, {"status", "resource"});
  if (resource == nullptr) resource = json::find_path(usage_kind, {"spec", "resource"});
  if (resource == nullptr) return "";
  auto text = text_at(*resource, {"kind"});
  if (const auto version = text_at(*resource, {"version"}); !version.empty()) text += "." + version;
  if (const auto group = text_at(*resource, {"group"}); !group.empty()) text += "." + group;
  return text;
}

Listing listing_of(Call& call) {
  const auto now = call.env().clock.now();
  Listing listing;
  listing.columns = {{"NAME"}, {"DISPLAY NAME"}, {"RESOURCE"}, {"STATUS"}};
  listing.wide_columns = {{"LABELS PATH"}, {"AGE"}};
  listing.row = [now](const json::Value& usage_kind, bool wide) {
    const auto status = readiness_word(usage_kind);
    Row row{name_of(usage_kind),
            text_at(usage_kind, {"spec", "displayName"}),
            resource_cell(usage_kind),
            {status, color_of_status(status)}};
    if (wide) {
      row.emplace_back(text_at(usage_kind, {"spec", "labelsPath"}));
      row.emplace_back(age_of(usage_kind, now));
    }
    return row;
  };
  listing.nothing = "No usagekinds: no workload can use a binding. Operators create them.";
  return listing;
}

Result<int> run_get_usage_kinds(Call& call) {
  if (call.argument_count() == 1) {
    CH_TRY_LET(usage_kind, find_named(call, usage_kinds_kind(), "", call.argument(0)));
    return show_one(call, usage_kind, listing_of(call));
  }
  return run_listing(call, {{usage_kinds_kind(), ""}}, listing_of(call));
}

}  // namespace

Command get_usage_kinds() {
  return {.verb = "get",
          .noun = "usagekinds",
          .noun_aliases = {"usagekind", "uk"},
          .arguments = "[NAME]",
          .max_arguments = 1,
          .summary = "List the kinds of workload that can use bindings, or show one",
          .examples = {"get usagekinds", "get usagekinds -o wide", "get usagekind deployment -o yaml"},
          .flags = {output_flag(), watch_flag()},
          .offer = Offer::kUsageKinds,
          .run = run_get_usage_kinds};
}

}  // namespace chandler::svcat
