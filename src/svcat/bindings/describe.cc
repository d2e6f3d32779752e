// svcat describe binding
#include "svcat/bindings/describe.h"

#include <fmt/format.h>

#include "base/text.h"
#include "json/sorted_members.h"
#include "svcat/catalog/describe_offer.h"
#include "svcat/catalog/fields.h"
#include "svcat/catalog/lookup.h"
#include "svcat/commands.h"
#include "svcat/instances/describe.h"

namespace chandler::svcat {
namespace {

// Keys with the sizes of their values, or with the values when the user insists.
Result<void> add_secret(Call& call, Details& details, const json::Value& binding) {
  CH_TRY_LET(catalog, call.catalog());
  const auto name = text_at(binding, {"spec", "secretName"});
  const auto secret = catalog->get(secrets_kind(), namespace_of(binding), name.empty() ? name_of(binding) : name);
  if (!secret.ok()) {
    const bool missing = is_not_found(secret.error());
    if (missing && !condition_holds(binding, "Ready")) return {};
    if (!missing && secret.error().reason != Reason::kForbidden) return secret.error();
    details.section("Secret Data");
    details.line(missing ? "The secret is not there" : "You may not read the secret");
    return {};
  }
  const auto* data = json::find(*secret, "data");
  if (data == nullptr || !data->is_object()) return {};
  details.section("Secret Data");
  json::for_each_sorted(data->get_object(), [&](const json::Member& member) {
    const auto bytes = base64_decode(member.value().is_string() ? json::view(member.value().get_string()) : "");
    const auto content = bytes.value_or("");
    details.add_text(std::string(json::key_of(member)),
                     call.is_set("show-secrets") ? content : fmt::format("{} bytes", content.size()));
  });
  details.flush();
  return {};
}

Result<int> run_describe_binding(Call& call) {
  CH_TRY_LET(ns, call.ns());
  CH_TRY_LET(binding, find_named(call, bindings_kind(), ns, call.argument(0)));
  Details details(call.out(), call.style());
  describe_binding_to(details, binding);
  CH_TRY(add_secret(call, details, binding));
  return 0;
}

}  // namespace

const json::Value* transforms_of(const json::Value& binding) {
  const auto* ours = json::find_path(binding, {"spec", "secretTransform"});
  return ours != nullptr ? ours : json::find_path(binding, {"spec", "secretTransforms"});
}

void describe_binding_to(Details& details, const json::Value& binding) {
  details.add("Name", name_of(binding));
  details.add("Namespace", namespace_of(binding));
  details.add("Status", shown_status(status_sentence(binding)), color_of_status(status_word(binding)));
  details.add_if("Type", type_of(binding));
  details.add("Instance", text_at(binding, {"spec", "instanceRef", "name"}));
  details.add_if("Plan", text_at(binding, {"status", "resolution", "planExternalName"}));
  details.add("Secret", text_at(binding, {"spec", "secretName"}));
  if (const auto expires = text_at(binding, {"status", "expirationTime"}); !expires.empty()) {
    details.add("Expires", utc(expires));
  }
  details.flush();
  add_parameters(details, binding);
  add_transforms(details, "Secret Transform", transforms_of(binding));
}

Command describe_binding() {
  return {.verb = "describe",
          .noun = "binding",
          .noun_aliases = {"bindings", "bnd"},
          .arguments = "NAME",
          .min_arguments = 1,
          .max_arguments = 1,
          .summary = "Show what is known about a binding and the secret with its credentials",
          .examples = {"describe binding mydb", "describe binding mydb --show-secrets"},
          .flags = {{"show-secrets", 0, "", "Show the credentials themselves"}, namespace_flag()},
          .offer = Offer::kBindings,
          .run = run_describe_binding};
}

}  // namespace chandler::svcat
