// The examples of the proposal "Default Service Plans", as kept in tests/golden/seeds: what goes in gives what comes
// out.

#include <gtest/gtest.h>

#include "base/file.h"
#include "json/writer.h"
#include "json/yaml.h"
#include "resolve/default_plan.h"
#include "resolve/merge_parameters.h"
#include "resolve/secret_transform.h"
#include "support/source_path.h"

namespace chandler::resolve {
namespace {

std::vector<json::Value> seed(const std::string& name) {
  const auto path = chandler::testing::source_path("tests/golden/seeds") / (name + ".yaml");
  return json::parse_yaml_stream(read_file(path.string()).value()).value();
}

const json::Value* spec(const json::Value& object, std::string_view field) {
  return json::find_path(object, {"spec", field});
}

PlanCandidate candidate(const json::Value& plan, const json::Value& of_class) {
  PlanCandidate candidate;
  candidate.name = json::find_path(plan, {"metadata", "name"})->as_string();
  candidate.external_name = spec(plan, "externalName")->as_string();
  candidate.external_id = spec(plan, "externalID")->as_string();
  candidate.class_name = json::find_path(plan, {"spec", "clusterServiceClassRef", "name"})->as_string();
  candidate.class_external_name = spec(of_class, "externalName")->as_string();
  candidate.service_type = spec(plan, "serviceType")->as_string();
  const json::Value* mark =
      json::find_path(plan, {"metadata", "annotations", "servicecatalog.kubernetes.io/is-default-plan"});
  candidate.is_default = mark != nullptr && *mark == json::Value("true");
  return candidate;
}

TEST(SeedExamples, ProvisioningWithDefaults) {
  const auto catalog = seed("000-02-class-and-plan-with-defaults");
  const json::Value& of_class = catalog.at(0);
  const json::Value& plan = catalog.at(1);
  const json::Value instance = seed("000-01-instance-with-class-and-plan").at(0);
  const json::Value completed = seed("000-03-instance-completed").at(0);

  PlanRequest request{.namespace_name = "default"};
  request.class_name = json::find_path(of_class, {"metadata", "name"})->as_string();
  request.plan = spec(instance, "clusterServicePlanExternalName")->as_string();
  request.plan_by = ReferenceBy::kExternalName;
  const PlanCandidate plans[] = {candidate(plan, of_class)};
  const PlanDecision decision = decide_plan(request, plans);
  ASSERT_EQ(decision.outcome, PlanOutcome::kChosen) << decision.message;
  EXPECT_EQ(decision.rule, PlanRule::kNamed);

  const ParameterLayer layers[] = {{"Class", spec(of_class, "defaultProvisionParameters")},
                                   {"Plan", spec(plan, "defaultProvisionParameters")},
                                   {"Instance", spec(instance, "parameters")}};
  const auto merged = merge_parameters(layers);
  ASSERT_TRUE(merged.ok());
  EXPECT_EQ(json::write(merged->value), json::write(*spec(completed, "parameters")));
  const std::map<std::string, std::string> sources = {{"/firewallRules", "Class"},
                                                      {"/location", "Instance"},
                                                      {"/resourceGroup", "Class"},
                                                      {"/sslEnforcement", "Class"}};
  EXPECT_EQ(merged->sources, sources);
  EXPECT_EQ(json::write(merged->defaults), json::write(*spec(of_class, "defaultProvisionParameters")));
}

TEST(SeedExamples, BindingWithDefaults) {
  const auto catalog = seed("000-05-class-and-plan-with-binding-defaults");
  const json::Value& of_class = catalog.at(0);
  const json::Value& plan = catalog.at(1);
  const json::Value binding = seed("000-04-binding").at(0);
  const json::Value completed = seed("000-06-binding-completed").at(0);

  const ParameterLayer layers[] = {{"Class", spec(of_class, "defaultBindingParameters")},
                                   {"Plan", spec(plan, "defaultBindingParameters")},
                                   {"Binding", spec(binding, "parameters")}};
  const auto merged = merge_parameters(layers);
  EXPECT_EQ(json::write(merged->value), json::write(*spec(completed, "parameters")));
  EXPECT_EQ(merged->sources.at("/user"), "Binding");
  EXPECT_EQ(json::write(merged->defaults), R"({"user":"reader"})");

  meta::FieldErrors errors;
  const TransformDefaults of_plan{parse_secret_transforms(*spec(plan, "defaultSecretTransform"),
                                                          meta::Path("spec.defaultSecretTransform"), errors)};
  ASSERT_TRUE(errors.empty());
  const auto transforms = merge_secret_transforms({}, of_plan, std::nullopt, "default");
  EXPECT_EQ(json::write(to_json(transforms)), json::write(*spec(completed, "secretTransform")));
  EXPECT_EQ(describe_transforms(transforms), std::vector<std::string>{"db-name -> database"});
}

TEST(SeedExamples, ProvisioningByServiceType) {
  const json::Value of_class = seed("000-09-class-of-type").at(0);
  const json::Value plan = seed("000-08-default-plan-of-type").at(0);
  const json::Value instance = seed("000-07-instance-by-type").at(0);
  const json::Value completed = seed("000-10-instance-by-type-completed").at(0);
  const json::Value other = seed("000-02-class-and-plan-with-defaults").at(1);

  PlanRequest request{.namespace_name = "default"};
  request.service_type = spec(instance, "serviceType")->as_string();
  PlanCandidate unmarked = candidate(other, of_class);
  unmarked.is_default = false;
  const PlanCandidate plans[] = {unmarked, candidate(plan, of_class)};
  const PlanDecision decision = decide_plan(request, plans);
  ASSERT_EQ(decision.outcome, PlanOutcome::kChosen) << decision.message;
  EXPECT_EQ(decision.rule, PlanRule::kDefaultPlan);
  const PlanCandidate& chosen = plans[decision.index];
  EXPECT_EQ(chosen.name, json::find_path(completed, {"spec", "clusterServicePlanRef", "name"})->as_string());
  EXPECT_EQ(chosen.class_name, json::find_path(completed, {"spec", "clusterServiceClassRef", "name"})->as_string());
  EXPECT_EQ(
      decision.message,
      R"(Plan "premium-p1" of class "azure-mysql" was chosen: it is the default plan for type "mysql" in the cluster.)");

  const ParameterLayer layers[] = {{"Class", spec(of_class, "defaultProvisionParameters")},
                                   {"Plan", spec(plan, "defaultProvisionParameters")},
                                   {"Instance", spec(instance, "parameters")}};
  const auto merged = merge_parameters(layers);
  EXPECT_EQ(json::write(merged->value), json::write(*spec(completed, "parameters")));
  EXPECT_EQ(merged->sources.at("/backup-schedule"), "Plan");
}

TEST(SeedExamples, TwoDefaultsOfATypeFail) {
  const json::Value of_class = seed("000-09-class-of-type").at(0);
  const json::Value plan = seed("000-08-default-plan-of-type").at(0);
  const json::Value other = seed("000-02-class-and-plan-with-defaults").at(1);
  const PlanCandidate plans[] = {candidate(other, of_class), candidate(plan, of_class)};
  const PlanDecision decision = decide_plan({.namespace_name = "default", .service_type = "mysql"}, plans);
  EXPECT_EQ(decision.outcome, PlanOutcome::kAmbiguous);
  EXPECT_EQ(decision.tied, (std::vector<size_t>{0, 1}));
}

}  // namespace
}  // namespace chandler::resolve
