// What resolution costs grows with what it is given, not with one list times another.
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/reader.h"
#include "resolve/catalog_restrictions.h"
#include "resolve/claim_class.h"
#include "resolve/claim_kinds.h"
#include "resolve/combine_parameters.h"
#include "resolve/default_plan.h"
#include "resolve/label_projection.h"
#include "resolve/merge_parameters.h"
#include "resolve/secret_transform.h"
#include "resolve/volume_selector.h"
#include "support/growth.h"

namespace chandler::resolve {
namespace {

using testing::Growth;
using ::testing::HasSubstr;
using testing::is_linear;

json::Value doc(const std::string& text) {
  auto parsed = json::parse(text);
  EXPECT_TRUE(parsed.ok()) << text;
  return parsed.ok() ? std::move(*parsed) : json::Value();
}

// The pattern for each number up to `count`, with commas between them.
std::string items(size_t count, std::string_view pattern) {
  std::string out;
  for (size_t i = 0; i < count; ++i) out.append(out.empty() ? "" : ",").append(fmt::format(fmt::runtime(pattern), i));
  return out;
}

Growth::Work merging(const std::string& lower, const std::string& upper) {
  return [lower = doc(lower), upper = doc(upper)] {
    const ParameterLayer layers[] = {{"Class", &lower}, {"Instance", &upper}};
    EXPECT_TRUE(merge_parameters(layers).ok());
  };
}

// A catalog as long as the restrictions; all of it passes.
Growth::Work restricting(const std::vector<std::string>& texts, size_t entries) {
  return [texts, entries] {
    meta::FieldErrors errors;
    const auto restrictions = CatalogRestrictions::parse(texts, RestrictedKind::kClass, meta::Path("r"), errors);
    ASSERT_TRUE(restrictions.has_value());
    for (size_t i = 0; i < entries; ++i) {
      const auto name = fmt::format("m{}", i);
      EXPECT_TRUE(restrictions->matches({.name = name}));
    }
  };
}

LabelClaim claim_of(size_t labels, std::string owner) {
  LabelClaim claim{std::move(owner), LabelPath::parse("spec.template.metadata.labels").value(), {}, {}};
  for (size_t i = 0; i < labels; ++i) claim.labels.push_back({fmt::format("l{:05}", i), "v", "s"});
  return claim;
}

// A claim's conditions on one key, against a class with as many zones.
Growth::Work selecting(size_t size, const std::string& key, const std::string& condition,
                       std::optional<SelectorFault> expected) {
  auto read = read_tunable_class(doc(fmt::format(
      R"({{"metadata":{{"name":"c"}},"provisioner":"p","selectorOptions":[{{"key":"{}"}}],
          "allowedTopologies":[{{"matchLabelExpressions":[{{"key":"{}","values":[{}]}}]}}]}})",
      kZoneLabel, kZoneLabel, items(size, R"("z{}")"))));
  EXPECT_TRUE(read.ok());
  const auto selector =
      doc(fmt::format(R"({{"matchExpressions":[{}]}})",
                      items(size, fmt::format(R"({{{{"key":"{}","operator":"In","values":[{}]}}}})", key, condition))));
  return [read = *read, selector, expected] {
    const auto resolution = resolve_selector(
        read, common_profile(), {.namespace_name = "n", .claim_name = "c", .selector = &selector, .node_labels = {}});
    ASSERT_EQ(resolution.ok(), !expected.has_value());
    for (const auto& problem : resolution.problems) ASSERT_EQ(problem.fault, expected) << problem.message;
    if (resolution.ok()) {
      EXPECT_EQ(resolution.values().at(std::string(kZoneLabel)), "z0");
    } else {
      EXPECT_NE(problems_text(resolution.problems), "");
    }
  };
}

struct Shape {
  std::string name;
  std::string reason;
  size_t largest;
  std::function<Growth::Work(size_t size)> prepare;
};
void PrintTo(const Shape& shape, std::ostream* out) { *out << shape.name; }

class ResolveGrowth : public ::testing::TestWithParam<Shape> {};

TEST_P(ResolveGrowth, IsLinear) { EXPECT_TRUE(is_linear(GetParam().largest, GetParam().prepare)) << GetParam().reason; }

const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all = {
      {"MergeManyParameters", "each is looked for in the layer below", 2000,
       [](size_t n) {
         return merging("{" + items(n, R"("k{}":{{"a":1,"b":2}})") + "}",
                        "{" + items(n, R"("k{}":{{"b":null}})") + "}");
       }},
      {"MergeBelowALongKey", "the record of sources repeats what is above a leaf", 1000,
       [](size_t n) {
         return merging(fmt::format(R"({{"{}":{{{}}}}})", std::string(100, 'k'), items(n, R"("a{}":1)")), "{}");
       }},
      {"CombineManyParameters", "a key is given once", 2000,
       [](size_t n) -> Growth::Work {
         return [own = doc("{" + items(n, R"("k{}":1)") + "}"), other = doc("{" + items(n, R"("s{}":1)") + "}")] {
           const SecretParameters secrets[] = {{"secret", other}};
           EXPECT_TRUE(combine_parameters(&own, secrets).ok());
         };
       }},
      {"RequirementsInOneText", "every one of them holds for every entry", 2000,
       [](size_t n) { return restricting({items(n, "name!=n{}")}, n); }},
      {"RequirementsInManyTexts", "every one of them holds for every entry", 1000,
       [](size_t n) { return restricting(std::vector<std::string>(n, "name notin (a,b)"), n); }},
      {"ProjectManyLabels", "each is looked for among those there were", 2400,
       [](size_t n) -> Growth::Work {
         auto object = doc(R"({"metadata":{},"spec":{}})");
         EXPECT_EQ(project_labels(object, claim_of(n, "a")), std::nullopt);
         return [object, claim = claim_of(n, "a")] {
           auto again = object;
           EXPECT_EQ(project_labels(again, claim), std::nullopt);
         };
       }},
      {"WithdrawManyLabels", "each is put back to what it was", 1000,
       [](size_t n) -> Growth::Work {
         auto object = doc(R"({"metadata":{},"spec":{}})");
         EXPECT_EQ(project_labels(object, claim_of(n, "a")), std::nullopt);
         return [object, path = claim_of(0, "a").path] {
           auto again = object;
           EXPECT_TRUE(withdraw_labels(again, "a", path, {}));
         };
       }},
      {"ZonesOfManyTerms", "values of terms are put together, each once", 2000,
       [](size_t n) -> Growth::Work {
         return [storage_class =
                     doc(fmt::format(R"({{"allowedTopologies":[{}]}})",
                                     items(n, R"({{"matchLabelExpressions":[{{"key":"k","values":["z{}"]}}]}})")))] {
           EXPECT_TRUE(read_tunable_class(storage_class).ok());
         };
       }},
      {"ZonesOfOneTerm", "conditions on one key must all hold", 2000,
       [](size_t n) -> Growth::Work {
         return [storage_class = doc(fmt::format(
                     R"({{"allowedTopologies":[{{"matchLabelExpressions":[{{"key":"k","values":[{0}]}},
                         {{"key":"k","values":[{0}]}},{{"key":"k","values":[{1}]}},{2}]}}]}})",
                     items(n, R"("z{}")"), items(n, R"("z0")"), items(n, R"({{"key":"k","values":["z0"]}})")))] {
           EXPECT_TRUE(read_tunable_class(storage_class).ok());
         };
       }},
      {"WishesOfAClaim", "each leaves one of the zones", 500,
       [](size_t n) { return selecting(n, std::string(kZoneLabel), R"("z0","x{}")", std::nullopt); }},
      {"WishesBeyondTheClass", "what the class allows is told with each that goes beyond it", 500,
       [](size_t n) { return selecting(n, std::string(kZoneLabel), R"("x{}")", SelectorFault::kUnsatisfiable); }},
      {"UnknownKeysOfAClaim", "what a key is similar to is told for the first ones", 500,
       [](size_t n) { return selecting(n, "zone{}", R"("a")", SelectorFault::kUnknownSelectorKey); }},
      {"ManyPlans", "one of them is looked for", 1000,
       [](size_t n) -> Growth::Work {
         std::vector<PlanCandidate> plans(n);
         for (size_t i = 0; i < n; ++i) {
           plans[i].name = fmt::format("p{}", i);
           plans[i].service_type = fmt::format("t{}", i / 2);
           plans[i].is_default = true;
         }
         return [plans] {
           EXPECT_EQ(decide_plan({.service_type = "t1"}, plans).outcome, PlanOutcome::kAmbiguous);
           EXPECT_EQ(decide_plan({.service_type = "other"}, plans).outcome, PlanOutcome::kNone);
           EXPECT_EQ(decide_plan({.plan = "p1"}, plans).outcome, PlanOutcome::kChosen);
         };
       }},
      {"ManyClasses", "one of them is looked for", 1000,
       [](size_t n) -> Growth::Work {
         std::vector<ClassOption> options(n);
         for (size_t i = 0; i < n; ++i) options[i].name = fmt::format("c{:06}", i);
         return [options] {
           ClassRequest request;
           request.several = TieRule::kPriority;
           EXPECT_EQ(decide_class(request, options).outcome, ClassOutcome::kChosen);
           request.several = TieRule::kReject;
           EXPECT_EQ(decide_class(request, options).outcome, ClassOutcome::kAmbiguous);
         };
       }},
      {"ManyDefaultKinds", "the list of a class becomes labels", 1000,
       [](size_t n) -> Growth::Work {
         return [resource_class =
                     doc(fmt::format(R"({{"metadata":{{}},"defaultForClaimKinds":[{}]}})", items(n, R"("k{}.g")")))] {
           auto labelled = resource_class.as_object();
           EXPECT_TRUE(label_defaults(labelled, {}));
           const auto before = defaults_by_list(resource_class);
           labelled["defaultForClaimKinds"] = json::Array();
           EXPECT_TRUE(label_defaults(labelled, before));
         };
       }},
      {"ManyKeysOfASecret", "each is renamed, removed or added in one step", 1000,
       [](size_t n) -> Growth::Work {
         SecretTransforms transforms;
         for (size_t i = 0; i < n; ++i) {
           SecretTransform rename;
           rename.key = i == 0 ? "k" : fmt::format("r{}", i);
           rename.to = fmt::format("r{}", i + 1);
           transforms.push_back(std::move(rename));
         }
         return [transforms,
                 credentials = doc(fmt::format(R"({{"k":"{}",{}}})", std::string(n, 'v'), items(n, R"("o{}":"1")")))] {
           auto applied = apply_secret_transforms(credentials, transforms, "n", nullptr);
           ASSERT_TRUE(applied.ok());
           EXPECT_TRUE(encode_secret_data(*applied).ok());
         };
       }},
  };
  return all;
}

INSTANTIATE_TEST_SUITE_P(Shapes, ResolveGrowth, ::testing::ValuesIn(shapes()),
                         [](const auto& shape) { return shape.param.name; });

// A record of a path for each leaf would be half a gigabyte here.
TEST(ParameterBounds, PathsAreBoundedWhateverTheyRepeat) {
  const auto parameters =
      doc(fmt::format(R"({{"{}":{{{}}}}})", std::string(size_t{100} * 1024, 'k'), items(5000, R"("a{}":1)")));
  const ParameterLayer layers[] = {{"Instance", &parameters}};
  const auto merged = merge_parameters(layers);
  ASSERT_FALSE(merged.ok());
  EXPECT_THAT(merged.error().message,
              HasSubstr("the parameters of the Instance have more than 1048576 bytes of paths"));
  // A list is one leaf, so what is in it is not recorded.
  const auto in_list =
      doc(fmt::format(R"({{"{}":[{}]}})", std::string(size_t{100} * 1024, 'k'), items(5000, R"({{"a":{}}})")));
  const ParameterLayer list_layers[] = {{"Instance", &in_list}};
  EXPECT_TRUE(merge_parameters(list_layers).ok());
}

}  // namespace
}  // namespace chandler::resolve
