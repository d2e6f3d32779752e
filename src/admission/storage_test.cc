// What classes let claims tune: checked when they are made, and when a claim is.
#include <fmt/format.h>

#include "admission/fake_lookup.h"
#include "admission/fields.h"
#include "admission/kind_rules.h"
#include "admission/rule_rows.h"
#include "resolve/selector_options.h"

namespace chandler::admission {
namespace {

// The class of the story: parameters and options exclude each other.
std::string typos(const std::string& policy) {
  return R"({"apiVersion":"storage.k8s.io/v1","kind":"StorageClass","metadata":{"name":"slow"},"provisioner":"kubernetes.io/aws-ebs","parameters":{"zones":"us-east-1a, us-east-1b"},"selectorOptions":[{"key":"failure-domain.beta.kubernetes.io/zone","allowedValues":["us-east-2a","us-east-2b"]}])" +
         policy + "}";
}

struct Said {
  std::vector<std::string> causes;
  std::vector<std::string> warnings;
};

Said check(Check rule, const std::string& text, const FakeLookup& lookup, const std::string& old_text = "") {
  auto object = document(text);
  const auto old = old_text.empty() ? json::Value() : document(old_text);
  Said said;
  Context context;
  context.operation = old_text.empty() ? registry::Operation::kCreate : registry::Operation::kUpdate;
  context.object = &object;
  context.old = old_text.empty() ? nullptr : &old;
  context.lookup = &lookup;
  context.warnings = &said.warnings;
  meta::FieldErrors errors;
  rule(context, errors);
  said.causes = short_causes(errors);
  return said;
}

TEST(StorageClassRules, AContradictionIsSaidAsThePolicyWants) {
  const FakeLookup lookup;
  const auto warned = check(check_storage_class, typos(""), lookup);
  EXPECT_TRUE(warned.causes.empty());
  ASSERT_EQ(warned.warnings.size(), 1u);
  EXPECT_NE(warned.warnings[0].find("us-east-2a, us-east-2b"), std::string::npos) << warned.warnings[0];
  const auto refused = check(check_storage_class, typos(R"(,"selectorPolicy":"Enforce")"), lookup);
  EXPECT_EQ(refused.causes, std::vector<std::string>{"selectorOptions[0].allowedValues Invalid"});
  const auto silent = check(check_storage_class, typos(R"(,"selectorPolicy":"Ignore")"), lookup);
  EXPECT_TRUE(silent.causes.empty() && silent.warnings.empty());
}

TEST(StorageClassRules, AnUpdateOfSomethingElseIsNotHeldUp) {
  const auto enforced = typos(R"(,"selectorPolicy":"Enforce")");
  const FakeLookup lookup;
  EXPECT_TRUE(check(check_storage_class, enforced, lookup, enforced).causes.empty());
  EXPECT_FALSE(check(check_storage_class, enforced, lookup, typos("")).causes.empty()) << "now it is to be enforced";
}

TEST(StorageClassRules, OurProvisionerSaysWhatItDoesNotKnow) {
  const auto said = check(
      check_storage_class,
      R"({"metadata":{"name":"l"},"provisioner":"chandler.io/local","allowVolumeExpansion":true,"selectorOptions":[{"key":"iops"}]})",
      FakeLookup());
  EXPECT_TRUE(said.causes.empty());
  EXPECT_EQ(said.warnings.size(), 2u);
}

TEST(StorageClassRules, OptionsAreShownInAnAnnotationThatFollowsThem) {
  const std::string key(resolve::kTunablesAnnotation);
  const auto shown = [&](const std::string& text) {
    auto object = document(text);
    Context context;
    context.object = &object;
    default_storage_class(context);
    const auto* value = json::find_path(object, {"metadata", "annotations", key});
    return value == nullptr ? std::string("-") : std::string(json::view(value->as_string()));
  };
  EXPECT_EQ(shown(R"({"metadata":{"name":"a"},"selectorOptions":[{"key":"zone","description":"Where"}]})"),
            "\n    zone\n      - where");
  EXPECT_EQ(shown(R"({"metadata":{"name":"a","annotations":{")" + key + R"(":"old"}}})"), "-");
  EXPECT_EQ(
      shown(R"({"metadata":{"name":"a","annotations":{"storage.chandler.io/selector-options":"[{\"key\":\"k\"}]"}}})"),
      "\n    k");
}

std::string claim(const std::string& selector) {
  return R"({"metadata":{"name":"p","namespace":"dev"},"spec":{"accessModes":["ReadWriteOnce"],"storageClassName":"fast","resources":{"requests":{"storage":"1Gi"}},"selector":)" +
         selector + "}}";
}

FakeLookup lookup_with(const std::string& policy) {
  FakeLookup lookup;
  lookup.add(
      "storage.k8s.io/storageclasses",
      R"({"apiVersion":"storage.k8s.io/v1","kind":"StorageClass","metadata":{"name":"fast"},"provisioner":"x.io/p","selectorOptions":[{"key":"zone","allowedValues":["a","b"]},{"key":"owner","required":true}])" +
          policy + "}");
  return lookup;
}

TEST(ClaimSelector, IsReportedAsThePolicyOfTheClassWants) {
  const std::string wrong =
      R"({"matchLabels":{"color":"red"},"matchExpressions":[{"key":"zone","operator":"In","values":["c"]}]})";
  const auto refused = check(check_claim_selector, claim(wrong), lookup_with(R"(,"selectorPolicy":"Enforce")"));
  EXPECT_EQ(refused.causes,
            (std::vector<std::string>{"spec.selector Required", "spec.selector.matchExpressions[0].values Invalid",
                                      "spec.selector.matchLabels[color] Invalid"}));
  const auto warned = check(check_claim_selector, claim(wrong), lookup_with(""));
  EXPECT_TRUE(warned.causes.empty());
  EXPECT_EQ(warned.warnings.size(), 3u);
  const auto silent = check(check_claim_selector, claim(wrong), lookup_with(R"(,"selectorPolicy":"Ignore")"));
  EXPECT_TRUE(silent.causes.empty() && silent.warnings.empty());
  const auto fine = check(check_claim_selector, claim(R"({"matchLabels":{"owner":"me","zone":"a"}})"),
                          lookup_with(R"(,"selectorPolicy":"Enforce")"));
  EXPECT_TRUE(fine.causes.empty() && fine.warnings.empty());
}

TEST(ClaimSelector, FreeLabelsFindExistingVolumes) {
  auto lookup = lookup_with(R"(,"selectorPolicy":"Enforce")");
  const auto selector = R"({"matchLabels":{"owner":"me","color":"red"}})";
  EXPECT_EQ(check(check_claim_selector, claim(selector), lookup).causes.size(), 1u);
  lookup.add(
      "/persistentvolumes",
      R"({"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"v","labels":{"owner":"me","color":"red"}},"spec":{"storageClassName":"fast"},"status":{"phase":"Available"}})");
  EXPECT_TRUE(check(check_claim_selector, claim(selector), lookup).causes.empty());
  const auto with_requirements = [](size_t count) {
    std::string absent;
    for (size_t i = 0; i < count; ++i) {
      absent += fmt::format(R"({}{{"key":"k{}","operator":"DoesNotExist"}})", i == 0 ? "" : ",", i);
    }
    return claim(R"({"matchLabels":{"owner":"me","color":"red"},"matchExpressions":[)" + absent + "]}");
  };
  EXPECT_TRUE(check(check_claim_selector, with_requirements(900), lookup).causes.empty());
  EXPECT_FALSE(check(check_claim_selector, with_requirements(1'000), lookup).causes.empty()) << "too many to compare";
}

TEST(ClaimSelector, AClassThatIsNotThereYetIsMentioned) {
  const FakeLookup lookup;
  EXPECT_EQ(check(check_claim_selector, claim(R"({"matchLabels":{"a":"b"}})"), lookup).warnings.size(), 1u);
  EXPECT_EQ(check(check_claim_selector, claim("{}"), lookup).warnings.size(), 0u);
}

TEST(ClaimOrder, IsTheControllersWord) {
  const std::string order = R"("storage.chandler.io/order":"{}")";
  const auto kept = [&](const std::string& now, const std::string& before, const std::string& user) {
    auto object = document(R"({"metadata":{"name":"p","annotations":{)" + now + "}}}");
    const auto old = document(R"({"metadata":{"name":"p","annotations":{)" + before + "}}}");
    auth::User who;
    who.name = user;
    Context context;
    context.operation = registry::Operation::kUpdate;
    context.object = &object;
    context.old = &old;
    context.user = &who;
    keep_claim_order(context);
    return json::find_path(object, {"metadata", "annotations", "storage.chandler.io/order"}) != nullptr;
  };
  EXPECT_FALSE(kept(order, "", "ann")) << "a user cannot order by himself";
  EXPECT_TRUE(kept("", order, "ann")) << "nor make the controller forget";
  EXPECT_TRUE(kept(order, "", "system:serviceaccount:kube-system:volume-controller"));
}

TEST(ClaimOrder, HasAFinalizerThatOnlyTheControllerTakesOff) {
  const std::string mine = R"("example.org/mine")";
  const std::string both = R"("example.org/mine","storage.chandler.io/order")";
  size_t warnings_seen = 0;
  const auto stored = [&](const std::string& now, const std::string& before, const std::string& user,
                          const std::string& group) {
    auto object = document(R"({"metadata":{"finalizers":[)" + now + "]}}");
    const auto old = document(R"({"metadata":{"finalizers":[)" + before + "]}}");
    auth::User who;
    who.name = user;
    if (!group.empty()) who.groups.push_back(group);
    std::vector<std::string> warnings;
    Context context;
    context.operation = registry::Operation::kUpdate;
    context.object = &object;
    context.old = &old;
    context.user = &who;
    context.warnings = &warnings;
    keep_claim_order(context);
    warnings_seen = warnings.size();
    return json::write(member(member(object, "metadata"), "finalizers"));
  };
  EXPECT_EQ(stored(mine, both, "ann", ""), "[" + both + "]") << "something may lie on a disk";
  EXPECT_EQ(warnings_seen, 1u);
  EXPECT_EQ(stored("", both, "ann", ""), R"(["storage.chandler.io/order"])") << "his own he may take off";
  EXPECT_EQ(stored(both, mine, "ann", ""), "[" + mine + "]") << "nobody would take it off again";
  EXPECT_EQ(stored(both, both, "ann", ""), "[" + both + "]");
  EXPECT_EQ(warnings_seen, 0u);
  EXPECT_EQ(stored(mine, both, "system:serviceaccount:kube-system:volume-controller", ""), "[" + mine + "]");
  EXPECT_EQ(stored(mine, both, "root", std::string(auth::kMasters)), "[" + mine + "]") << "by force";
}

TEST(Volume, IsProtectedFromTheStart) {
  expect_defaults(default_volume, {{"new", "in use or not, it waits for the controller", R"({"metadata":{}})", "",
                                    R"({"metadata":{"finalizers":["kubernetes.io/pv-protection"]}})"},
                                   {"update", "what was removed does not come back", R"({"metadata":{}})", "{}",
                                    R"({"metadata":{}})"}});
}

}  // namespace
}  // namespace chandler::admission
