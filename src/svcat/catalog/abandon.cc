#include "svcat/catalog/abandon.h"

#include <algorithm>

#include <fmt/format.h>

#include "svcat/catalog/fields.h"

namespace chandler::svcat {
namespace {

// Our server, or an object that our controllers have worked on.
bool is_ours(Catalog& catalog, const json::Value& object) {
  if (json::find_path(object, {"status", "resolution"}) != nullptr) return true;
  if (json::find_path(object, {"status", "parameterSources"}) != nullptr) return true;
  const auto version = catalog.rest().get_text("/version");
  return version.ok() && version->find("+chandler") != std::string::npos;
}

void annotate(json::Object& object) {
  auto& metadata = object["metadata"];
  if (!metadata.is_object()) metadata = json::Object();
  auto& annotations = metadata.get_object()["annotations"];
  if (!annotations.is_object()) annotations = json::Object();
  annotations.get_object()[kAbandonAnnotation] = "true";
}

void drop_finalizer(json::Object& object) {
  auto* finalizers = json::find_path(object["metadata"], {"finalizers"});
  if (finalizers == nullptr || !finalizers->is_array()) return;
  auto& list = finalizers->get_array();
  list.erase(std::remove(list.begin(), list.end(), json::Value(kFinalizer)), list.end());
}

}  // namespace

Result<bool> confirm_abandon(Call& call, const Kind& kind, const std::string& name) {
  call.warn(fmt::format(
      "Abandoning {} {} removes it here without telling its broker: what the broker holds for it stays there, "
      "is paid for,\nand must be cleaned up by hand.{}",
      kind.noun, name,
      kind.noun == "instance" ? " Its bindings are not touched." : " Its credentials may stay valid."));
  return call.confirm(fmt::format("Abandon {} {}?", kind.noun, name));
}

Result<void> abandon(Call& call, const Kind& kind, const std::string& ns, const std::string& name) {
  CH_TRY_LET(catalog, call.catalog());
  CH_TRY_LET(object, catalog->get(kind, ns, name));
  const bool ours = is_ours(*catalog, object);
  CH_TRY(catalog->change(kind, ns, name, [&](json::Object& changed) -> Result<void> {
    annotate(changed);
    if (!ours) drop_finalizer(changed);
    return {};
  }));
  const auto removed = catalog->remove(kind, ns, name);
  if (!removed.ok() && !is_not_found(removed.error())) return removed.error();
  return {};
}

}  // namespace chandler::svcat
