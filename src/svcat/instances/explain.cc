// svcat explain instance
#include <fmt/format.h>

#include "svcat/catalog/fields.h"
#include "svcat/catalog/lookup.h"
#include "svcat/catalog/story.h"
#include "svcat/commands.h"

namespace chandler::svcat {
namespace {

std::string asked_for(const json::Value& instance) {
  const auto type = type_of(instance);
  std::string text = type.empty() ? "" : fmt::format("type {}", type);
  for (const auto scope : {Scope::kCluster, Scope::kNamespace}) {
    const auto& names = names_of(scope);
    for (const auto& [word, external, object] : {std::tuple("class", names.class_external_name, names.class_name),
                                                 std::tuple("plan", names.plan_external_name, names.plan_name)}) {
      auto name = text_at(instance, {"spec", external});
      if (name.empty()) name = text_at(instance, {"spec", object});
      if (!name.empty()) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", word, name);
    }
  }
  return text;
}

Result<int> run_explain_instance(Call& call) {
  CH_TRY_LET(ns, call.ns());
  CH_TRY_LET(instance, find_named(call, instances_kind(), ns, call.argument(0)));
  Details details(call.out(), call.style());
  call.out() << headline(instances_kind(), instance) << '\n';
  details.section("Class and plan");
  if (const auto asked = asked_for(instance); !asked.empty()) details.line(fmt::format("Asked for: {}", asked));
  if (const auto* resolution = json::find_path(instance, {"status", "resolution"}); resolution != nullptr) {
    tell_choice(details, *resolution);
  } else if (!class_ref_of(instance).empty()) {
    details.line(fmt::format("Class {} and plan {}", class_ref_of(instance), plan_ref_of(instance)));
  } else {
    details.line("Not chosen yet");
  }
  tell_parameters(call, details, instance, "Instance");
  tell_broker(call, details, instance);
  CH_TRY(tell_events(call, details, instances_kind(), instance));
  tell_next(call, details, instances_kind(), instance);
  return 0;
}

}  // namespace

Command explain_instance() {
  return {.verb = "explain",
          .noun = "instance",
          .noun_aliases = {"instances", "inst"},
          .arguments = "NAME",
          .min_arguments = 1,
          .max_arguments = 1,
          .summary =
              "Tell the story of an instance: which plan and why, who set what, what the broker said, what comes next",
          .examples = {"explain instance mydb"},
          .flags = {namespace_flag()},
          .offer = Offer::kInstances,
          .run = run_explain_instance};
}

}  // namespace chandler::svcat
