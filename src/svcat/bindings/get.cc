// svcat get bindings
#include "svcat/catalog/fields.h"
#include "svcat/catalog/lookup.h"
#include "svcat/commands.h"
#include "svcat/listing.h"

namespace chandler::svcat {
namespace {

Listing listing_of(Call& call) {
  const auto now = call.env().clock.now();
  Listing listing;
  listing.columns = {{"NAME"}, {"NAMESPACE"}, {"INSTANCE"}, {"STATUS"}};
  listing.wide_columns = {{"SECRET"}, {"TYPE"}, {"EXPIRES"}, {"AGE"}};
  listing.row = [now](const json::Value& binding, bool wide) {
    const auto status = status_word(binding);
    Row row{name_of(binding),
            namespace_of(binding),
            text_at(binding, {"spec", "instanceRef", "name"}),
            {status, color_of_status(status)}};
    if (wide) {
      row.emplace_back(text_at(binding, {"spec", "secretName"}));
      row.emplace_back(type_of(binding));
      row.emplace_back(text_at(binding, {"status", "expirationTime"}));
      row.emplace_back(age_of(binding, now));
    }
    return row;
  };
  listing.nothing = "No bindings. Make one: svcat bind INSTANCE";
  return listing;
}

Result<int> run_get_bindings(Call& call) {
  CH_TRY_LET(ns, call.ns());
  if (call.argument_count() == 1) {
    CH_TRY_LET(binding, find_named(call, bindings_kind(), ns, call.argument(0)));
    return show_one(call, binding, listing_of(call));
  }
  return run_listing(call, {{bindings_kind(), call.is_set("all-namespaces") ? "" : ns}}, listing_of(call));
}

}  // namespace

Command get_bindings() {
  return {.verb = "get",
          .noun = "bindings",
          .noun_aliases = {"binding", "bnd"},
          .arguments = "[NAME]",
          .max_arguments = 1,
          .summary = "List bindings, or show one",
          .examples = {"get bindings", "get bindings --all-namespaces -o wide", "get binding mydb -o json"},
          .flags = {output_flag(), namespace_flag(), all_namespaces_flag(), watch_flag()},
          .offer = Offer::kBindings,
          .run = run_get_bindings};
}

}  // namespace chandler::svcat
