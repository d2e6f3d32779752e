// svcat rebind
#include <fmt/format.h>

#include "svcat/bindings/describe.h"
#include "svcat/catalog/fields.h"
#include "svcat/catalog/lookup.h"
#include "svcat/commands.h"
#include "svcat/wait.h"

namespace chandler::svcat {
namespace {

// The controller's note that the defaults are in the spec. Without it they would be merged once more, and what a null
// had removed, or what became a default since, would be in the new request.
constexpr std::string_view kDefaultsApplied = "servicecatalog.kubernetes.io/defaults-applied";

// The same request once more; what identifies the old binding at the broker is left out.
json::Value again(const json::Value& binding) {
  json::Object spec = binding.at("spec").as_object();
  spec.erase("externalID");
  spec.erase("userInfo");
  json::Object metadata{{"name", name_of(binding)}, {"namespace", namespace_of(binding)}};
  if (const auto* labels = json::find_path(binding, {"metadata", "labels"})) metadata["labels"] = *labels;
  if (const auto applied = annotation_of(binding, kDefaultsApplied); !applied.empty()) {
    metadata["annotations"] = json::Object{{kDefaultsApplied, applied}};
  }
  return json::Object{{"apiVersion", kCatalogVersion},
                      {"kind", bindings_kind().name},
                      {"metadata", std::move(metadata)},
                      {"spec", std::move(spec)}};
}

Result<int> run_rebind(Call& call) {
  const auto name = call.argument(0);
  CH_TRY(call.duration("timeout"));
  CH_TRY_LET(ns, call.ns());
  CH_TRY_LET(binding, find_named(call, bindings_kind(), ns, name));
  if (json::object_at(binding, "spec") == nullptr) return bad_request(fmt::format("binding {} has no spec", name));
  CH_TRY_LET(sure, call.confirm(fmt::format(
                       "Replace the credentials of binding {} of namespace {}? The old ones cease to be valid at once.",
                       name, ns)));
  if (!sure) {
    call.hint("Nothing was done.");
    return 1;
  }
  CH_TRY_LET(catalog, call.catalog());
  CH_TRY(catalog->remove(bindings_kind(), ns, name));
  CH_TRY_LET(gone, wait_until_gone(call, bindings_kind(), ns, name));
  const auto instance = text_at(binding, {"spec", "instanceRef", "name"});
  if (gone.how != Waited::kGone) {
    call.hint(fmt::format("Binding {} was not made again. When the old one is gone: svcat bind {} --name {} -n {}",
                          name, instance, name, ns));
    return gone.how == Waited::kInterrupted ? kInterruptedCode : 1;
  }
  CH_TRY_LET(created, catalog->create(bindings_kind(), ns, again(binding)));
  if (call.is_set("wait")) {
    CH_TRY_LET(waited, wait_until_settled(call, bindings_kind(), ns, name));
    if (waited.how == Waited::kInterrupted) return kInterruptedCode;
    created = std::move(waited.object);
    if (waited.how != Waited::kDone) {
      return bad_request(
          fmt::format("binding {} failed; the whole story: svcat explain binding {} -n {}", name, name, ns));
    }
  }
  Details details(call.out(), call.style());
  describe_binding_to(details, created);
  return 0;
}

}  // namespace

Command rebind() {
  return {
      .verb = "rebind",
      .arguments = "BINDING",
      .min_arguments = 1,
      .max_arguments = 1,
      .summary = "Replace the credentials of a binding: unbind, then bind again with the same parameters",
      .details =
          "To keep the old credentials for a while, bind under another name first and unbind the old binding later.",
      .examples = {"rebind mydb-admin --yes --wait"},
      .flags = flags_of({{yes_flag(), namespace_flag()}, wait_flags()}),
      .offer = Offer::kBindings,
      .run = run_rebind};
}

}  // namespace chandler::svcat
