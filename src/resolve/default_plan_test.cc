#include "resolve/default_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace chandler::resolve {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

PlanCandidate plan(std::string name, std::string type, bool is_default, bool is_suggested, std::string ns = "") {
  PlanCandidate candidate;
  candidate.external_name = name + "-ext";
  candidate.name = std::move(name);
  candidate.external_id = candidate.name;
  candidate.class_name = "c1";
  candidate.class_external_name = "azure-mysql";
  candidate.service_type = std::move(type);
  candidate.scope = ns.empty() ? PlanScope::kCluster : PlanScope::kNamespace;
  candidate.namespace_name = std::move(ns);
  candidate.is_default = is_default;
  candidate.is_suggested = is_suggested;
  candidate.broker_managed = true;
  return candidate;
}

PlanCandidate removed(PlanCandidate candidate) {
  candidate.removed = true;
  return candidate;
}

PlanCandidate deleting(PlanCandidate candidate) {
  candidate.deleting = true;
  return candidate;
}

PlanCandidate acknowledged(PlanCandidate candidate, std::string type) {
  candidate.acknowledged_default_for = std::move(type);
  return candidate;
}

struct Row {
  std::string_view name, reason;
  PlanRequest request;
  std::vector<PlanCandidate> plans;
  PlanOutcome outcome;
  std::string_view chosen;  // object name
  PlanRule rule;
  std::vector<std::string> words;  // the message has them
};

void check(const Row& row) {
  const std::vector<std::string> types = {"mysql", "redis"};
  const PlanDecision decision = decide_plan(row.request, row.plans, types);
  EXPECT_EQ(decision.outcome, row.outcome) << row.name << ": " << row.reason << "\n" << decision.message;
  for (const auto& word : row.words) EXPECT_THAT(decision.message, HasSubstr(word)) << row.name << ": " << row.reason;
  EXPECT_EQ(decision.outcome == PlanOutcome::kAmbiguous, !decision.tied.empty()) << row.name;
  if (decision.outcome != PlanOutcome::kChosen || row.outcome != PlanOutcome::kChosen) return;
  EXPECT_EQ(row.plans[decision.index].name, row.chosen) << row.name << ": " << row.reason;
  EXPECT_EQ(rule_name(decision.rule), rule_name(row.rule)) << row.name << ": " << row.reason;
}

TEST(DecidePlan, ByType) {
  const PlanRequest dev{.namespace_name = "dev", .service_type = "mysql"};
  const PlanCandidate a = plan("a", "mysql", true, false);
  const PlanCandidate b = plan("b", "mysql", true, false);
  const PlanCandidate s = plan("s", "mysql", false, true);
  const PlanCandidate t = plan("t", "mysql", false, true);
  const PlanCandidate plain = plan("p", "mysql", false, false);
  const PlanCandidate dev_default = plan("dd", "mysql", true, false, "dev");
  const PlanCandidate dev_suggested = plan("ds", "mysql", false, true, "dev");
  const PlanCandidate qa_default = plan("qd", "mysql", true, false, "qa");
  const Row rows[] = {
      {"default",
       "the operator's mark",
       dev,
       {a, s, plain},
       PlanOutcome::kChosen,
       "a",
       PlanRule::kDefaultPlan,
       {R"(Plan "a-ext" of class "azure-mysql" was chosen: it is the default plan for type "mysql" in the cluster.)"}},
      {"namespace-first",
       "the namespace wins over the cluster",
       dev,
       {a, b, dev_default},
       PlanOutcome::kChosen,
       "dd",
       PlanRule::kDefaultPlan,
       {R"(in namespace "dev")"}},
      {"default-before-suggested",
       "a default of the cluster wins over a suggestion in the namespace",
       dev,
       {a, dev_suggested},
       PlanOutcome::kChosen,
       "a",
       PlanRule::kDefaultPlan,
       {}},
      {"suggested",
       "no default: the broker's word",
       dev,
       {s, plain},
       PlanOutcome::kChosen,
       "s",
       PlanRule::kSuggestedPlan,
       {"suggests", "no plan is marked as default"}},
      {"suggested-here",
       "the namespace wins among suggestions",
       dev,
       {s, t, dev_suggested},
       PlanOutcome::kChosen,
       "ds",
       PlanRule::kSuggestedPlan,
       {}},
      {"other-namespace",
       "plans of other namespaces do not count",
       dev,
       {qa_default, s},
       PlanOutcome::kChosen,
       "s",
       PlanRule::kSuggestedPlan,
       {}},
      {"two-defaults",
       "the seed: the operation fails",
       dev,
       {a, b, s},
       PlanOutcome::kAmbiguous,
       "",
       PlanRule::kNamed,
       {"2 plans are marked as default", "object a", "object b", "svcat set plan"}},
      {"two-suggested",
       "the seed: the operation fails",
       dev,
       {s, t},
       PlanOutcome::kAmbiguous,
       "",
       PlanRule::kNamed,
       {"2 plans are suggested", "object s", "object t"}},
      {"removed",
       "what left the catalog does not count",
       dev,
       {removed(a), s},
       PlanOutcome::kChosen,
       "s",
       PlanRule::kSuggestedPlan,
       {}},
      {"deleting",
       "nor what is being deleted",
       dev,
       {a, deleting(b)},
       PlanOutcome::kChosen,
       "a",
       PlanRule::kDefaultPlan,
       {}},
      {"new-mark",
       "a new default wins over the acknowledged one",
       dev,
       {acknowledged(a, "mysql"), b},
       PlanOutcome::kChosen,
       "b",
       PlanRule::kDefaultPlan,
       {}},
      {"stale-mark",
       "acknowledged for another type counts as new",
       dev,
       {acknowledged(a, "redis"), b},
       PlanOutcome::kAmbiguous,
       "",
       PlanRule::kNamed,
       {}},
      {"two-new-marks",
       "several new ones decide nothing",
       dev,
       {acknowledged(a, "mysql"), b, plan("c", "mysql", true, false)},
       PlanOutcome::kAmbiguous,
       "",
       PlanRule::kNamed,
       {"3 plans"}},
      {"no-mark",
       "plans of the type are named",
       dev,
       {plain},
       PlanOutcome::kNone,
       "",
       PlanRule::kNamed,
       {R"(no default plan and no suggested plan for namespace "dev")", "\"p-ext\" of class \"azure-mysql\""}},
      {"unknown-type",
       "types that exist are named",
       {.namespace_name = "dev", .service_type = "mysq"},
       {a},
       PlanOutcome::kNone,
       "",
       PlanRule::kNamed,
       {"Did you mean \"mysql\"?", "Types that exist: mysql, redis."}},
      {"scope",
       "the cluster was asked for",
       {.namespace_name = "dev", .service_type = "mysql", .scope = PlanScope::kCluster},
       {dev_default, s},
       PlanOutcome::kChosen,
       "s",
       PlanRule::kSuggestedPlan,
       {}},
      {"nothing-given",
       "no type, class or plan",
       {.namespace_name = "dev"},
       {a},
       PlanOutcome::kNone,
       "",
       PlanRule::kNamed,
       {"give a service type, a class or a plan"}},
  };
  for (const Row& row : rows) check(row);
}

TEST(DecidePlan, ByClass) {
  const PlanRequest request{.namespace_name = "dev", .class_name = "c1", .class_external_name = "azure-mysql"};
  PlanRequest redis = request;
  redis.service_type = "redis";
  PlanRequest mysql = request;
  mysql.service_type = "mysql";
  PlanRequest own_type = request;
  own_type.class_service_type = "mysql";
  PlanRequest own_type_redis = own_type;
  own_type_redis.service_type = "redis";
  PlanCandidate other = plan("o", "mysql", true, false);
  other.class_name = "c2";
  const PlanCandidate a = plan("a", "mysql", false, false);
  const PlanCandidate b = plan("b", "redis", false, false);
  const PlanCandidate d = plan("d", "mysql", true, false);
  const PlanCandidate s = plan("s", "mysql", false, true);
  const Row rows[] = {
      {"only",
       "its only plan",
       request,
       {a, other},
       PlanOutcome::kChosen,
       "a",
       PlanRule::kOnlyPlan,
       {"it is the only plan of class \"azure-mysql\""}},
      {"only-left",
       "removed plans do not count",
       request,
       {a, removed(b)},
       PlanOutcome::kChosen,
       "a",
       PlanRule::kOnlyPlan,
       {}},
      {"default",
       "else its default plan",
       request,
       {a, b, d, s},
       PlanOutcome::kChosen,
       "d",
       PlanRule::kDefaultPlan,
       {}},
      {"suggested",
       "else its suggested plan",
       request,
       {a, b, s},
       PlanOutcome::kChosen,
       "s",
       PlanRule::kSuggestedPlan,
       {}},
      {"none",
       "else an error that names them",
       request,
       {a, b},
       PlanOutcome::kNone,
       "",
       PlanRule::kNamed,
       {"has 2 plans and none of them is its default", "a-ext", "b-ext", "Name one"}},
      {"two-defaults",
       "several",
       request,
       {d, plan("e", "mysql", true, false)},
       PlanOutcome::kAmbiguous,
       "",
       PlanRule::kNamed,
       {"2 plans are marked as default of class"}},
      {"defaults-of-two-types",
       "one new, one acknowledged, of different types: neither replaces the other",
       request,
       {acknowledged(d, "mysql"), plan("e", "redis", true, false)},
       PlanOutcome::kAmbiguous,
       "",
       PlanRule::kNamed,
       {}},
      {"suggested-of-two-types",
       "each type of the class has a suggested plan; the class stands for its own type",
       own_type,
       {s, plan("t", "mysql-server-only", false, true), a},
       PlanOutcome::kChosen,
       "s",
       PlanRule::kSuggestedPlan,
       {"suggests of class \"azure-mysql\" for the type of the class, \"mysql\""}},
      {"defaults-with-own-type",
       "the same for the operator's marks",
       own_type,
       {d, plan("e", "redis", true, false)},
       PlanOutcome::kChosen,
       "d",
       PlanRule::kDefaultPlan,
       {"for the type of the class"}},
      {"default-of-another-type",
       "an operator's mark counts before a broker's, whatever its type is",
       own_type,
       {s, plan("e", "redis", true, false)},
       PlanOutcome::kChosen,
       "e",
       PlanRule::kDefaultPlan,
       {}},
      {"two-of-own-type",
       "its own type leaves two: only they are named",
       own_type,
       {s, plan("t", "mysql", false, true), plan("u", "redis", false, true)},
       PlanOutcome::kAmbiguous,
       "",
       PlanRule::kNamed,
       {"2 plans are suggested", "object s", "object t"}},
      {"none-of-own-type",
       "the class's type decides nothing",
       own_type,
       {plan("t", "redis", false, true), plan("u", "cache", false, true)},
       PlanOutcome::kAmbiguous,
       "",
       PlanRule::kNamed,
       {"object t", "object u"}},
      {"suggested-without-class-type",
       "a class without a type prefers none",
       request,
       {s, plan("t", "redis", false, true)},
       PlanOutcome::kAmbiguous,
       "",
       PlanRule::kNamed,
       {"2 plans are suggested"}},
      {"asked-type-before-own-type",
       "who names a type gets that one",
       own_type_redis,
       {s, plan("t", "redis", false, true), b},
       PlanOutcome::kChosen,
       "t",
       PlanRule::kSuggestedPlan,
       {"for type \"redis\""}},
      {"type-and-class",
       "the type narrows the class",
       redis,
       {a, b, d},
       PlanOutcome::kChosen,
       "b",
       PlanRule::kOnlyPlan,
       {"for type \"redis\""}},
      {"type-against-class",
       "they must agree",
       redis,
       {a, d},
       PlanOutcome::kDisagrees,
       "",
       PlanRule::kNamed,
       {"has no plan of type \"redis\"; its plans are of type \"mysql\""}},
      {"no-plans",
       "a class without plans",
       mysql,
       {other},
       PlanOutcome::kNone,
       "",
       PlanRule::kNamed,
       {"no plan that can be used"}},
  };
  for (const Row& row : rows) check(row);
}

TEST(DecidePlan, ByName) {
  PlanRequest request{.namespace_name = "dev", .class_name = "c1", .class_external_name = "azure-mysql"};
  request.plan = "a-ext";
  request.plan_by = ReferenceBy::kExternalName;
  PlanRequest redis = request;
  redis.service_type = "redis";
  PlanRequest by_id = request;
  by_id.plan = "a";
  by_id.plan_by = ReferenceBy::kExternalId;
  const PlanCandidate a = plan("a", "mysql", false, false);
  const PlanCandidate b = plan("b", "mysql", true, false);
  PlanCandidate copy = a;
  copy.name = "copy";
  copy.broker_managed = false;
  const Row rows[] = {
      {"named",
       "the user's word counts, whatever the defaults are",
       request,
       {a, b},
       PlanOutcome::kChosen,
       "a",
       PlanRule::kNamed,
       {"it was named in the request"}},
      {"missing",
       "the others are named",
       request,
       {b},
       PlanOutcome::kNone,
       "",
       PlanRule::kNamed,
       {"no plan \"a-ext\" of class \"azure-mysql\"", "b-ext"}},
      {"removed",
       "gone from the catalog",
       request,
       {removed(a), b},
       PlanOutcome::kNone,
       "",
       PlanRule::kNamed,
       {"no longer in the catalog"}},
      {"deleting",
       "being deleted",
       request,
       {deleting(a)},
       PlanOutcome::kNone,
       "",
       PlanRule::kNamed,
       {"is being deleted"}},
      {"twice",
       "both are named",
       request,
       {a, copy},
       PlanOutcome::kAmbiguous,
       "",
       PlanRule::kNamed,
       {"object a", "object copy"}},
      {"external-id", "the broker's own object", by_id, {copy, a}, PlanOutcome::kChosen, "a", PlanRule::kNamed, {}},
      {"type-disagrees",
       "type and plan must agree",
       redis,
       {a},
       PlanOutcome::kDisagrees,
       "",
       PlanRule::kNamed,
       {"is of type \"mysql\", but type \"redis\" was asked for"}},
  };
  for (const Row& row : rows) check(row);
}

TEST(SupersededDefaults, AreAcknowledgedOnesBesideOneNewMark) {
  const PlanCandidate a = acknowledged(plan("a", "mysql", true, false), "mysql");
  const PlanCandidate b = plan("b", "mysql", true, false);
  const PlanCandidate here = plan("h", "mysql", true, false, "dev");
  EXPECT_EQ(superseded_defaults(std::vector{a, b}), std::vector<size_t>{0});
  EXPECT_EQ(superseded_defaults(std::vector{b, a}), std::vector<size_t>{1});
  EXPECT_TRUE(superseded_defaults(std::vector{a}).empty());
  EXPECT_TRUE(superseded_defaults(std::vector{a, here}).empty()) << "another scope";
  EXPECT_TRUE(superseded_defaults(std::vector{b, b}).empty()) << "none acknowledged: left alone";
  EXPECT_TRUE(superseded_defaults(std::vector{a, b, b}).empty()) << "two new ones: left alone";
  EXPECT_TRUE(superseded_defaults(std::vector{a, removed(b)}).empty()) << "a removed plan replaces nothing";
}

}  // namespace
}  // namespace chandler::resolve
