#include "resolve/claim_class.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

namespace chandler::resolve {
namespace {

constexpr auto kDefault = ClassMatch::kDefault;
constexpr auto kOfKind = ClassMatch::kDefaultOfKind;

ClassOption option(std::string ns, std::string name, ClassMatch match = kDefault) {
  ClassOption out;
  out.ns = std::move(ns);
  out.name = std::move(name);
  out.match = match;
  out.created = "2026-01-01T00:00:00Z";
  return out;
}

ClassOption with_version(ClassOption option, std::string version) {
  option.engine_version = std::move(version);
  return option;
}

ClassOption deleting(ClassOption option) {
  option.deleting = true;
  return option;
}

ClassOption ranked(ClassOption option, std::string created, int64_t priority = 0) {
  option.created = std::move(created);
  option.priority = priority;
  return option;
}

ClassRequest request() {
  ClassRequest out;
  out.claim_kind = "postgresqlinstance.storage.crossplane.io";
  out.ns = "demo";
  out.class_namespaces = {"crossplane-system", "shared"};
  return out;
}

ClassRequest asking(std::string version) {
  auto out = request();
  out.engine_version = std::move(version);
  return out;
}

ClassRequest naming(std::string name, std::string ns = "") {
  auto out = request();
  out.wish = ClassWish::kReference;
  out.class_name = std::move(name);
  out.class_namespace = std::move(ns);
  return out;
}

ClassRequest selecting() {
  auto out = request();
  out.wish = ClassWish::kSelector;
  out.selector = "tier=gold";
  return out;
}

ClassRequest by(ClassRequest request, TieRule rule) {
  request.several = rule;
  return request;
}

// "ns/name Source", or the outcome in a word.
std::string summary(const ClassDecision& decision, const std::vector<ClassOption>& options) {
  constexpr std::string_view kWords[] = {"chosen", "none", "ambiguous", "deleting", "version", "not allowed"};
  if (decision.outcome != ClassOutcome::kChosen) return std::string(kWords[static_cast<size_t>(decision.outcome)]);
  const auto& chosen = options[decision.index];
  return chosen.ns + "/" + chosen.name + " " + std::string(source_name(decision.source));
}

TEST(ClaimClass, IsDecidedByTheFirstSetThatIsNotEmpty) {
  const auto kNamed = ClassMatch::kNamed;
  const auto kSelected = ClassMatch::kSelected;
  const struct {
    std::string why;
    ClassRequest request;
    std::vector<ClassOption> options;
    std::string expected;
    std::string part;  // of the message
  } rows[] = {
      {"the seed: one default of the operator",
       asking("9.6"),
       {option("crossplane-system", "cloud")},
       "crossplane-system/cloud OperatorDefault",
       "it is the default for postgresqlinstance.storage.crossplane.io"},
      {"the own namespace comes first",
       request(),
       {option("crossplane-system", "a"), option("demo", "b")},
       "demo/b NamespaceDefault",
       "in namespace demo"},
      {"nobody sets a default for others", request(), {option("other", "a")}, "none", "No class is the default"},
      {"none", request(), {}, "none", "svcat set resourceclass NAME --default-for postgresqlinstance.storage"},
      {"several",
       request(),
       {option("shared", "b"), option("crossplane-system", "a")},
       "ambiguous",
       "crossplane-system/a, shared/b"},
      {"several outside, one inside",
       request(),
       {option("shared", "b"), option("crossplane-system", "a"), option("demo", "c")},
       "demo/c NamespaceDefault",
       ""},
      {"the group counts before the bare kind",
       request(),
       {option("demo", "a", kOfKind), option("demo", "b")},
       "demo/b NamespaceDefault",
       ""},
      {"the bare kind is a default too", request(), {option("demo", "a", kOfKind)}, "demo/a NamespaceDefault", ""},
      {"the own bare kind counts before the operator's",
       request(),
       {option("crossplane-system", "a"), option("demo", "b", kOfKind)},
       "demo/b NamespaceDefault",
       ""},
      {"another group is told, not taken",
       request(),
       {option("demo", "a", ClassMatch::kDefaultElsewhere)},
       "none",
       "demo/a is a default for a kind of the same name in another API group"},
      {"being deleted does not count",
       request(),
       {deleting(option("demo", "a")), option("shared", "b")},
       "shared/b OperatorDefault",
       ""},
      {"being deleted is told", request(), {deleting(option("demo", "a"))}, "none", "demo/a: being deleted"},
      {"a version that contradicts does not count",
       asking("9.6"),
       {with_version(option("demo", "a"), "11.2"), with_version(option("demo", "b"), "9.6.24")},
       "demo/b NamespaceDefault",
       ""},
      {"a version that contradicts, and nothing is left",
       asking("9.6"),
       {with_version(option("demo", "a"), "11.2")},
       "version",
       "\"9.6\", which is not what these classes offer: demo/a (11.2)"},
      {"newest",
       by(request(), TieRule::kNewest),
       {ranked(option("demo", "a"), "2026-01-01T00:00:00Z"), ranked(option("demo", "b"), "2026-01-02T00:00:00Z")},
       "demo/b NamespaceDefault",
       "of demo/a, demo/b it is the newest"},
      {"newest, at the same time: by name",
       by(request(), TieRule::kNewest),
       {option("demo", "b"), option("demo", "a")},
       "demo/a NamespaceDefault",
       ""},
      {"priority",
       by(request(), TieRule::kPriority),
       {ranked(option("demo", "a"), "2026-01-01T00:00:00Z", 5), ranked(option("demo", "b"), "2026-01-02T00:00:00Z", 1)},
       "demo/a NamespaceDefault",
       "its priority is highest"},
      {"a reference",
       naming("a", "crossplane-system"),
       {option("crossplane-system", "a", kNamed)},
       "crossplane-system/a Reference",
       "the claim names it"},
      {"a reference without namespace: own first",
       naming("a"),
       {option("crossplane-system", "a", kNamed), option("demo", "a", kNamed)},
       "demo/a Reference",
       ""},
      {"a reference without namespace: in the operator's order",
       naming("a"),
       {option("shared", "a", kNamed), option("crossplane-system", "a", kNamed)},
       "crossplane-system/a Reference",
       ""},
      {"a reference to nothing", naming("a", "demo"), {}, "none", "There is no class \"demo/a\""},
      {"a reference to a foreign namespace",
       naming("a", "other"),
       {option("other", "a", kNamed)},
       "not allowed",
       "classes of namespace \"other\" may not be used"},
      {"a reference to what is going",
       naming("a", "demo"),
       {deleting(option("demo", "a", kNamed))},
       "deleting",
       "demo/a, which the claim names, is being deleted"},
      {"a selector", selecting(), {option("shared", "a", kSelected)}, "shared/a Selector", "tier=gold"},
      {"a selector: own first",
       selecting(),
       {option("shared", "a", kSelected), option("demo", "b", kSelected)},
       "demo/b Selector",
       ""},
      {"a selector that fits several",
       selecting(),
       {option("shared", "a", kSelected), option("shared", "b", kSelected)},
       "ambiguous",
       "Make the selector narrower"},
      {"a selector that fits nothing", selecting(), {}, "none", "fits the claim's selector (tier=gold)"},
  };
  for (const auto& row : rows) {
    const auto decision = decide_class(row.request, row.options);
    EXPECT_EQ(summary(decision, row.options), row.expected) << row.why << ": " << decision.message;
    EXPECT_NE(decision.message.find(row.part), std::string::npos) << row.why << ": " << decision.message;
  }
}

// What must hold for any classes in any order.
TEST(ClaimClass, DoesNotDependOnTheOrderAndJudgesEveryClassOnce) {
  std::mt19937 random(11);
  constexpr ClassMatch kMatches[] = {kDefault, kOfKind, ClassMatch::kDefaultElsewhere};
  constexpr TieRule kRules[] = {TieRule::kReject, TieRule::kNewest, TieRule::kPriority};
  for (int round = 0; round < 3'000; ++round) {
    auto asked = by(random() % 2 == 0 ? request() : asking("9.6"), kRules[random() % 3]);
    std::vector<ClassOption> options;
    for (size_t i = 0, count = random() % 6; i < count; ++i) {
      constexpr std::string_view kPlaces[] = {"demo", "crossplane-system", "shared", "other"};
      auto one = option(std::string(kPlaces[random() % 4]), "c" + std::to_string(i), kMatches[random() % 3]);
      one.created = "2026-01-0" + std::to_string(1 + random() % 3) + "T00:00:00Z";
      one.priority = static_cast<int64_t>(random() % 3);
      one.deleting = random() % 5 == 0;
      if (random() % 3 == 0) one.engine_version = random() % 2 == 0 ? "9.6.1" : "11";
      options.push_back(std::move(one));
    }
    const auto decision = decide_class(asked, options);
    const auto expected = summary(decision, options);
    auto shuffled = options;
    std::shuffle(shuffled.begin(), shuffled.end(), random);
    EXPECT_EQ(summary(decide_class(asked, shuffled), shuffled), expected);

    size_t usable = 0;
    for (const auto& each : options) usable += may_use_classes_of(asked, each.ns) ? 1 : 0;
    EXPECT_EQ(decision.judged.size(), usable) << "every class of a namespace that counts has a verdict";
    const auto chosen = std::count_if(decision.judged.begin(), decision.judged.end(),
                                      [](const auto& judged) { return judged.verdict == ClassVerdict::kChosen; });
    EXPECT_EQ(chosen, decision.outcome == ClassOutcome::kChosen ? 1 : 0);
    if (decision.outcome == ClassOutcome::kChosen) {
      const auto& taken = options[decision.index];
      EXPECT_TRUE(may_use_classes_of(asked, taken.ns));
      EXPECT_FALSE(taken.deleting);
      EXPECT_NE(taken.match, ClassMatch::kDefaultElsewhere);
    }
    EXPECT_FALSE(decision.outcome == ClassOutcome::kAmbiguous && asked.several != TieRule::kReject);
    EXPECT_FALSE(decision.message.empty());
  }
}

}  // namespace
}  // namespace chandler::resolve
