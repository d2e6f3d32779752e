#include "svcat/catalog/scopes.h"

#include <fmt/format.h>

#include "base/text.h"

namespace chandler::svcat {
namespace {

enum class Asked { kNothing, kCluster, kNamespace, kAll };

Result<Asked> asked(Call& call) {
  const auto scope = to_lower(call.flag("scope"));
  if (scope.empty()) return call.is_set("cluster") ? Asked::kCluster : Asked::kNothing;
  const bool known = scope == "cluster" || scope == "namespace" || scope == "all";
  if (!known) return usage_error(fmt::format("--scope is cluster, namespace or all, not {}", quoted(scope)));
  if (call.is_set("cluster") && scope != "cluster") {
    return usage_error(fmt::format("--cluster and --scope {} contradict each other; leave one out", scope));
  }
  return scope == "cluster" ? Asked::kCluster : scope == "all" ? Asked::kAll : Asked::kNamespace;
}

// "": all of them.
Result<std::string> namespace_to_look_in(Call& call) {
  if (call.is_set("all-namespaces")) return std::string();
  return call.ns();
}

}  // namespace

Result<std::vector<Place>> places_to_list(Call& call, bool usable) {
  CH_TRY_LET(scope, asked(call));
  std::vector<Place> places;
  const bool in_namespace =
      scope != Asked::kCluster || call.is_set("all-namespaces") || (call.is_set("cluster") && call.given("namespace"));
  if (scope == Asked::kCluster || scope == Asked::kAll || (scope == Asked::kNothing && usable)) {
    places.push_back({Scope::kCluster, ""});
  }
  if (in_namespace) {
    CH_TRY_LET(ns, namespace_to_look_in(call));
    places.push_back({Scope::kNamespace, std::move(ns)});
  }
  return places;
}

std::string nothing_in(const std::vector<Place>& places, std::string_view noun) {
  if (places.size() != 1 || places[0].scope == Scope::kCluster) {
    return fmt::format("No {}. Is a broker registered? See: svcat get brokers", noun);
  }
  return fmt::format("No {} {}. Those of the cluster: svcat get {} --cluster", noun,
                     places[0].ns.empty() ? "in any namespace" : "in namespace " + places[0].ns, noun);
}

Result<std::vector<Place>> places_to_search(Call& call) {
  CH_TRY_LET(scope, asked(call));
  std::vector<Place> places;
  if (scope != Asked::kCluster) {
    CH_TRY_LET(ns, namespace_to_look_in(call));
    places.push_back({Scope::kNamespace, std::move(ns)});
  }
  if (scope != Asked::kNamespace) places.push_back({Scope::kCluster, ""});
  return places;
}

Result<Place> place_to_write(Call& call) {
  CH_TRY_LET(scope, asked(call));
  if (scope == Asked::kAll) return usage_error("--scope all is not possible here; say cluster or namespace");
  if (scope == Asked::kCluster) return Place{Scope::kCluster, ""};
  CH_TRY_LET(ns, call.ns());
  return Place{Scope::kNamespace, std::move(ns)};
}

}  // namespace chandler::svcat
