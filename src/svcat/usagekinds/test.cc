// svcat test usagekind
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "base/file.h"
#include "base/text.h"
#include "json/yaml.h"
#include "svcat/catalog/fields.h"
#include "svcat/catalog/lookup.h"
#include "svcat/commands.h"
#include "svcat/output/details.h"
#include "svcat/output/format.h"
#include "svcat/output/table.h"
#include "svcat/usagekinds/acceptance.h"

namespace chandler::svcat {
namespace {

Color color_of(Outcome outcome) {
  return outcome == Outcome::kPassed ? Color::kGreen : outcome == Outcome::kFailed ? Color::kRed : Color::kYellow;
}

// Where and on what, from --resource and --sample.
Result<AcceptanceOptions> options_of(Call& call) {
  AcceptanceOptions options;
  options.controller = call.flag("controller");
  const auto resource = call.flag("resource");
  const auto file = call.flag("sample");
  if (!resource.empty() && !file.empty()) {
    return usage_error("--resource and --sample cannot be used together; leave one out");
  }
  const auto slash = resource.find('/');
  const bool complete = slash == std::string::npos || (slash > 0 && slash + 1 < resource.size());
  if (call.given("resource") && (resource.empty() || !complete)) {
    return usage_error(fmt::format("--resource {} must be NAME or NAMESPACE/NAME", quoted(resource)));
  }
  if (!file.empty()) {
    auto content = read_file(file);
    if (!content.ok()) return usage_error(fmt::format("--sample: {}", content.error().message));
    auto parsed = json::parse_yaml(*content);
    if (!parsed.ok()) return usage_error(fmt::format("--sample {}: {}", file, parsed.error().message));
    if (!parsed->is_object()) return usage_error(fmt::format("--sample {} holds no object", file));
    options.sample = std::move(parsed).value();
  }
  if (slash != std::string::npos) {
    options.ns = resource.substr(0, slash);
    options.resource = resource.substr(slash + 1);
    return options;
  }
  options.resource = resource;
  CH_TRY_LET(ns, call.ns());
  options.ns = ns;
  return options;
}

json::Value report_of(const json::Value& usage_kind, const Acceptance& acceptance) {
  json::Array checks;
  for (const auto& check : acceptance.checks()) {
    checks.push_back(json::Object{
        {"name", check.name}, {"result", outcome_word(check.outcome)}, {"message", printable(check.message)}});
  }
  json::Object report{
      {"usageKind", name_of(usage_kind)}, {"passed", acceptance.passed()}, {"checks", std::move(checks)}};
  if (!acceptance.roles().empty()) report["roles"] = acceptance.roles();
  return report;
}

void print_report(Call& call, const json::Value& usage_kind, const Acceptance& acceptance) {
  fmt::print(call.out(), "Usagekind {} ({}), tested without changing anything\n\n", name_of(usage_kind),
             printable(text_at(usage_kind, {"spec", "displayName"})));
  Table table(call.out(), {{"CHECK"}, {"RESULT"}, {"DETAILS", true}}, call.style());
  for (const auto& check : acceptance.checks()) {
    table.add({check.name, {std::string(outcome_word(check.outcome)), color_of(check.outcome)}, check.message});
  }
  table.flush();
  if (acceptance.roles().empty()) return;
  call.out() << "\nRoles that grant what is missing, for kubectl apply -f -:\n";
  for (const auto& role : acceptance.roles()) call.out() << "---\n" << json::write_yaml(role);
}

Result<int> run_test_usage_kind(Call& call) {
  CH_TRY_LET(format, parse_format(call.flag("output")));
  CH_TRY_LET(options, options_of(call));
  CH_TRY_LET(catalog, call.catalog());
  CH_TRY_LET(usage_kind, find_named(call, usage_kinds_kind(), "", call.argument(0)));
  Acceptance acceptance(*catalog, usage_kind, std::move(options));
  CH_TRY(acceptance.run());
  if (format.is_table()) {
    print_report(call, usage_kind, acceptance);
  } else {
    CH_TRY(print_object(call.out(), format, report_of(usage_kind, acceptance)));
  }
  if (acceptance.passed()) return 0;
  std::vector<std::string> open;
  for (const auto& check : acceptance.checks()) {
    if (check.outcome != Outcome::kPassed)
      open.push_back(fmt::format("{} ({})", check.name, outcome_word(check.outcome)));
  }
  return bad_request(fmt::format("usagekind {} does not pass: {}", name_of(usage_kind), join(open, ", ")));
}

}  // namespace

Command test_usage_kind() {
  return {
      .verb = "test",
      .noun = "usagekind",
      .noun_aliases = {"usagekinds", "uk"},
      .arguments = "NAME",
      .min_arguments = 1,
      .max_arguments = 1,
      .summary = "Check that bindings can reach a kind of workload: kind, rights, labels path, a dry run",
      .details =
          "Asks the server whether it serves the kind, whether the controller has the rights, whether the schema has "
          "the labels path,\nand lets it inject and remove a label as a dry run: on a made-up workload, on one from a "
          "file, or on a real one. Nothing is\nchanged. Exit code 0: everything passed; 1: something failed or could "
          "not be tested.",
      .examples = {"test usagekind deployment", "test usagekind function --resource default/redis-client",
                   "test usagekind function --sample function.yaml -o json"},
      .flags = {{"resource", 0, "NAME", "Try it on this workload: NAME or NAMESPACE/NAME"},
                {"sample", 0, "FILE", "Try it on the workload in this file", "", false, Offer::kFiles},
                {"controller", 0, "USER", "User that the controllers act as",
                 "system:serviceaccount:kube-system:binding-usage-controller"},
                namespace_flag(),
                output_flag()},
      .offer = Offer::kUsageKinds,
      .run = run_test_usage_kind};
}

}  // namespace chandler::svcat
