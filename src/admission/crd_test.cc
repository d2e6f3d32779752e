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

}  // namespace
}  // namespace chandler::admission
