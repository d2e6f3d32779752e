#include <fmt/format.h>

#include "admission/kind_rules.h"
#include "admission/rule_rows.h"

namespace chandler::admission {
namespace {

TEST(CustomResourceDefinition, AVersionHasABoundedNumberOfColumns) {
  const auto definition = [](size_t columns) {
    std::string list;
    for (size_t i = 0; i < columns; ++i) {
      list += std::string(i > 0 ? "," : "") + R"({"name":"a","type":"string","jsonPath":".spec.a"})";
    }
    return R"({"metadata":{"name":"ships.example.com"},"spec":{"group":"example.com","scope":"Namespaced",
        "names":{"plural":"ships","singular":"ship","kind":"Ship","listKind":"ShipList"},
        "versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}},
                     "additionalPrinterColumns":[)" +
           list + R"(]}]},"status":{"storedVersions":["v1"]}})";
  };
  const auto most = definition(100);
  const auto more = definition(101);
  expect_checks(
      check_crd,
      {{"most", "one for each is no burden", most, "", {}},
       {"more", "every row of a table has a cell for each", more, "", {"spec.additionalPrinterColumns TooMany"}}},
      false);
}

TEST(CustomResourceDefinition, WhatDiscoveryRepeatsForEachVersionIsBounded) {
  const auto repeat = [](size_t count, std::string_view pattern) {
    std::string list;
    for (size_t i = 0; i < count; ++i) list.append(i > 0 ? "," : "").append(fmt::format(fmt::runtime(pattern), i));
    return list;
  };
  const auto definition = [&](size_t versions, size_t short_names, size_t categories) {
    return R"({"metadata":{"name":"ships.example.com"},"spec":{"group":"example.com","scope":"Namespaced",
        "names":{"plural":"ships","singular":"ship","kind":"Ship","listKind":"ShipList","shortNames":[)" +
           repeat(short_names, R"("s{}")") + R"(],"categories":[)" + repeat(categories, R"("c{}")") +
           R"(]},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}})" +
           (versions > 1 ? "," : "") +
           repeat(versions - 1, R"({{"name":"v1beta{}","schema":{{"openAPIV3Schema":{{"type":"object"}}}}}})") +
           R"(]},"status":{"storedVersions":["v1"]}})";
  };
  const auto most = definition(100, 20, 20);
  const auto versions = definition(101, 1, 1);
  const auto short_names = definition(1, 21, 1);
  const auto categories = definition(1, 1, 21);
  expect_checks(
      check_crd,
      {{"most", "more than any definition has", most, "", {}},
       {"versions", "each repeats the names", versions, "", {"spec.versions TooMany"}},
       {"short names", "each is repeated by each version", short_names, "", {"spec.names.shortNames TooMany"}},
       {"categories", "likewise", categories, "", {"spec.names.categories TooMany"}}},
      false);
}

TEST(CustomResourceDefinition, EveryFaultIsToldAtOnce) {
  expect_checks(check_crd,
                {{"fine",
                  "versions of one schema",
                  R"({"metadata":{"name":"ships.example.com"},
            "spec":{"group":"example.com","scope":"Namespaced","conversion":{"strategy":"None"},
                    "names":{"plural":"ships","singular":"ship","kind":"Ship","listKind":"ShipList"},
                    "versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}},
                                {"name":"v2","served":true,"storage":false,
                                 "schema":{"openAPIV3Schema":{"type":"object"}},
                                 "additionalPrinterColumns":[{"name":"Age","type":"date","format":"date-time",
                                                              "jsonPath":".metadata.creationTimestamp"}]}]},
            "status":{"storedVersions":["v1"]}})",
                  "",
                  {}},
                 {"wrong in every part",
                  "who mends one fault after the other needs as many tries",
                  R"({"metadata":{"name":"ships.example.com"},
            "spec":{"group":"Example_com","scope":"Namespaced","preserveUnknownFields":true,
                    "conversion":{"strategy":"Webhook"},
                    "names":{"plural":"Ships","singular":"Ship","kind":"Ship","listKind":"ShipList",
                             "shortNames":["S_S"],"categories":["a b"]},
                    "versions":[{"name":"V1","served":true,"storage":true,
                                 "additionalPrinterColumns":[{"name":"","type":"text","format":"long","jsonPath":"a"}],
                                 "subresources":{"scale":{"specReplicasPath":"a","statusReplicasPath":".spec.a"}},
                                 "selectableFields":[{"jsonPath":".b"}],
                                 "schema":{"openAPIV3Schema":{"type":"object","properties":{
                                   "a":{"type":"string","default":7},
                                   "b":{"type":"array","items":{"type":"string"}},
                                   "c":{"type":"string","x-kubernetes-validations":[{"rule":"self > 1"}]}}}}},
                                {"name":"V1","served":true,"storage":true}]},
            "status":{"storedVersions":["V1"]}})",
                  "",
                  {"metadata.name Invalid",
                   "spec.conversion.strategy Forbidden",
                   "spec.group Invalid",
                   "spec.names.categories[0] Invalid",
                   "spec.names.plural Invalid",
                   "spec.names.shortNames[0] Invalid",
                   "spec.names.singular Invalid",
                   "spec.preserveUnknownFields Invalid",
                   "spec.versions Invalid",
                   "spec.versions[0].additionalPrinterColumns[0].JSONPath Invalid",
                   "spec.versions[0].additionalPrinterColumns[0].format Invalid",
                   "spec.versions[0].additionalPrinterColumns[0].name Required",
                   "spec.versions[0].additionalPrinterColumns[0].type Invalid",
                   "spec.versions[0].name Invalid",
                   "spec.versions[0].schema.openAPIV3Schema.properties[a].default TypeInvalid",
                   "spec.versions[0].schema.openAPIV3Schema.properties[c].x-kubernetes-validations[0].rule Invalid",
                   "spec.versions[0].selectableFields[0].jsonPath Invalid",
                   "spec.versions[0].subresources.scale.specReplicasPath Invalid",
                   "spec.versions[0].subresources.scale.statusReplicasPath Invalid",
                   "spec.versions[1].name Duplicate",
                   "spec.versions[1].name Invalid",
                   "spec.versions[1].schema.openAPIV3Schema Required",
                   "status.storedVersions Invalid"}}},
                false);
}

std::string with_schema(std::string_view schema) {
  return fmt::format(R"({{"metadata":{{"name":"ships.example.com"}},"spec":{{"group":"example.com","scope":"Namespaced",
      "names":{{"plural":"ships","singular":"ship","kind":"Ship","listKind":"ShipList"}},
      "versions":[{{"name":"v1","served":true,"storage":true,"schema":{{"openAPIV3Schema":{}}}}}]}},
      "status":{{"storedVersions":["v1"]}}}})",
                     schema);
}

std::string with_metadata(std::string_view metadata) {
  return with_schema(fmt::format(R"({{"type":"object","properties":{{"metadata":{}}}}})", metadata));
}

// Each verdict is that of kube-apiserver 1.36.4.
TEST(CustomResourceDefinition, MetadataAtTheRootMayRestrictNamesOnly) {
  const std::string at = "spec.validation.openAPIV3Schema.properties[metadata]";
  const std::vector<std::string> refused{at + " Forbidden"};
  struct Row {
    const char* reason;
    const char* metadata;
    std::vector<std::string> want;
  };
  const std::vector<Row> rows{
      {"what is implied anyway", R"({"type":"object"})", {}},
      {"its type goes without saying, but not when it is mentioned",
       "{}",
       {at + ".type Invalid", at + ".type Required"}},
      {"another type", R"({"type":"string"})", {at + ".type Invalid"}},
      {"even a description", R"({"type":"object","description":"d"})", refused},
      {"an empty one says nothing", R"({"type":"object","description":""})", {}},
      {"null says nothing", R"({"type":"object","description":null})", {}},
      {"a title", R"({"type":"object","title":"t"})", refused},
      {"a name may be restricted", R"({"type":"object","properties":{"name":{"type":"string","maxLength":3}}})", {}},
      {"and described", R"({"type":"object","properties":{"name":{"type":"string","description":"d"}}})", {}},
      {"both names",
       R"({"type":"object","properties":{"name":{"type":"string"},"generateName":{"type":"string"}}})",
       {}},
      {"no properties", R"({"type":"object","properties":{}})", {}},
      {"labels", R"({"type":"object","properties":{"labels":{"type":"object"}}})", refused},
      {"a name and labels", R"({"type":"object","properties":{"name":{"type":"string"},"labels":{"type":"object"}}})",
       refused},
      {"every object has a name", R"({"type":"object","required":["name"]})", refused},
      {"an empty list of these is one", R"({"type":"object","required":[]})", refused},
      {"an empty list of those is none", R"({"type":"object","enum":[],"allOf":[]})", {}},
      {"false is the default", R"({"type":"object","nullable":false})", {}},
      {"null in its place", R"({"type":"object","nullable":true})", refused},
      {"a count of 0 is a count", R"({"type":"object","minProperties":0})", refused},
      {"free content", R"({"type":"object","x-kubernetes-preserve-unknown-fields":true})", refused},
      {"a map", R"({"type":"object","additionalProperties":{"type":"string"}})", refused},
      {"what is not", R"({"type":"object","not":{}})", refused},
      {"how it merges", R"({"type":"object","x-kubernetes-map-type":"atomic"})", refused},
      {"a rule", R"({"type":"object","x-kubernetes-validations":[{"rule":"true"}]})", refused},
      {"a default has a fault of its own", R"({"type":"object","default":{}})", {at + ".default Forbidden"}},
  };
  std::vector<CheckRow> checks;
  for (const auto& row : rows) checks.push_back({row.metadata, row.reason, with_metadata(row.metadata), "", row.want});
  expect_checks(check_crd, checks, false);
}

TEST(CustomResourceDefinition, WhatWasStoredBeforeARuleMayStay) {
  const auto described = with_metadata(R"({"type":"object","description":"d"})");
  const auto labels = with_metadata(R"({"type":"object","properties":{"labels":{"type":"object"}}})");
  const auto plain = with_metadata(R"({"type":"object"})");
  expect_checks(check_crd,
                {{"unchanged", "other fields can still be changed", described, described, {}},
                 {"worse", "kube-apiserver asks nothing more of a definition with such a fault", labels, described, {}},
                 {"corrected", "the usual way", plain, described, {}},
                 {"spoilt",
                  "a definition without the fault gets none",
                  described,
                  plain,
                  {"spec.validation.openAPIV3Schema.properties[metadata] Forbidden"}}},
                false);
}

TEST(CustomResourceDefinition, FormatsThatNothingChecksAreWarnedOf) {
  const auto field = [](std::string_view schema) {
    return with_schema(fmt::format(R"({{"type":"object","properties":{{"a":{}}}}})", schema));
  };
  struct Row {
    const char* reason;
    std::string object;
    std::string old;
    std::vector<std::string> want;
  };
  const auto quantity = field(R"({"x-kubernetes-int-or-string":true,"format":"quantity"})");
  const std::vector<Row> rows{
      {"known", field(R"({"type":"string","format":"date-time"})"), "", {}},
      {"unknown", quantity, "", {R"(unrecognized format "quantity")"}},
      {"in items, a map and an alternative",
       field(
           R"({"type":"array","items":{"type":"object","additionalProperties":{"type":"string","format":"x","anyOf":[{"format":"y"}]}}})"),
       "",
       {R"(unrecognized format "x")", R"(unrecognized format "y")"}},
      {"a property of that name", field(R"({"type":"object","properties":{"format":{"type":"string"}}})"), "", {}},
      {"said when it was created", quantity, quantity, {}},
      {"new in an update",
       quantity,
       field(R"({"type":"string","format":"date"})"),
       {R"(unrecognized format "quantity")"}},
  };
  for (const auto& row : rows) {
    auto object = document(row.object);
    const auto old = row.old.empty() ? json::Value() : document(row.old);
    Context context;
    context.object = &object;
    context.old = row.old.empty() ? nullptr : &old;
    std::vector<std::string> warnings;
    context.warnings = &warnings;
    meta::FieldErrors errors;
    check_crd(context, errors);
    EXPECT_EQ(warnings, row.want) << row.reason;
  }
}

}  // namespace
}  // namespace chandler::admission
