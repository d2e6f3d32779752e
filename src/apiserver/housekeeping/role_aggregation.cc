#include "apiserver/housekeeping/role_aggregation.h"

#include <set>
#include <utility>

#include "auth/policy.h"
#include "base/log.h"
#include "json/writer.h"

namespace chandler::apiserver {
namespace {

constexpr std::string_view kClusterRoles = "rbac.authorization.k8s.io/clusterroles/";
// One look at all of them: few roles are aggregated, and a change of any role may concern each.
constexpr const char* kAllAggregated = "all";
constexpr auto kRetryAggregation = std::chrono::seconds(2);

const json::Array* selectors_of(const json::Value& role) {
  const auto* aggregation = json::find(role, "aggregationRule");
  return aggregation == nullptr ? nullptr : json::array_at(*aggregation, "clusterRoleSelectors");
}

const json::Array& rules_in(const json::Value& role) {
  static const json::Array kNone;
  const auto* rules = json::array_at(role, "rules");
  return rules == nullptr ? kNone : *rules;
}

}  // namespace

Result<json::Array> aggregated_rules(const registry::Cache& cache, const registry::Kind& kind,
                                     const json::Value& role) {
  json::Array rules;
  std::set<std::string> known;  // rules, as written
  // Roles that need no look: this one, and those that an earlier selector found.
  std::set<std::string, std::less<>> done = {json::string_or(role.at("metadata"), "name")};
  const auto* selectors = selectors_of(role);
  for (size_t i = 0; selectors != nullptr && i < selectors->size(); ++i) {
    CH_TRY_LET(selector, meta::LabelSelector::from_json((*selectors)[i]));
    CH_TRY_LET(query, registry::Query::make(kind, kind.storage_version(), "", std::move(selector), {}));
    CH_TRY_LET(page, cache.list(kind, query));  // in the order of names
    for (const auto& document : page.items) {
      if (!done.emplace(document->name()).second) continue;
      const auto source = document->parse();
      for (const auto& rule : rules_in(source)) {
        if (known.insert(json::write(rule)).second) rules.push_back(rule);
      }
    }
  }
  return rules;
}

RoleAggregation::RoleAggregation(const registry::KindTable& kinds, registry::Cache& cache, registry::Objects& objects)
    : kinds_(kinds),
      cache_(cache),
      writer_(objects, "clusterrole-aggregation-controller"),
      duty_("roles", [this](const std::string&) { return bring_all_in_step(); }) {
  cache_.listen([this](std::string_view prefix, const registry::Event&) {
    if (prefix == kClusterRoles) duty_.add(kAllAggregated);
  });
}

void RoleAggregation::start() {
  duty_.add(kAllAggregated);
  duty_.start();
}

std::optional<std::chrono::milliseconds> RoleAggregation::bring_all_in_step() {
  const auto kind = kinds_.current()->find(auth::kRbacGroup, "clusterroles");
  if (kind == nullptr) return std::nullopt;
  const auto page = cache_.list(*kind, registry::Query());
  if (!page.ok()) return kRetryAggregation;
  bool all_in_step = true;
  for (const auto& document : page->items) {
    // The word is in the bytes of every aggregated role: the others need not be parsed.
    if (document->bytes().find("\"aggregationRule\"") == std::string_view::npos) continue;
    all_in_step = bring_in_step(kind, *document) && all_in_step;
  }
  if (all_in_step) return std::nullopt;
  return kRetryAggregation;
}

bool RoleAggregation::bring_in_step(const registry::KindPtr& kind, const registry::Document& role) {
  const auto present = role.parse();
  if (selectors_of(present) == nullptr || role.deleting()) return true;
  const auto wanted = aggregated_rules(cache_, *kind, present);
  if (!wanted.ok()) {
    log::warn("the rules of an aggregated role cannot be put together",
              {{"role", role.name()}, {"error", wanted.error().message}});
    return true;  // its selectors are bad; a change of the role brings us back
  }
  if (json::equal(json::Value(rules_in(present)), json::Value(*wanted))) return true;
  const auto written =
      writer_.update(kind, "", role.name(), [&](const registry::Document& current) -> Result<json::Value> {
        auto changed = current.parse();
        // What changed meanwhile queues another look.
        if (selectors_of(changed) != nullptr) changed.as_object()["rules"] = *wanted;
        return changed;
      });
  if (written.ok() || written.error().reason == Reason::kNotFound) return true;
  log::warn("the rules of an aggregated role could not be written",
            {{"role", role.name()}, {"error", written.error().message}});
  // What breaks a rule would be refused again: a change of the roles brings us back.
  return written.error().reason == Reason::kInvalid || written.error().reason == Reason::kRequestEntityTooLarge;
}

}  // namespace chandler::apiserver
