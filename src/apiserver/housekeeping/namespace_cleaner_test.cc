#include "apiserver/housekeeping/namespace_cleaner.h"

#include "apiserver/housekeeping/world_fixture.h"

namespace chandler::apiserver {
namespace {

using ::chandler::testing::eventually;

class NamespaceCleanerTest : public ::testing::Test {
 protected:
  NamespaceCleanerTest() {
    world_.follow();
    world_.create_namespace("ns");
    world_.create_namespace("other");
    world_.create_config("a");
    world_.create(world_.kind("secrets"), "ns", "{metadata: {name: a}}");
    world_.create(world_.kind("configmaps"), "other", "{metadata: {name: a}}");
  }
  ~NamespaceCleanerTest() override {
    cleaner_.stop();
    world_.store.stop();
  }
  bool gone(std::string_view name) { return !world_.has(world_.kind("namespaces"), "", name); }

  testing::World world_;
  NamespaceCleaner cleaner_{world_.kinds, world_.cache, world_.objects, world_.clock};
};

TEST_F(NamespaceCleanerTest, EmptiesADeletedNamespaceAndFinishesIt) {
  cleaner_.start();
  world_.remove(world_.kind("namespaces"), "", "ns");
  EXPECT_TRUE(eventually([&] { return gone("ns"); }));
  EXPECT_FALSE(world_.has_config("a"));
  EXPECT_FALSE(world_.has(world_.kind("secrets"), "ns", "a"));
  EXPECT_FALSE(gone("other"));
  EXPECT_TRUE(world_.has(world_.kind("configmaps"), "other", "a"));
}

TEST_F(NamespaceCleanerTest, SaysWhatHoldsANamespaceAndWaitsForIt) {
  cleaner_.start();
  const auto namespaces = world_.kind("namespaces");
  world_.create_config("held", ", finalizers: [example.com/hold]");
  world_.remove(namespaces, "", "ns");
  EXPECT_TRUE(eventually(
      [&] { return world_.condition(namespaces, "ns", "NamespaceContentRemaining") == "True SomeResourcesRemain"; }));
  EXPECT_EQ(world_.condition(namespaces, "ns", "NamespaceFinalizersRemaining"), "True SomeFinalizersRemain");
  EXPECT_EQ(world_.condition(namespaces, "ns", "NamespaceDeletionContentFailure"), "False ContentDeleted");
  EXPECT_NE(world_.get(namespaces, "", "ns")->bytes().find("example.com/hold in 1"), std::string_view::npos);
  EXPECT_EQ(json::string_or(world_.get(namespaces, "", "ns")->parse().at("status"), "phase"), "Terminating");
  const auto refused = world_.try_create(world_.kind("configmaps"), "ns", "{metadata: {name: late}}");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().reason, Reason::kForbidden);

  world_.drop_finalizers(world_.kind("configmaps"), "ns", "held");
  EXPECT_TRUE(eventually([&] { return gone("ns"); }));
}

TEST_F(NamespaceCleanerTest, SaysWhatHoldsANamespaceInABoundedText) {
  std::string finalizers;
  for (int i = 0; i < 1'000; ++i) finalizers += "example.com/hold-" + std::to_string(i) + ",";
  world_.create_config("held", ", finalizers: [" + finalizers + "]");
  cleaner_.start();
  const auto namespaces = world_.kind("namespaces");
  world_.remove(namespaces, "", "ns");
  EXPECT_TRUE(eventually([&] {
    return world_.condition(namespaces, "ns", "NamespaceFinalizersRemaining") == "True SomeFinalizersRemain";
  }));
  EXPECT_LT(world_.get(namespaces, "", "ns")->bytes().size(), 10'000u);
}

TEST_F(NamespaceCleanerTest, AFinalizerOfTheNamespaceItselfIsLeftToItsOwner) {
  cleaner_.start();
  const auto namespaces = world_.kind("namespaces");
  world_.create(namespaces, "", "{metadata: {name: kept, finalizers: [example.com/hold]}}");
  world_.remove(namespaces, "", "kept");
  EXPECT_TRUE(eventually([&] {
    const auto document = world_.get(namespaces, "", "kept");
    const auto object = document->parse();
    const auto* spec = json::find(object, "spec");
    return spec == nullptr || json::array_at(*spec, "finalizers") == nullptr;
  })) << "its own part is done";
  EXPECT_FALSE(gone("kept"));
  world_.drop_finalizers(namespaces, "", "kept");
  EXPECT_TRUE(eventually([&] { return gone("kept"); }));
}

TEST_F(NamespaceCleanerTest, GoesOnWithWhatWasDeletedBeforeItsStart) {
  world_.remove(world_.kind("namespaces"), "", "ns");
  EXPECT_FALSE(gone("ns"));
  cleaner_.start();
  EXPECT_TRUE(eventually([&] { return gone("ns"); }));
}

}  // namespace
}  // namespace chandler::apiserver
