#include "app/policy_follower.h"

#include <string>
#include <utility>
#include <vector>

namespace chandler::app {
namespace {

constexpr std::string_view kPrefix = "rbac.authorization.k8s.io/";

}  // namespace

void follow_policy(registry::Cache& cache, auth::PolicyStore& policy) {
  cache.listen([&policy](std::string_view prefix, const registry::Event& event) {
    if (!prefix.starts_with(kPrefix)) return;
    const auto object = event.now->parse();
    if (event.deleted) {
      policy.remove(json::string_or(object, "kind"), event.now->ns(), event.now->name());
    } else {
      policy.apply(object);
    }
  });
}

void load_policy(const registry::Kinds& kinds, const registry::Cache& cache, auth::PolicyStore& policy) {
  std::vector<json::Value> objects;
  for (const auto& kind : kinds.all()) {
    if (!kind->prefix().starts_with(kPrefix)) continue;
    const auto page = cache.list(*kind, registry::Query());
    for (const auto& document : page.ok() ? page->items : std::vector<registry::DocumentPtr>()) {
      objects.push_back(document->parse());
    }
  }
  policy.load(objects);
}

}  // namespace chandler::app
