// CustomResourceDefinitions with their schemas and rules, and custom resources that such a schema is hard on.
#include "cost/cost_lab.h"
#include "cost/shapes.h"

namespace chandler::cost {
namespace {

constexpr std::string_view kDefinitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

std::string object_schema(std::string_view members) { return fmt::format(R"({{"type":"object",{}}})", members); }

TEST(CostOfDefinitions, GrowsWithSchemas) {
  CostLab lab;
  const auto with = [](std::string_view members) { return create(kDefinitions, definition(object_schema(members))); };
  lab.check({
      {"properties", "the plain case", 20'000, 201,
       [&](size_t n) { return with(R"("properties":{)" + numbered(n, R"("p{0}":{{"type":"string"}})") + "}"); }},
      {"required properties", "each is looked up", 20'000, 201,
       [&](size_t n) {
         return with(R"("properties":{)" + numbered(n, R"("p{0}":{{"type":"string"}})") + R"(},"required":[)" +
                     numbered(n, R"("p{0}")") + "]");
       }},
      {"values of an enum", "a set", 40'000, 201,
       [&](size_t n) {
         return with(R"("properties":{"p":{"type":"string","enum":[)" + numbered(n, R"("v{0}")") + "]}}");
       }},
      {"equal values of an enum", "a set", 40'000, 201,
       [&](size_t n) {
         return with(R"("properties":{"p":{"type":"string","enum":[)" + numbered(n, R"("v")") + "]}}");
       }},
      {"branches of anyOf", "each is compiled", 10'000, 201,
       [&](size_t n) {
         return with(R"("properties":{"p":{"type":"integer","anyOf":[)" + numbered(n, R"({{"minimum":{0}}})") + "]}}");
       }},
      {"defaults", "each is checked with its schema", 10'000, 201,
       [&](size_t n) {
         return with(R"("properties":{)" + numbered(n, R"("p{0}":{{"type":"string","default":"d"}})") + "}");
       }},
      {"a large default", "pruned and checked", 40'000, 422,
       [&](size_t n) {
         return with(R"("properties":{"p":{"type":"object","default":{)" + numbered(n, R"("u{0}":1)") + "}}}");
       }},
      {"patterns", "each is compiled", 1'200, 201,
       [&](size_t n) {
         return with(R"("properties":{)" + numbered(n, R"("p{0}":{{"type":"string","pattern":"^a{0}$"}})") + "}");
       }},
      {"faults", "each is a cause", 20'000, 422,
       [&](size_t n) { return with(R"("properties":{)" + numbered(n, R"("p{0}":{{}})") + "}"); }},
      {"keys of a list", "each must be a property", 10'000, 422,
       [&](size_t n) {
         return with(
             R"("properties":{"l":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":[)" +
             numbered(n, R"("k{0}")") + R"(],"items":{"type":"object","properties":{)" +
             numbered(n, R"("k{0}":{{"type":"string"}})") + "}}}}");
       }},
      {"unknown keywords", "each is removed", 40'000, 201, [&](size_t n) { return with(numbered(n, R"("x{0}":1)")); }},
  });
}

TEST(CostOfDefinitions, GrowsWithVersionsColumnsAndNames) {
  CostLab lab;
  const auto versions = [](size_t n) {
    return numbered(
        n, R"({{"name":"v{0}","served":true,"storage":false,"schema":{{"openAPIV3Schema":{{"type":"object"}}}}}})");
  };
  const auto raw = [](std::string_view spec) {
    return create(kDefinitions, fmt::format(R"({{"apiVersion":"apiextensions.k8s.io/v1","kind":)"
                                            R"("CustomResourceDefinition","metadata":{{"name":"widgets.example.com"}},)"
                                            R"("spec":{{"group":"example.com","scope":"Namespaced",{}}}}})",
                                            spec));
  };
  const auto with_versions = [&](size_t n) {
    return raw(
        R"("names":{"plural":"widgets","kind":"Widget"},"versions":[{"name":"v1beta1","served":true,"storage":true,)"
        R"("schema":{"openAPIV3Schema":{"type":"object"}}},)" +
        versions(n) + "]");
  };
  lab.check({
      {"versions", "names are unique, one is stored; a definition may have 100", 96, 201, with_versions},
      {"too many versions", "each is checked all the same", 2'000, 422, with_versions},
      {"columns", "each path is compiled; a definition may have 100", 96, 201,
       [&](size_t n) {
         return create(
             kDefinitions,
             definition(R"({"type":"object"})",
                        R"(,"additionalPrinterColumns":[)" +
                            numbered(n, R"({{"name":"c{0}","type":"string","jsonPath":".spec.a{0}"}})") + "]"));
       }},
      {"selectable fields", "each is looked up in the schema, though there are too many", 20'000, 422,
       [](size_t n) {
         return create(
             kDefinitions,
             definition(object_schema(R"("properties":{)" + numbered(n, R"("p{0}":{{"type":"string"}})") + "}"),
                        R"(,"selectableFields":[)" + numbered(n, R"({{"jsonPath":".spec.p{0}"}})") + "]"));
       }},
      {"equal selectable fields", "each is a cause", 20'000, 422,
       [](size_t n) {
         return create(kDefinitions,
                       definition(R"({"type":"object","properties":{"p":{"type":"string"}}})",
                                  R"(,"selectableFields":[)" + numbered(n, R"({{"jsonPath":".spec.p"}})") + "]"));
       }},
      {"short names", "each is checked, though there are too many", 20'000, 422,
       [&](size_t n) {
         return raw(R"("names":{"plural":"widgets","kind":"Widget","shortNames":[)" + numbered(n, R"("w{0}")") +
                    R"(]},"versions":[{"name":"v1","served":true,"storage":true,)"
                    R"("schema":{"openAPIV3Schema":{"type":"object"}}}])");
       }},
  });
}

TEST(CostOfDefinitions, GrowsWithRules) {
  CostLab lab;
  const auto rules = [](std::string_view list) {
    return create(kDefinitions, definition(object_schema(fmt::format(
                                    R"("properties":{{"a":{{"type":"integer"}},"l":{{"type":"array","maxItems":10,)"
                                    R"("items":{{"type":"string","maxLength":10}}}}}},"x-kubernetes-validations":[{}])",
                                    list))));
  };
  const auto one = [&](std::string_view expression) { return rules(fmt::format(R"({{"rule":"{}"}})", expression)); };
  lab.check({
      {"rules", "each is compiled and priced", 1'000, 201,
       [&](size_t n) { return rules(numbered(n, R"({{"rule":"self.a > {0}"}})")); }},
      {"faulty rules", "each is a cause", 1'000, 422,
       [&](size_t n) { return rules(numbered(n, R"({{"rule":"self.b{0} > 1"}})")); }},
      {"terms of a sum", "a long expression is a deep tree", 80, 201,
       [&](size_t n) {
         return one("self.a > " + repeat(
                                      n, [](size_t) { return "1"; }, " + "));
       }},
      {"terms of a conjunction", "balanced or deep", 3'000, 201,
       [&](size_t n) {
         return one(repeat(
             n, [](size_t i) { return fmt::format("self.a > {}", i); }, " && "));
       }},
      {"items of a list", "each has a type", 8'000, 201,
       [&](size_t n) { return one("self.a in [" + repeat(n, [](size_t i) { return fmt::format("{}", i); }) + "]"); }},
      {"keys of a map", "each has a type", 1'000, 201,
       [&](size_t n) {
         return one("'k' in {" + repeat(n, [](size_t i) { return fmt::format("'k{0}': {0}", i); }) + "}");
       }},
      {"a long text", "one literal", 40'000, 201,
       [&](size_t n) { return one("self.l.all(x, x != '" + std::string(n, 'x') + "')"); }},
      {"parentheses", "refused at a depth", 20'000, 422, [&](size_t n) { return one(std::string(n, '(')); }},
      {"negations", "refused at a depth", 20'000, 422, [&](size_t n) { return one(std::string(n, '!') + "true"); }},
      {"ternaries", "refused at a depth", 2'000, 422,
       [&](size_t n) {
         return one(repeat(
                        n, [](size_t) { return "true ? true : "; }, "") +
                    "true");
       }},
      {"comments and blanks", "passed over", 30'000, 201,
       [&](size_t n) { return one(std::string(n, ' ') + "self.a > 1"); }},
  });
}

}  // namespace
}  // namespace chandler::cost
