#include "auth/coverage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "base/text.h"

namespace chandler::auth {
namespace {

using Texts = std::vector<std::string>;

Texts described(const std::vector<Rule>& rules) {
  Texts lines;
  for (const auto& rule : rules) lines.push_back(describe(rule));
  return lines;
}

TEST(Coverage, WhatIsMissing) {
  struct Row {
    std::string name;
    std::string reason;
    std::vector<Rule> owned;
    std::vector<Rule> wanted;
    std::vector<Rule> want;
  };
  const Rule pods_get{{"get"}, {""}, {"pods"}, {}, {}};
  const Rule pods_list{{"list"}, {""}, {"pods"}, {}, {}};
  const Rule pods_both{{"get", "list"}, {""}, {"pods"}, {}, {}};
  const Rule two{{"get"}, {"", "apps"}, {"pods", "deployments"}, {}, {}};
  const Rule named_a{{"get"}, {""}, {"pods"}, {"a"}, {}};
  const Rule named_ab{{"get"}, {""}, {"pods"}, {"a", "b"}, {}};
  const Rule everything = full_authority()[0];
  const std::vector<Row> rows = {
      {"same", "one holds what one holds", {pods_both}, {pods_both}, {}},
      {"nothing wanted", "nothing takes nothing", {}, {}, {}},
      {"empty rule", "a rule without content grants nothing", {}, {Rule{}}, {}},
      {"no verbs", "a rule without verbs grants nothing", {}, {{{}, {""}, {"pods"}, {"a"}, {"/a"}}}, {}},
      {"from two rules", "rights may come from several rules", {pods_get, pods_list}, {pods_both}, {}},
      {"one verb", "only what misses is told", {pods_get}, {pods_both}, {pods_list}},
      {"nothing held", "verbs stay together", {}, {pods_both}, {pods_both}},
      {"cross product",
       "each group with each resource",
       {{{"get"}, {""}, {"pods", "deployments"}, {}, {}}},
       {two},
       {{{"get"}, {"apps"}, {"pods"}, {}, {}}, {{"get"}, {"apps"}, {"deployments"}, {}, {}}}},
      {"star covers", "who holds all may grant all", {everything}, {two, everything, named_ab}, {}},
      {"star wanted", "a star is more than any list", {two}, {everything}, {everything}},
      {"resource star", "covers subresources", {everything}, {{{"get"}, {""}, {"pods/log"}, {}, {}}}, {}},
      {"subresource star",
       "covers that subresource",
       {{{"get"}, {""}, {"*/scale"}, {}, {}}},
       {{{"get"}, {""}, {"pods/scale"}, {}, {}}},
       {}},
      {"subresource star wanted",
       "a list of some does not cover all",
       {{{"get"}, {""}, {"pods/scale"}, {}, {}}},
       {{{"get"}, {""}, {"*/scale"}, {}, {}}},
       {{{"get"}, {""}, {"*/scale"}, {}, {}}}},
      {"names", "all names cover one", {pods_get}, {named_a}, {}},
      {"names from two",
       "each name may come from another rule",
       {named_a, {{"get"}, {""}, {"pods"}, {"b"}, {}}},
       {named_ab},
       {}},
      {"one name misses", "only that is told", {named_a}, {named_ab}, {{{"get"}, {""}, {"pods"}, {"b"}, {}}}},
      {"names do not make all", "some names are less than all", {named_ab}, {pods_get}, {pods_get}},
      {"url",
       "a prefix covers what is below",
       {{{"get"}, {}, {}, {}, {"/a/*"}}},
       {{{"get"}, {}, {}, {}, {"/a/b", "/a/c/*"}}},
       {}},
      {"url misses",
       "only that is told",
       {{{"get"}, {}, {}, {}, {"/a"}}},
       {{{"get", "put"}, {}, {}, {}, {"/a", "/b"}}},
       {{{"put"}, {}, {}, {}, {"/a"}}, {{"get", "put"}, {}, {}, {}, {"/b"}}}},
      {"url star",
       "not covered by prefixes",
       {{{"get"}, {}, {}, {}, {"/*"}}},
       {{{"get"}, {}, {}, {}, {"*"}}},
       {{{"get"}, {}, {}, {}, {"*"}}}},
      {"resources hold no urls",
       "they are different things",
       {everything},
       {{{"get"}, {}, {}, {}, {"/a"}}},
       {{{"get"}, {}, {}, {}, {"/a"}}}},
      {"resource star below",
       "pods/* is the name of a subresource, no wildcard",
       {{{"get"}, {""}, {"pods/*"}, {}, {}}},
       {{{"get"}, {""}, {"pods/log"}, {}, {}}},
       {{{"get"}, {""}, {"pods/log"}, {}, {}}}},
      {"name star", "no name is a wildcard", {{{"get"}, {""}, {"pods"}, {"*"}, {}}}, {named_a}, {named_a}},
      {"same rule twice", "what misses is listed once", {}, {pods_get, pods_get}, {pods_get}},
      {"nested prefixes",
       "the longest prefix is held with another verb",
       {{{"get"}, {}, {}, {}, {"/a*"}}, {{"put"}, {}, {}, {}, {"/a/b*"}}, {{"put"}, {}, {}, {}, {"/a/c*"}}},
       {{{"get", "put"}, {}, {}, {}, {"/a/bb", "/a/d"}}},
       {{{"put"}, {}, {}, {}, {"/a/d"}}}},
      {"both in one",
       "a rule that mixes both needs both",
       {full_authority()[1]},
       {{{"get"}, {""}, {"pods"}, {}, {"/a"}}},
       {pods_get}},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name + ": " + row.reason);
    const auto got = missing_rules(row.owned, row.wanted);
    EXPECT_EQ(got.shown, described(row.want));
    EXPECT_EQ(got.count, row.want.size());
    EXPECT_TRUE(got.complete);
  }
}

Texts texts(std::string_view prefix, size_t count) {
  Texts out;
  for (size_t i = 0; i < count; ++i) out.push_back(std::string(prefix) + std::to_string(i));
  return out;
}

TEST(Coverage, ARuleOfManyPermissionsIsComparedByWhoHoldsThem) {
  const Rule huge{texts("v", 300), texts("g", 300), texts("r", 300), texts("n", 300), {}};
  const auto none_held = missing_rules({}, {huge});
  EXPECT_TRUE(none_held.complete);
  EXPECT_EQ(none_held.count, 300u * 300 * 300);
  EXPECT_EQ(none_held.shown.size(), 20u);
  EXPECT_EQ(none_held.shown[0],
            "{verbs: [\"" + join(texts("v", 20), "\", \"") +
                R"(", and 280 more], apiGroups: ["g0"], resources: ["r0"], resourceNames: ["n0"]})");
  EXPECT_TRUE(missing_rules(full_authority(), {huge}).empty());
  auto first_half = huge, second_half = huge;
  first_half.verbs = texts("v", 150);
  second_half.verbs.erase(second_half.verbs.begin(), second_half.verbs.begin() + 150);
  EXPECT_TRUE(missing_rules({first_half, second_half}, {huge}).empty());
}

// Every permission of the wanted rule is held by another of so many owned rules that all must be compared.
struct Overlapping {
  std::vector<Rule> owned;
  Rule wanted;

  explicit Overlapping(size_t n) : wanted{texts("v", n), texts("g", n), texts("r", n), {}, {}} {
    for (size_t i = 0; i < n; ++i) {
      for (size_t j = 0; j < n; ++j) {
        for (size_t k = 0; k < n; ++k)
          owned.push_back({{wanted.verbs[i]}, {wanted.groups[j]}, {wanted.resources[k]}, {}, {}});
      }
    }
  }
};

TEST(Coverage, BeyondItsBudgetTheCheckIsIncompleteAndNeverEmpty) {
  const Overlapping few(5);
  EXPECT_TRUE(missing_rules(few.owned, {few.wanted}).empty()) << "all is held";
  for (const size_t steps : {0u, 1u, 10u, 100u, 1'000u}) {
    const auto got = missing_rules(few.owned, {few.wanted}, steps);
    EXPECT_FALSE(got.complete) << steps;
    EXPECT_FALSE(got.empty()) << steps;
    EXPECT_EQ(got.count, 0u) << steps << ": what was not compared is not known to be missing";
  }
}

TEST(Coverage, LinesAreOfBoundedLength) {
  constexpr size_t kLong = 100'000;
  const Rule rule{{std::string(kLong, 'v')}, {std::string(kLong, 'g')}, {std::string(kLong, 'r')}, texts("n", 30), {}};
  const auto got = missing_rules({}, {rule});
  EXPECT_EQ(got.count, 30u);
  ASSERT_EQ(got.shown.size(), 20u);
  for (const auto& line : got.shown) EXPECT_LT(line.size(), 500u);
}

// Takes every rule apart into single permissions and compares each with each owned rule, as Kubernetes does.
class Model {
 public:
  static std::set<std::string> missing(const std::vector<Rule>& owned, const std::vector<Rule>& wanted) {
    std::set<std::string> lines;
    for (const auto& permission : take_apart(wanted)) {
      const bool covered =
          std::any_of(owned.begin(), owned.end(), [&](const Rule& rule) { return covers(rule, permission); });
      if (!covered) lines.insert(describe(permission));
    }
    return lines;
  }

  static std::vector<Rule> take_apart(const std::vector<Rule>& rules) {
    std::vector<Rule> permissions;
    for (const auto& rule : rules) {
      for (const auto& verb : rule.verbs) {
        for (const auto& url : rule.urls) permissions.push_back({{verb}, {}, {}, {}, {url}});
        for (const auto& group : rule.groups) {
          for (const auto& resource : rule.resources) {
            if (rule.names.empty()) permissions.push_back({{verb}, {group}, {resource}, {}, {}});
            for (const auto& name : rule.names) permissions.push_back({{verb}, {group}, {resource}, {name}, {}});
          }
        }
      }
    }
    return permissions;
  }

 private:
  static bool has(const Texts& list, const std::string& text) {
    return std::find(list.begin(), list.end(), text) != list.end();
  }

  static bool covers_url(const std::string& owned, const std::string& wanted) {
    return owned == wanted || (owned.ends_with('*') && wanted.starts_with(owned.substr(0, owned.size() - 1)));
  }

  static bool covers(const Rule& owned, const Rule& permission) {
    if (!has(owned.verbs, permission.verbs[0]) && !has(owned.verbs, "*")) return false;
    if (!permission.urls.empty()) {
      return std::any_of(owned.urls.begin(), owned.urls.end(),
                         [&](const std::string& url) { return covers_url(url, permission.urls[0]); });
    }
    if (!has(owned.groups, permission.groups[0]) && !has(owned.groups, "*")) return false;
    if (!owned.names.empty() && (permission.names.empty() || !has(owned.names, permission.names[0]))) return false;
    const auto& resource = permission.resources[0];
    const auto slash = resource.find('/');
    return has(owned.resources, resource) || has(owned.resources, "*") ||
           (slash != std::string::npos && has(owned.resources, "*" + resource.substr(slash)));
  }
};

class RandomRules {
 public:
  explicit RandomRules(unsigned seed) : random_(seed) {}

  std::vector<Rule> some(size_t most) {
    std::vector<Rule> rules(pick(most + 1));
    for (auto& rule : rules) {
      rule.verbs = some_of({"get", "list", "*"});
      if (pick(4) == 0) rule.urls = some_of({"*", "/", "/a", "/a*", "/a/*", "/a/b", "/a/b*", "/b", ""});
      if (!rule.urls.empty() && pick(4) != 0) continue;
      rule.groups = some_of({"", "apps", "*"});
      rule.resources = some_of({"pods", "pods/log", "pods/*", "*/log", "*/scale", "jobs/scale", "jobs/", "/log", "*"});
      if (pick(2) == 0) rule.names = some_of({"a", "b", "", "*"});
    }
    return rules;
  }

  size_t pick(size_t below) { return random_() % below; }

 private:
  Texts some_of(const Texts& from) {
    Texts list;
    const size_t count = pick(4);
    for (size_t i = 0; i < count; ++i) list.push_back(from[pick(from.size())]);  // some of them twice
    return list;
  }

  std::minstd_rand random_;
};

// A line puts the verbs of a target together; these are the single permissions it stands for.
std::set<std::string> singles_of(const std::string& line) {
  constexpr std::string_view kHead = "{verbs: [";
  const auto end = line.find(']');
  std::set<std::string> singles;
  for (const auto verb : split(std::string_view(line).substr(kHead.size(), end - kHead.size()), ',')) {
    singles.insert(std::string(kHead).append(trim(verb)).append(line.substr(end)));
  }
  return singles;
}

TEST(Coverage, AgreesWithTakingEverythingApart) {
  size_t held = 0, partly_held = 0;
  for (unsigned seed = 1; seed <= 1'500; ++seed) {
    RandomRules random(seed);
    const auto wanted = random.some(3);
    auto owned = random.some(4);
    // Some of what is wanted is held permission by permission.
    const auto permissions = Model::take_apart(wanted);
    const size_t missing_share = random.pick(4);
    for (const auto& permission : permissions) {
      if (random.pick(10) >= missing_share) owned.push_back(permission);
    }
    const auto trace = "seed " + std::to_string(seed) + ", owned " + join(described(owned), " ") + ", wanted " +
                       join(described(wanted), " ");
    const auto want = Model::missing(owned, wanted);
    const auto got = missing_rules(owned, wanted);
    std::set<std::string> shown;
    for (const auto& line : got.shown) shown.merge(singles_of(line));
    ASSERT_TRUE(got.complete) << trace;
    ASSERT_EQ(got.empty(), want.empty()) << trace;
    if (got.count <= got.shown.size()) {
      ASSERT_EQ(shown, want) << trace;
    } else {
      ASSERT_TRUE(std::includes(want.begin(), want.end(), shown.begin(), shown.end())) << trace;
    }
    held += want.empty() && !permissions.empty() ? 1 : 0;
    partly_held += !want.empty() && want.size() < permissions.size() ? 1 : 0;
  }
  EXPECT_GT(held, 100u) << "both verdicts must be frequent";
  EXPECT_GT(partly_held, 100u);
}

}  // namespace
}  // namespace chandler::auth
