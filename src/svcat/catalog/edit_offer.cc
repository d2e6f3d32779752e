#include "svcat/catalog/edit_offer.h"

#include <fmt/format.h>

#include "resolve/provided_record.h"
#include "svcat/catalog/fields.h"

namespace chandler::svcat {

void warn_about_broker(Call& call, const json::Value& offer, const std::vector<std::string>& fields,
                       const json::Object& wanted) {
  for (const auto& field : fields) {
    const auto path = "spec." + field;
    if (!resolve::is_provided(offer, path)) continue;
    const auto* has = json::find_path(offer, {"spec", field});
    const auto* gets = wanted.if_contains(field);
    if (has != nullptr && gets != nullptr && json::equal(*has, *gets)) continue;
    call.warn(
        fmt::format("broker {} provides {} of {}: the next read of its catalog overwrites this change; make a copy "
                    "of your own with svcat create {} NAME --from {}",
                    broker_of(offer), path, external_name_of(offer),
                    text_at(offer, {"kind"}).ends_with("Plan") ? "plan" : "class", external_name_of(offer)));
  }
}

Result<json::Object> copy_of(const json::Value& offer, const std::string& name, const Place& place) {
  const bool is_plan = text_at(offer, {"kind"}).ends_with("Plan");
  const bool to_cluster = place.scope == Scope::kCluster;
  const auto* before = json::object_at(offer, "spec");
  json::Object spec = before == nullptr ? json::Object() : *before;
  if (to_cluster && text_at(offer, {"spec", "clusterServiceBrokerName"}).empty()) {
    return bad_request(
        fmt::format("{} belongs to broker {} of namespace {}, so a copy must be in that namespace: leave out "
                    "--cluster",
                    external_name_of(offer), broker_of(offer), namespace_of(offer)));
  }
  if (!to_cluster && scope_of(offer) == Scope::kNamespace && namespace_of(offer) != place.ns &&
      !text_at(offer, {"spec", "serviceBrokerName"}).empty()) {
    return bad_request(fmt::format("{} belongs to broker {} of namespace {}; pass -n {}", external_name_of(offer),
                                   broker_of(offer), namespace_of(offer), namespace_of(offer)));
  }
  spec["externalName"] = name;
  json::Object metadata{{"name", name}};
  if (!to_cluster) metadata["namespace"] = place.ns;
  const auto& kind = is_plan ? place.names().plans : place.names().classes;
  return json::Object{{"apiVersion", kCatalogVersion},
                      {"kind", kind.name},
                      {"metadata", std::move(metadata)},
                      {"spec", std::move(spec)}};
}

}  // namespace chandler::svcat
