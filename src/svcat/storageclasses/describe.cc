// svcat describe storageclass
#include "svcat/storageclasses/describe.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "base/text.h"
#include "json/sorted_members.h"
#include "json/writer.h"
#include "resolve/volume_selector.h"
#include "svcat/catalog/fields.h"
#include "svcat/catalog/lookup.h"
#include "svcat/commands.h"
#include "svcat/output/style.h"

namespace chandler::svcat {
namespace {

std::string texts_of(const json::Value& object, std::string_view field) {
  const auto* list = array_at(object, {field});
  if (list == nullptr) return "<none>";
  std::vector<std::string> texts;
  for (const auto& one : list->get_array()) {
    if (one.is_string()) texts.emplace_back(json::view(one.get_string()));
  }
  return join(texts, ", ");
}

// One requirement per line: zone in [a, b].
void add_topologies(Call& call, const json::Value& storage_class) {
  const auto* terms = array_at(storage_class, {"allowedTopologies"});
  if (terms == nullptr) return;
  call.out() << "AllowedTopologies:\n";
  for (const auto& term : terms->get_array()) {
    const auto* expressions = array_at(term, {"matchLabelExpressions"});
    if (expressions == nullptr) continue;
    for (const auto& expression : expressions->get_array()) {
      fmt::print(call.out(), "    {} in [{}]\n", printable(text_at(expression, {"key"})),
                 printable(texts_of(expression, "values")));
    }
  }
}

// What admission warned about when the class was made, and what claims will run into.
void add_problems(Call& call, const json::Value& storage_class) {
  const auto tunable = resolve::read_tunable_class(storage_class);
  if (!tunable.ok()) {
    fmt::print(call.out(), "Problems:\n    {}\n", printable(tunable.error().message));
    return;
  }
  const auto findings = resolve::check_tunable_class(*tunable, resolve::known_profile(tunable->provisioner));
  if (findings.problems.empty() && findings.warnings.empty()) return;
  call.out() << "Problems:\n";
  for (const auto& problem : findings.problems) fmt::print(call.out(), "    {}\n", printable(problem.message));
  for (const auto& warning : findings.warnings) fmt::print(call.out(), "    {}\n", printable(warning));
}

Result<int> run_describe_storage_class(Call& call) {
  CH_TRY_LET(one, find_named(call, storage_classes_kind(), "", call.argument(0)));
  auto& out = call.out();
  size_t width = 15;
  const auto line = [&](std::string_view label, const std::string& value) {
    fmt::print(out, "{:<{}} {}\n", fmt::format("{}:", label), width, printable(value));
  };
  line("Name", name_of(one));
  line("IsDefaultClass", resolve::is_default_class(one) ? "Yes" : "No");
  line("Provisioner", text_at(one, {"provisioner"}));
  const auto options = resolve::read_selector_options(one);
  if (options.ok() && !options->empty()) {
    out << "SelectorOptions:\n" << resolve::describe_selector_options(*options);
  }
  fmt::print(out, "Parameters: {}\n", printable(parameters_text(one)));
  width = 21;
  if (json::find(one, "allowVolumeExpansion") != nullptr) {
    line("AllowVolumeExpansion", true_at(one, {"allowVolumeExpansion"}) ? "True" : "False");
  }
  line("MountOptions", texts_of(one, "mountOptions"));
  line("ReclaimPolicy", text_at(one, {"reclaimPolicy"}));
  line("VolumeBindingMode", text_at(one, {"volumeBindingMode"}));
  if (const auto policy = text_at(one, {"selectorPolicy"}); !policy.empty()) line("SelectorPolicy", policy);
  if (const auto choice = text_at(one, {"selectorChoice"}); !choice.empty()) line("SelectorChoice", choice);
  add_topologies(call, one);
  add_problems(call, one);
  return 0;
}

}  // namespace

std::string parameters_text(const json::Value& storage_class) {
  const auto* parameters = json::object_at(storage_class, "parameters");
  if (parameters == nullptr || parameters->empty()) return "<none>";
  std::vector<std::string> pairs;
  json::for_each_sorted(*parameters, [&](const json::Member& member) {
    const auto& value = member.value();
    pairs.push_back(fmt::format("{}={}", json::key_of(member),
                                value.is_string() ? std::string(json::view(value.get_string())) : json::write(value)));
  });
  return join(pairs, ",");
}

std::string default_storage_class(const std::vector<json::Value>& storage_classes) {
  std::vector<resolve::ClassCandidate> marked;
  for (const auto& one : storage_classes) {
    if (!resolve::is_default_class(one) || is_deleting(one)) continue;
    marked.push_back({name_of(one), text_at(one, {"metadata", "creationTimestamp"})});
  }
  return resolve::default_class(marked);
}

Command describe_storage_class() {
  return {.verb = "describe",
          .noun = "storageclass",
          .noun_aliases = {"storageclasses", "sc"},
          .arguments = "NAME",
          .min_arguments = 1,
          .max_arguments = 1,
          .summary = "Show a storage class and what claims may tune",
          .examples = {"describe storageclass slow"},
          .flags = {},
          .offer = Offer::kStorageClasses,
          .run = run_describe_storage_class};
}

}  // namespace chandler::svcat
