#include "svcat/usages/workload.h"

#include <fmt/format.h>

#include "base/text.h"
#include "resolve/choose_default.h"
#include "svcat/catalog/fields.h"
#include "svcat/catalog/lookup.h"

namespace chandler::svcat {
namespace {

bool stands_for(const json::Value& usage_kind, std::string_view word) {
  return equals_ignore_case(text_at(usage_kind, {"spec", "resource", "kind"}), word) ||
         equals_ignore_case(text_at(usage_kind, {"status", "resource", "kind"}), word) ||
         equals_ignore_case(text_at(usage_kind, {"status", "resource", "plural"}), word);
}

}  // namespace

Result<Workload> parse_workload(std::string_view flag, const std::string& text) {
  const auto slash = text.find('/');
  const bool complete = slash != std::string::npos && slash > 0 && slash + 1 < text.size() &&
                        text.find('/', slash + 1) == std::string::npos;
  if (!complete) {
    return usage_error(fmt::format("--{} {} must be KIND/NAME, such as --{} deployment/web", flag, quoted(text), flag));
  }
  return Workload{text.substr(0, slash), text.substr(slash + 1)};
}

Result<json::Value> find_usage_kind(Call& call, const std::string& word) {
  CH_TRY_LET(catalog, call.catalog());
  const auto name = to_lower(word);
  auto found = catalog->get(usage_kinds_kind(), "", name);
  if (found.ok() || !is_not_found(found.error()) || found.error().about.name.empty()) return found;
  CH_TRY_LET(all, catalog->list(usage_kinds_kind(), ""));
  std::erase_if(all, [&](const json::Value& one) { return !stands_for(one, word); });
  if (all.size() == 1) return std::move(all.front());
  if (all.empty()) return find_named(call, usage_kinds_kind(), "", name);  // which says what there is
  std::vector<std::string> names;
  names.reserve(all.size());
  for (const auto& one : all) names.push_back(name_of(one));
  return bad_request(fmt::format("{} usagekinds stand for {}: {}; name one of them", all.size(), quoted(word),
                                 resolve::list_names(names)));
}

Result<std::optional<DiscoveredKind>> discover_workload(Catalog& catalog, const json::Value& usage_kind) {
  return discover_kind(catalog, text_at(usage_kind, {"spec", "resource", "group"}),
                       text_at(usage_kind, {"spec", "resource", "version"}),
                       text_at(usage_kind, {"spec", "resource", "kind"}));
}

Workload workload_of(const json::Value& usage) {
  return {text_at(usage, {"spec", "usedBy", "kind"}), text_at(usage, {"spec", "usedBy", "name"})};
}

}  // namespace chandler::svcat
