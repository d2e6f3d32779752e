// svcat get storageclasses
#include "base/text.h"
#include "json/sorted_members.h"
#include "resolve/volume_selector.h"
#include "svcat/catalog/fields.h"
#include "svcat/catalog/lookup.h"
#include "svcat/commands.h"
#include "svcat/listing.h"
#include "svcat/storageclasses/describe.h"

namespace chandler::svcat {
namespace {

// Which of several marked classes counts. Known when the list came in one piece; until then every mark is shown.
struct DefaultClass {
  bool known = false;
  std::string name;

  bool is(const json::Value& storage_class) const {
    return known ? name_of(storage_class) == name : resolve::is_default_class(storage_class);
  }
};

std::string tunables_of(const json::Value& storage_class) {
  const auto options = resolve::read_selector_options(storage_class);
  if (!options.ok()) return "<unreadable>";
  std::vector<std::string> keys;
  for (const auto& option : *options) keys.push_back(option.key);
  return join(keys, ", ");
}

Listing listing_of(Call& call) {
  const auto now = call.env().clock.now();
  const auto chosen = std::make_shared<DefaultClass>();
  Listing listing;
  listing.columns = {{"NAME"}, {"PROVISIONER"}, {"RECLAIM"}, {"BINDING MODE"}, {"TUNABLE"}};
  listing.wide_columns = {{"POLICY"}, {"PARAMETERS"}, {"AGE"}};
  listing.arrange = [chosen](std::vector<json::Value>& items) {
    chosen->known = true;
    chosen->name = default_storage_class(items);
  };
  listing.row = [now, chosen](const json::Value& one, bool wide) {
    Row row{name_of(one) + (chosen->is(one) ? " (default)" : ""), text_at(one, {"provisioner"}),
            text_at(one, {"reclaimPolicy"}), text_at(one, {"volumeBindingMode"}), tunables_of(one)};
    if (wide) {
      row.emplace_back(text_at(one, {"selectorPolicy"}));
      row.emplace_back(parameters_text(one));
      row.emplace_back(age_of(one, now));
    }
    return row;
  };
  listing.nothing = "No storageclasses: volumes cannot be made on demand. Operators create them.";
  return listing;
}

Result<int> run_get_storage_classes(Call& call) {
  if (call.argument_count() == 1) {
    CH_TRY_LET(one, find_named(call, storage_classes_kind(), "", call.argument(0)));
    return show_one(call, one, listing_of(call));
  }
  return run_listing(call, {{storage_classes_kind(), ""}}, listing_of(call));
}

}  // namespace

Command get_storage_classes() {
  return {.verb = "get",
          .noun = "storageclasses",
          .noun_aliases = {"storageclass", "sc"},
          .arguments = "[NAME]",
          .max_arguments = 1,
          .summary = "List storage classes with what can be tuned, or show one",
          .examples = {"get storageclasses", "get storageclasses -o wide", "get storageclass slow -o yaml"},
          .flags = {output_flag(), watch_flag()},
          .offer = Offer::kStorageClasses,
          .run = run_get_storage_classes};
}

}  // namespace chandler::svcat
