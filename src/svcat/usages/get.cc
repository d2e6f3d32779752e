// svcat get usages
#include "svcat/catalog/fields.h"
#include "svcat/catalog/lookup.h"
#include "svcat/commands.h"
#include "svcat/listing.h"
#include "svcat/usages/workload.h"

namespace chandler::svcat {
namespace {

Listing listing_of(Call& call) {
  const auto now = call.env().clock.now();
  Listing listing;
  listing.columns = {{"NAME"}, {"NAMESPACE"}, {"BINDING"}, {"USED BY"}, {"STATUS"}};
  listing.wide_columns = {{"ENV PREFIX"}, {"SECRET"}, {"AGE"}};
  listing.row = [now](const json::Value& usage, bool wide) {
    const auto status = readiness_word(usage);
    Row row{name_of(usage),
            namespace_of(usage),
            text_at(usage, {"spec", "serviceBindingRef", "name"}),
            workload_of(usage).str(),
            {status, color_of_status(status)}};
    if (wide) {
      row.emplace_back(text_at(usage, {"spec", "parameters", "envPrefix", "name"}));
      row.emplace_back(text_at(usage, {"status", "secretName"}));
      row.emplace_back(age_of(usage, now));
    }
    return row;
  };
  listing.nothing = "No usages. Make one: svcat use BINDING --by KIND/NAME";
  return listing;
}

Result<int> run_get_usages(Call& call) {
  FieldValues fields;
  if (const auto binding = call.flag("binding"); !binding.empty()) {
    fields.emplace_back("spec.serviceBindingRef.name", binding);
  }
  std::optional<Workload> workload;
  if (call.given("by")) {
    CH_TRY_LET(parsed, parse_workload("by", call.flag("by")));
    workload = std::move(parsed);
  }
  if (call.argument_count() == 1 && (workload || !fields.empty())) {
    return usage_error("a name and --binding or --by cannot be used together; leave one out");
  }
  CH_TRY_LET(ns, call.ns());
  if (call.argument_count() == 1) {
    CH_TRY_LET(usage, find_named(call, usages_kind(), ns, call.argument(0)));
    return show_one(call, usage, listing_of(call));
  }
  if (workload) {
    CH_TRY_LET(usage_kind, find_usage_kind(call, workload->kind));
    fields.emplace_back("spec.usedBy.kind", name_of(usage_kind));
    fields.emplace_back("spec.usedBy.name", workload->name);
  }
  return run_listing(call, {{usages_kind(), call.is_set("all-namespaces") ? "" : ns, fields}}, listing_of(call));
}

}  // namespace

Command get_usages() {
  return {.verb = "get",
          .noun = "usages",
          .noun_aliases = {"usage", "sbu"},
          .arguments = "[NAME]",
          .max_arguments = 1,
          .summary = "List which workloads use which bindings, or show one usage",
          .examples = {"get usages", "get usages --binding mydb", "get usages --by deployment/web -o wide"},
          .flags = {{"binding", 0, "NAME", "Only usages of this binding", "", false, Offer::kBindings},
                    {"by", 0, "KIND/NAME", "Only usages by this workload", "", false, Offer::kWorkloads},
                    output_flag(),
                    namespace_flag(),
                    all_namespaces_flag(),
                    watch_flag()},
          .offer = Offer::kUsages,
          .run = run_get_usages};
}

}  // namespace chandler::svcat
