// svcat marketplace
#include <map>

#include <fmt/format.h>

#include "svcat/catalog/fields.h"
#include "svcat/catalog/scopes.h"
#include "svcat/commands.h"
#include "svcat/output/format.h"
#include "svcat/output/table.h"

namespace chandler::svcat {
namespace {

std::string key_of(std::string_view ns, std::string_view name) { return fmt::format("{}/{}", ns, name); }

Result<int> run_marketplace(Call& call) {
  CH_TRY_LET(format, parse_format(call.flag("output")));
  CH_TRY_LET(places, places_to_list(call, true));
  CH_TRY_LET(catalog, call.catalog());
  std::vector<json::Value> classes, plans;
  std::map<std::string, std::vector<size_t>> of_class;
  for (const auto& place : places) {
    CH_TRY_LET(some_classes, catalog->list(place.names().classes, place.ns));
    CH_TRY_LET(some_plans, catalog->list(place.names().plans, place.ns));
    for (auto& one : some_classes) {
      if (!is_removed(one)) classes.push_back(std::move(one));
    }
    for (auto& one : some_plans) {
      if (is_removed(one)) continue;
      of_class[key_of(namespace_of(one), class_ref_of(one))].push_back(plans.size());
      plans.push_back(std::move(one));
    }
  }
  if (!format.is_table()) {
    for (auto& plan : plans) classes.push_back(std::move(plan));
    CH_TRY(print_list(call.out(), format, std::move(classes)));
    return 0;
  }
  std::vector<Column> columns{{"CLASS"}, {"PLANS"}, {"DESCRIPTION", true}};
  if (format.is_wide()) columns.insert(columns.end(), {{"TYPE"}, {"FREE"}, {"SCOPE"}});
  Table table(call.out(), columns, call.style());
  for (const auto& service_class : classes) {
    const auto& indexes = of_class[key_of(namespace_of(service_class), name_of(service_class))];
    bool first = true;
    for (size_t i = 0; i < std::max<size_t>(indexes.size(), 1); ++i) {
      const auto* plan = indexes.empty() ? nullptr : &plans[indexes[i]];
      Row row{first ? external_name_of(service_class) : "", plan == nullptr ? "" : external_name_of(*plan),
              first ? text_at(service_class, {"spec", "description"}) : ""};
      if (format.is_wide()) {
        const auto type = plan == nullptr ? std::string() : type_of(*plan);
        row.emplace_back(type.empty() ? type_of(service_class) : type);
        row.emplace_back(plan == nullptr ? "" : true_at(*plan, {"spec", "free"}) ? "true" : "false");
        row.emplace_back(first ? scope_cell(service_class) : "");
      }
      table.add(std::move(row));
      first = false;
    }
  }
  table.flush();
  if (classes.empty()) call.hint("No classes. Is a broker registered? See: svcat get brokers");
  return 0;
}

}  // namespace

Command marketplace() {
  return {.verb = "marketplace",
          .noun_aliases = {"mp"},
          .summary = "Show everything that can be provisioned from the namespace",
          .examples = {"marketplace", "marketplace -o wide", "mp --all-namespaces"},
          .flags = {output_flag(), cluster_flag(), scope_flag(), namespace_flag(), all_namespaces_flag()},
          .run = run_marketplace};
}

}  // namespace chandler::svcat
