#include "resolve/volume_selector.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "json/writer.h"
#include "json/yaml.h"
#include "support/source_path.h"

namespace chandler::resolve {
namespace {

using ::testing::HasSubstr;

json::Value yaml(std::string_view text) { return json::parse_yaml(text).value(); }

json::Value seed(const std::string& name) {
  const auto path = chandler::testing::source_path("tests/golden/seeds") / name;
  return yaml(read_file(path.string()).value());
}

TunableClass read(std::string_view text) { return read_tunable_class(yaml(text)).value(); }

SelectorResolution resolve(const TunableClass& storage_class, std::string_view selector,
                           const ProvisionerProfile& profile = common_profile(), std::string_view claim = "data") {
  const auto value = yaml(selector);
  return resolve_selector(storage_class, profile,
                          {.namespace_name = "dev", .claim_name = std::string(claim), .selector = &value});
}

// "k=b" or "k unset" or the reasons, in short.
std::string shown(const SelectorResolution& resolution) {
  std::string out;
  for (const auto& key : resolution.keys) out += key.key + (key.value ? "=" + *key.value : " unset") + " ";
  for (const auto& problem : resolution.problems) out += std::string(fault_name(problem.fault)) + " ";
  return out.empty() ? "" : out.substr(0, out.size() - 1);
}

struct Row {
  std::string_view selector, plain, always_valued;
};

// Key k with the values a, b and c and the default b, as a property that a volume may lack and as one that it has.
TEST(VolumeSelector, TableOfOutcomes) {
  const auto storage_class = read(
      "{metadata: {name: s}, provisioner: p, selectorOptions: [{key: k, allowedValues: [a, b, c], defaultValue: b}]}");
  ProvisionerProfile always;
  always.keys["k"].always_valued = true;
  const Row rows[] = {
      {"null", "k=b", "k=b"},
      {"{}", "k=b", "k=b"},
      {"{matchLabels: {k: a}}", "k=a", "k=a"},
      {"{matchExpressions: [{key: k, operator: In, values: [c]}]}", "k=c", "k=c"},
      {"{matchExpressions: [{key: k, operator: In, values: [b, c]}]}", "k=b", "k=b"},
      {"{matchExpressions: [{key: k, operator: In, values: [z]}]}", "Unsatisfiable", "Unsatisfiable"},
      {"{matchExpressions: [{key: k, operator: NotIn, values: [a]}]}", "k=b", "k=b"},
      {"{matchExpressions: [{key: k, operator: NotIn, values: [b, c]}]}", "k unset", "k=a"},
      {"{matchExpressions: [{key: k, operator: NotIn, values: [a, b, c]}]}", "k unset", "Unsatisfiable"},
      {"{matchExpressions: [{key: k, operator: Exists}]}", "k=b", "k=b"},
      {"{matchExpressions: [{key: k, operator: DoesNotExist}]}", "k unset", "Unsatisfiable"},
      {"{matchLabels: {k: a}, matchExpressions: [{key: k, operator: NotIn, values: [a]}]}", "Unsatisfiable",
       "Unsatisfiable"},
      {"{matchLabels: {other: a}}", "UnknownSelectorKey", "UnknownSelectorKey"},
      {"{matchExpressions: [{key: k, operator: Like, values: [a]}]}", "InvalidSelector", "InvalidSelector"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(shown(resolve(storage_class, row.selector, ProvisionerProfile())), row.plain) << row.selector;
    EXPECT_EQ(shown(resolve(storage_class, row.selector, always)), row.always_valued) << row.selector;
  }
}

struct ClassRow {
  std::string_view name, storage_class, selector, outcome;
};

TEST(VolumeSelector, WhatTheClassSays) {
  const ClassRow rows[] = {
      {"no options, no selector", "{provisioner: p}", "null", ""},
      {"no options, empty selector", "{provisioner: p}", "{}", ""},
      {"no options, selector", "{provisioner: p}", "{matchLabels: {a: b}}", "SelectorNotAllowed"},
      {"required and missing", "{selectorOptions: [{key: k, required: true}]}", "null", "MissingRequiredKey"},
      {"required and given", "{selectorOptions: [{key: k, required: true}]}", "{matchLabels: {k: v}}", "k=v"},
      {"required and refused", "{selectorOptions: [{key: k, required: true}]}",
       "{matchExpressions: [{key: k, operator: DoesNotExist}]}", "Unsatisfiable"},
      {"open and not mentioned", "{selectorOptions: [{key: k}]}", "null", "k unset"},
      {"open and only not some", "{selectorOptions: [{key: k}]}",
       "{matchExpressions: [{key: k, operator: NotIn, values: [a]}]}", "k unset"},
      {"open and any", "{selectorOptions: [{key: k}]}", "{matchExpressions: [{key: k, operator: Exists}]}",
       "AmbiguousSelector"},
      {"zone from a parameter", "{parameters: {zone: x}, selectorOptions: [{key: topology.kubernetes.io/zone}]}",
       "null", "topology.kubernetes.io/zone=x"},
      {"zone from topologies",
       "{allowedTopologies: [{matchLabelExpressions: [{key: failure-domain.beta.kubernetes.io/zone, values: "
       "[north]}]}], "
       "selectorOptions: [{key: topology.kubernetes.io/zone}]}",
       "null", "topology.kubernetes.io/zone=north"},
      {"a term without the key frees it",
       "{allowedTopologies: [{matchLabelExpressions: [{key: k, values: [north]}]}, {matchLabelExpressions: []}], "
       "selectorOptions: [{key: k}]}",
       "{matchLabels: {k: m}}", "k=m"},
      {"default out of reach",
       "{parameters: {zone: x}, selectorOptions: [{key: topology.kubernetes.io/zone, defaultValue: w}]}", "null",
       "ClassConflict"},
      {"all faults at once", "{selectorOptions: [{key: a, required: true}, {key: b, allowedValues: [x]}]}",
       "{matchLabels: {b: w, c: z}}", "UnknownSelectorKey MissingRequiredKey Unsatisfiable"},
      {"zones not in east, south",
       "{parameters: {zones: 'east, south,north'}, selectorOptions: [{key: "
       "topology.kubernetes.io/zone}]}",
       "{matchExpressions: [{key: topology.kubernetes.io/zone, operator: NotIn, values: [east, south]}]}",
       "topology.kubernetes.io/zone=north"},
      {"first in the admin's order", "{selectorChoice: First, selectorOptions: [{key: k, allowedValues: [c, a, b]}]}",
       "{matchExpressions: [{key: k, operator: In, values: [a, b, c]}]}", "k=c"},
  };
  for (const auto& row : rows)
    EXPECT_EQ(shown(resolve(read(row.storage_class), row.selector)), row.outcome) << row.name;
}

TEST(VolumeSelector, TheSeedsClaimGetsOneOfItsZones) {
  const auto storage_class = read_tunable_class(seed("004-01-class-with-three-options.yaml")).value();
  const auto claim = seed("004-02-claim.yaml");
  EXPECT_EQ(class_of_claim(claim), "slow");
  const auto resolution = resolve_selector(
      storage_class, common_profile(),
      {.namespace_name = "default", .claim_name = "myclaim", .selector = json::find_path(claim, {"spec", "selector"})});
  ASSERT_TRUE(resolution.ok()) << problems_text(resolution.problems);
  auto values = resolution.values();
  EXPECT_EQ(values.size(), 2u);
  EXPECT_EQ(values["encryption.beta.kubernetes.io/enabled"], "false");
  EXPECT_THAT(values[std::string(kBetaZoneLabel)], ::testing::AnyOf("us-east-1a", "us-east-1b", "us-east-1c"));
  EXPECT_TRUE(check_tunable_class(storage_class, common_profile()).problems.empty());
}

TEST(VolumeSelector, TheSeedsTyposAreTheClassesFault) {
  const auto storage_class = read_tunable_class(seed("004-03-class-with-typos.yaml")).value();
  const auto findings = check_tunable_class(storage_class, common_profile());
  ASSERT_EQ(findings.problems.size(), 1u);
  EXPECT_EQ(findings.problems[0].fault, SelectorFault::kClassConflict);
  EXPECT_EQ(findings.problems[0].field, "selectorOptions[0].allowedValues");
  EXPECT_THAT(findings.problems[0].message, HasSubstr("us-east-2a, us-east-2b"));
  EXPECT_THAT(findings.problems[0].message, HasSubstr("us-east-1a, us-east-1b"));
  EXPECT_EQ(shown(resolve(storage_class, "{matchLabels: {failure-domain.beta.kubernetes.io/zone: us-east-2a}}")),
            "ClassConflict");
}

TEST(VolumeSelector, MessagesNameValuesPlacesAndNearMisses) {
  const auto storage_class = read("{metadata: {name: fast}, selectorOptions: [{key: zone, allowedValues: [a, b]}]}");
  const auto typo = resolve(storage_class, "{matchLabels: {zoen: a}}");
  EXPECT_THAT(typo.problems.at(0).message, HasSubstr("did you mean zone?"));
  EXPECT_EQ(typo.problems.at(0).field, "spec.selector.matchLabels[zoen]");
  const auto wrong = resolve(storage_class, "{matchExpressions: [{key: zone, operator: In, values: [x, w]}]}");
  EXPECT_THAT(wrong.problems.at(0).message, HasSubstr("allowed values: a, b"));
  EXPECT_EQ(wrong.problems.at(0).field, "spec.selector.matchExpressions[0].values");
  const auto half = resolve(storage_class, "{matchExpressions: [{key: zone, operator: In, values: [a, w]}]}");
  EXPECT_TRUE(half.ok());
  ASSERT_EQ(half.warnings.size(), 1u);
  EXPECT_THAT(half.warnings[0], HasSubstr("zone = w"));
}

TEST(VolumeSelector, MembersOfASetSpread) {
  const auto storage_class =
      read("{provisioner: p, parameters: {zones: 'a,b,c'}, selectorOptions: [{key: topology.kubernetes.io/zone}]}");
  const auto zone = [&](const std::string& claim) {
    return resolve(storage_class, "null", common_profile(), claim).values()[std::string(kZoneLabel)];
  };
  EXPECT_EQ((std::set{zone("www-web-0"), zone("www-web-1"), zone("www-web-2")}.size()), 3u);
  EXPECT_EQ(zone("www-web-1"), zone("logs-web-1")) << "all claims of a member stay together";
  EXPECT_EQ(zone("www-web-4"), zone("www-web-1"));
}

TEST(VolumeSelector, TheNodeCountsAsOneMoreRequirement) {
  const auto storage_class =
      read("{parameters: {zones: 'a,b'}, selectorOptions: [{key: topology.kubernetes.io/zone}]}");
  SelectorRequest request{.namespace_name = "dev", .claim_name = "data"};
  request.node_labels[std::string(kZoneLabel)] = "b";
  EXPECT_EQ(shown(resolve_selector(storage_class, common_profile(), request)), "topology.kubernetes.io/zone=b");
  request.node_labels[std::string(kZoneLabel)] = "z";
  EXPECT_EQ(shown(resolve_selector(storage_class, common_profile(), request)), "Unsatisfiable");
}

TEST(VolumeSelector, AProvisionerRefusesWhatItDoesNotKnow) {
  ProvisionerProfile strict;
  strict.refuses_other_keys = true;
  const auto open = read("{provisioner: p, selectorOptions: [{key: k, allowedValues: [a]}]}");
  EXPECT_EQ(shown(resolve(open, "null", strict)), "k unset");
  EXPECT_EQ(shown(resolve(open, "{matchLabels: {k: a}}", strict)), "UnknownSelectorKey");
  EXPECT_EQ(check_tunable_class(open, strict).warnings.size(), 1u);
  const auto fixed = read("{provisioner: p, selectorOptions: [{key: k, defaultValue: a}]}");
  EXPECT_EQ(shown(resolve(fixed, "null", strict)), "ClassConflict");
}

TEST(VolumeSelector, ValuesThatParametersExcludeAreReported) {
  const auto storage_class = read(
      "{parameters: {zones: 'a,b'}, selectorOptions: [{key: topology.kubernetes.io/zone, allowedValues: [b, c]}]}");
  const auto findings = check_tunable_class(storage_class, common_profile());
  EXPECT_TRUE(findings.problems.empty());
  ASSERT_EQ(findings.warnings.size(), 1u);
  EXPECT_THAT(findings.warnings[0], HasSubstr("c cannot be had"));
  const auto both = read("{parameters: {zone: a, zones: a}, selectorOptions: [{key: topology.kubernetes.io/zone}]}");
  EXPECT_EQ(check_tunable_class(both, common_profile()).problems.size(), 1u);
}

TEST(DefaultClass, TheNewestWinsAndNamesBreakTies) {
  EXPECT_EQ(default_class({}), "");
  const ClassCandidate marked[] = {
      {"old", "2026-01-01T00:00:00Z"}, {"zed", "2026-02-01T00:00:00Z"}, {"new", "2026-02-01T00:00:00Z"}};
  EXPECT_EQ(default_class(marked), "new");
  EXPECT_TRUE(
      is_default_class(yaml("{metadata: {annotations: {storageclass.kubernetes.io/is-default-class: 'true'}}}")));
  EXPECT_TRUE(
      is_default_class(yaml("{metadata: {annotations: {storageclass.beta.kubernetes.io/is-default-class: 'true'}}}")));
  EXPECT_FALSE(
      is_default_class(yaml("{metadata: {annotations: {storageclass.kubernetes.io/is-default-class: 'True'}}}")));
}

TEST(DefaultClass, ClaimsNameTheirClassInThreeWays) {
  EXPECT_EQ(class_of_claim(yaml("{spec: {}}")), std::nullopt);
  EXPECT_EQ(class_of_claim(yaml("{spec: {storageClassName: ''}}")), "");
  EXPECT_EQ(class_of_claim(yaml("{spec: {storageClassName: a}}")), "a");
  EXPECT_EQ(class_of_claim(yaml("{spec: {class: b}}")), "b");
  EXPECT_EQ(
      class_of_claim(
          yaml("{metadata: {annotations: {volume.beta.kubernetes.io/storage-class: c}}, spec: {storageClassName: a}}")),
      "c");
}

}  // namespace
}  // namespace chandler::resolve
