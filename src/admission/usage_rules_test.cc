#include <gmock/gmock.h>

#include "admission/catalog_rows.h"
#include "admission/kind_rules.h"

namespace chandler::admission {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string usage_kind(const std::string& path, const std::string& finalizers = "") {
  return R"({"metadata":{"name":"deployment","finalizers":[)" + finalizers +
         R"(]},"spec":{"displayName":"D","resource":{"kind":"deployment"},"labelsPath":)" + path + "}}";
}

std::string usage(const std::string& rest = "", const std::string& kind = "deployment") {
  return R"({"metadata":{"name":"u","namespace":"a"},"spec":{"serviceBindingRef":{"name":"b"},"usedBy":{"kind":")" +
         kind + R"(","name":"web"})" + (rest.empty() ? "" : ",") + rest + "}}";
}

const std::string kKindFinalizer = R"("servicecatalog.kyma-project.io/usage-kind-protection")";

TEST(UsageKindRules, TheFinalizerIsThereFromTheBeginning) {
  expect_defaults(default_usage_kind,
                  {{"new", "it must not go unnoticed", usage_kind(R"("spec.labels")"), "",
                    usage_kind(R"("spec.labels")", kKindFinalizer)},
                   {"given", "the design's example brings it along", usage_kind(R"("spec.labels")", kKindFinalizer), "",
                    usage_kind(R"("spec.labels")", kKindFinalizer)},
                   {"update", "whoever finishes a deletion takes it away", usage_kind(R"("spec.labels")"),
                    usage_kind(R"("spec.labels")", kKindFinalizer), usage_kind(R"("spec.labels")")}});
}

TEST(UsageKindRules, ThePathIsChecked) {
  expect_checks(check_usage_kind,
                {{"template", "as most", usage_kind(R"("spec.template.metadata.labels")"), "", {}},
                 {"brackets", "a name with dots", usage_kind(R"("spec['a.b']")"), "", {}},
                 {"empty", "the schema reports it", usage_kind(R"("")"), "", {}},
                 {"leading dot", "a frequent slip", usage_kind(R"(".spec.labels")"), "", {"spec.labelsPath Invalid"}},
                 {"status", "not ours", usage_kind(R"("status.labels")"), "", {"spec.labelsPath Invalid"}}});
}

// What is stored decides, whatever the controller believes to know.
TEST(UsageKindRules, OneInUseKeepsItsFinalizer) {
  CatalogWorld world;
  std::vector<std::string> warnings;
  const auto give_up = [&](const std::string& user) {
    warnings.clear();
    world.user.name = user;
    auto object = document(usage_kind(R"("spec.labels")"));
    const auto old = document(usage_kind(R"("spec.labels")", kKindFinalizer));
    auto context = world.context("usagekinds", false, object, &old);
    context.warnings = &warnings;
    return permit_usage_kind(context);
  };
  const std::string controller = "system:serviceaccount:kube-system:binding-usage-controller";
  world.lookup.add("servicecatalog.kyma-project.io/servicebindingusages", usage("", "other"));
  EXPECT_TRUE(give_up(controller).ok()) << "the usage is of another kind";
  world.lookup.add("servicecatalog.kyma-project.io/servicebindingusages", usage());
  const auto refused = give_up(controller);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().reason, Reason::kConflict);
  EXPECT_THAT(refused.error().message, HasSubstr("a/u"));
  EXPECT_TRUE(give_up("root").ok()) << "an administrator who insists is obeyed";
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("only deleted")));
}

TEST(BindingUsageRules, AreCompleted) {
  CatalogWorld world;
  const auto made = completed(world, default_binding_usage, usage(R"("userInfo":{"username":"root"})"));
  EXPECT_EQ(json::write(made.at("metadata").at("finalizers")), R"(["servicecatalog.kyma-project.io/sbu-protection"])");
  EXPECT_EQ(made.at("spec").at("userInfo").at("username").as_string(), "ann") << "whatever the client says";
  const std::string stored = R"("userInfo":{"username":"bob"},"reprocessRequest":3)";
  EXPECT_EQ(json::write(completed(world, default_binding_usage, usage(), usage(stored)).at("spec")),
            json::write(document(usage(stored)).at("spec")))
      << "nothing was asked for, so nobody else asks";
}

TEST(BindingUsageRules, TheCounterOnlyGrows) {
  expect_checks(check_binding_usage,
                {{"more", "look again", usage(R"("reprocessRequest":4)"), usage(R"("reprocessRequest":3)"), {}},
                 {"less",
                  "would say nothing",
                  usage(R"("reprocessRequest":2)"),
                  usage(R"("reprocessRequest":3)"),
                  {"spec.reprocessRequest Invalid"}}});
}

TEST(BindingUsageRules, NothingNewForAUsageKindThatGoes) {
  CatalogWorld world;
  std::vector<std::string> warnings;
  const auto permit = [&](const std::string& now, const std::string& before = "") {
    warnings.clear();
    auto object = document(now);
    const auto old = before.empty() ? json::Value() : document(before);
    auto context = world.context("servicebindingusages", true, object, before.empty() ? nullptr : &old);
    context.warnings = &warnings;
    return permit_binding_usage(context);
  };
  EXPECT_TRUE(permit(usage()).ok()) << "the kind may still come";
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("no UsageKind \"deployment\" yet")));
  world.lookup.add("servicecatalog.kyma-project.io/usagekinds", R"({"metadata":{"name":"good"}})");
  world.lookup.add("servicecatalog.kyma-project.io/usagekinds",
                   R"({"metadata":{"name":"deployment","deletionTimestamp":"2026-01-01T00:00:00Z"}})");
  EXPECT_TRUE(permit(usage("", "good")).ok());
  EXPECT_THAT(warnings, IsEmpty());
  const auto refused = permit(usage());
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("is being deleted"));
  EXPECT_TRUE(permit(usage(R"("reprocessRequest":1)"), usage()).ok()) << "one that is there can be changed and undone";
  EXPECT_FALSE(permit(usage(), usage("", "good")).ok());
}

}  // namespace
}  // namespace chandler::admission
