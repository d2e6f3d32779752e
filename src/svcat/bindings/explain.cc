// svcat explain binding
#include <fmt/format.h>

#include "base/time_text.h"
#include "svcat/bindings/describe.h"
#include "svcat/catalog/describe_offer.h"
#include "svcat/catalog/fields.h"
#include "svcat/catalog/lookup.h"
#include "svcat/catalog/story.h"
#include "svcat/commands.h"

namespace chandler::svcat {
namespace {

void tell_credentials(Call& call, Details& details, const json::Value& binding) {
  details.section("Credentials");
  auto secret = text_at(binding, {"status", "binding", "name"});
  if (secret.empty()) secret = text_at(binding, {"spec", "secretName"});
  details.line(fmt::format("{} secret {}", condition_holds(binding, "Ready") ? "In" : "To be put into", secret));
  const auto expires = text_at(binding, {"status", "expirationTime"});
  if (!expires.empty()) {
    const auto at = parse_rfc3339(expires);
    details.line(fmt::format("{} @ {}", at && *at < call.env().clock.now() ? "Expired" : "Valid until", utc(expires)));
  }
  if (const auto renew = text_at(binding, {"status", "renewBeforeTime"}); !renew.empty()) {
    details.line(fmt::format("To be renewed before {}", utc(renew)));
  }
}

Result<int> run_explain_binding(Call& call) {
  CH_TRY_LET(ns, call.ns());
  CH_TRY_LET(binding, find_named(call, bindings_kind(), ns, call.argument(0)));
  Details details(call.out(), call.style());
  call.out() << headline(bindings_kind(), binding) << '\n';
  details.section("Instance, class and plan");
  details.line(fmt::format("Binds instance {}", text_at(binding, {"spec", "instanceRef", "name"})));
  if (const auto* resolution = json::find_path(binding, {"status", "resolution"}); resolution != nullptr) {
    tell_choice(details, *resolution);
  }
  tell_parameters(call, details, binding, "Binding");
  add_transforms(details, "Secret Transform", transforms_of(binding));
  tell_credentials(call, details, binding);
  tell_broker(call, details, binding);
  CH_TRY(tell_events(call, details, bindings_kind(), binding));
  tell_next(call, details, bindings_kind(), binding);
  return 0;
}

}  // namespace

Command explain_binding() {
  return {.verb = "explain",
          .noun = "binding",
          .noun_aliases = {"bindings", "bnd"},
          .arguments = "NAME",
          .min_arguments = 1,
          .max_arguments = 1,
          .summary = "Tell the story of a binding: who set what, what the broker said, what comes next",
          .examples = {"explain binding mydb-admin"},
          .flags = {namespace_flag()},
          .offer = Offer::kBindings,
          .run = run_explain_binding};
}

}  // namespace chandler::svcat
