#include "apiserver/housekeeping/garbage_collector.h"

#include <thread>

#include "apiserver/housekeeping/world_fixture.h"

namespace chandler::apiserver {
namespace {

using ::chandler::testing::eventually;
using Propagation = registry::DeleteOptions::Propagation;

class GarbageCollectorTest : public ::testing::Test {
 protected:
  GarbageCollectorTest() {
    world_.follow();
    world_.create_namespace("ns");
  }
  // Stopped first, whatever a test leaves behind.
  ~GarbageCollectorTest() override {
    collector_.stop();
    world_.store.stop();
  }

  // Metadata members of a ConfigMap that belongs to other ConfigMaps.
  static std::string owned_by(const std::vector<std::pair<std::string, std::string>>& owners, bool block = true) {
    std::string out = ", ownerReferences: [";
    for (const auto& [name, uid] : owners) {
      out += "{apiVersion: v1, kind: ConfigMap, name: " + name + ", uid: '" + uid +
             "', blockOwnerDeletion: " + (block ? "true" : "false") + "},";
    }
    return out + "]";
  }
  size_t owners_of(std::string_view name) {
    const auto document = world_.get(world_.kind("configmaps"), "ns", name);
    return document == nullptr ? 99 : document->owner_count();
  }
  // All that was queued before is worked through: a probe without an owner is collected in its turn.
  void settle() {
    const std::string probe = "probe-" + std::to_string(++probes_);
    world_.create_config(probe, owned_by({{"nobody", "no-such-uid"}}));
    EXPECT_TRUE(eventually([&] { return !world_.has_config(probe); }));
  }

  testing::World world_;
  GarbageCollector collector_{world_.kinds, world_.cache, world_.objects};
  int probes_ = 0;
};

TEST_F(GarbageCollectorTest, InTheBackgroundDependentsGoAfterTheirOwner) {
  collector_.start();
  const auto owner = world_.create_config("owner");
  const auto child = world_.create_config("child", owned_by({{"owner", owner}}));
  world_.create_config("grandchild", owned_by({{"child", child}}));
  world_.create_config("stranger");
  settle();
  EXPECT_TRUE(world_.has_config("child")) << "its owner is there";

  world_.remove(world_.kind("configmaps"), "ns", "owner", Propagation::kBackground);
  EXPECT_FALSE(world_.has_config("owner")) << "the owner goes at once";
  EXPECT_TRUE(eventually([&] { return !world_.has_config("child") && !world_.has_config("grandchild"); }));
  EXPECT_TRUE(world_.has_config("stranger"));
}

TEST_F(GarbageCollectorTest, OrphansStayWithoutTheReference) {
  collector_.start();
  const auto owner = world_.create_config("owner");
  world_.create_config("child", owned_by({{"owner", owner}}));
  world_.remove(world_.kind("configmaps"), "ns", "owner", Propagation::kOrphan);
  EXPECT_TRUE(eventually([&] { return !world_.has_config("owner"); }));
  settle();
  EXPECT_EQ(owners_of("child"), 0u);
}

TEST_F(GarbageCollectorTest, InTheForegroundTheOwnerWaitsForItsDependents) {
  collector_.start();
  const auto configs = world_.kind("configmaps");
  const auto owner = world_.create_config("owner");
  world_.create_config("held", owned_by({{"owner", owner}}) + ", finalizers: [example.com/hold]");
  world_.create_config("free", owned_by({{"owner", owner}}));
  world_.remove(configs, "ns", "owner", Propagation::kForeground);
  EXPECT_TRUE(eventually([&] {
    const auto held = world_.get(configs, "ns", "held");
    return !world_.has_config("free") && held != nullptr && held->deleting();
  }));
  settle();
  ASSERT_TRUE(world_.has_config("owner")) << "one dependent is still there";
  EXPECT_TRUE(world_.get(configs, "ns", "owner")->deleting());

  world_.drop_finalizers(configs, "ns", "held");
  EXPECT_TRUE(eventually([&] { return !world_.has_config("owner"); }));
  EXPECT_FALSE(world_.has_config("held"));
}

TEST_F(GarbageCollectorTest, InTheForegroundDependentsThatDoNotBlockAreNotWaitedFor) {
  collector_.start();
  const auto configs = world_.kind("configmaps");
  const auto owner = world_.create_config("owner");
  world_.create_config("held", owned_by({{"owner", owner}}, false) + ", finalizers: [example.com/hold]");
  world_.remove(configs, "ns", "owner", Propagation::kForeground);
  EXPECT_TRUE(eventually([&] { return !world_.has_config("owner"); }));
  EXPECT_TRUE(eventually([&] {
    const auto held = world_.get(configs, "ns", "held");
    return held != nullptr && held->deleting();
  }));
}

TEST_F(GarbageCollectorTest, InTheForegroundAWholeTreeGoesFromTheLeaves) {
  collector_.start();
  const auto configs = world_.kind("configmaps");
  const auto owner = world_.create_config("owner");
  const auto child = world_.create_config("child", owned_by({{"owner", owner}}));
  world_.create_config("leaf", owned_by({{"child", child}}) + ", finalizers: [example.com/hold]");
  world_.remove(configs, "ns", "owner", Propagation::kForeground);
  EXPECT_TRUE(eventually([&] {
    const auto leaf = world_.get(configs, "ns", "leaf");
    return leaf != nullptr && leaf->deleting();
  }));
  settle();
  EXPECT_TRUE(world_.has_config("owner"));
  EXPECT_TRUE(world_.has_config("child"));
  world_.drop_finalizers(configs, "ns", "leaf");
  EXPECT_TRUE(eventually([&] { return !world_.has_config("owner") && !world_.has_config("child"); }));
}

TEST_F(GarbageCollectorTest, AnObjectStaysAsLongAsOneOwnerDoes) {
  collector_.start();
  const auto one = world_.create_config("one");
  const auto two = world_.create_config("two");
  world_.create_config("child", owned_by({{"one", one}, {"two", two}}));
  world_.remove(world_.kind("configmaps"), "ns", "one");
  EXPECT_TRUE(eventually([&] { return owners_of("child") == 1; })) << "the lost owner is no longer named";
  EXPECT_EQ(world_.get(world_.kind("configmaps"), "ns", "child")->owner(0), two);
  world_.remove(world_.kind("configmaps"), "ns", "two");
  EXPECT_TRUE(eventually([&] { return !world_.has_config("child"); }));
}

// Its owner goes while somebody writes to it: whoever comes second finds another object than it looked at.
TEST_F(GarbageCollectorTest, AnObjectThatChangesWhileItIsCollectedIsCollectedAllTheSame) {
  collector_.start();
  const auto configs = world_.kind("configmaps");
  for (int i = 0; i < 5; ++i) {
    const auto name = "child-" + std::to_string(i);
    const auto owner = world_.create_config("owner");
    world_.create_config(name, owned_by({{"owner", owner}}) + ", finalizers: [example.com/hold]");
    std::thread writer([&] {
      for (int n = 0; n < 3'000 && !world_.get(configs, "ns", name)->deleting(); ++n) {
        world_.update(configs, "ns", name, [&](json::Value& object) {
          object.as_object()["data"] = json::Object{{"n", std::to_string(n)}};
        });
      }
    });
    world_.remove(configs, "ns", "owner", Propagation::kBackground);
    writer.join();
    EXPECT_TRUE(eventually([&] { return world_.get(configs, "ns", name)->deleting(); })) << name;
    world_.drop_finalizers(configs, "ns", name);
  }
}

// As when a CustomResourceDefinition is deleted: the last owner goes, and at once its kind is not served any more.
TEST_F(GarbageCollectorTest, WhatBelongedToAnOwnerGoesEvenIfItsKindWentToo) {
  collector_.start();
  const auto owner = world_.create(world_.kind("secrets"), "ns", "{metadata: {name: owner}}");
  world_.create_config("child",
                       ", ownerReferences: [{apiVersion: v1, kind: Secret, name: owner, uid: '" + owner + "'}]");
  settle();
  world_.remove(world_.kind("secrets"), "ns", "owner");
  world_.kinds.remove("", "secrets");
  EXPECT_TRUE(eventually([&] { return !world_.has_config("child"); }));
}

TEST_F(GarbageCollectorTest, AnOwnerOfAKindThatIsServedLaterIsLookedForThen) {
  const auto secrets = world_.kind("secrets");
  world_.kinds.remove("", "secrets");
  collector_.start();
  world_.create_config("child", ", ownerReferences: [{apiVersion: v1, kind: Secret, name: owner, uid: u-1}]");
  settle();
  ASSERT_TRUE(world_.has_config("child")) << "nobody knows whether its owner is there";
  world_.kinds.put(secrets);
  world_.create(world_.crds(), "", R"({metadata: {name: things.example.com}, spec: {group: example.com, scope: Cluster,
      names: {plural: things, kind: Thing}, versions: [{name: v1, served: true, storage: true,
      schema: {openAPIV3Schema: {type: object}}}]}})");
  EXPECT_TRUE(eventually([&] { return !world_.has_config("child"); }));
}

TEST_F(GarbageCollectorTest, InTheForegroundADependentThatFindsAnotherOwnerIsNotWaitedFor) {
  collector_.start();
  const auto configs = world_.kind("configmaps");
  const auto one = world_.create_config("one");
  const auto two = world_.create_config("two");
  world_.create_config("child", owned_by({{"one", one}, {"two", two}}));
  world_.remove(configs, "ns", "one", Propagation::kForeground);
  EXPECT_TRUE(eventually([&] { return !world_.has_config("one"); }));
  EXPECT_EQ(owners_of("child"), 1u);

  // Or it is let go by hand.
  const auto three = world_.create_config("three");
  world_.create_config("held", owned_by({{"three", three}}) + ", finalizers: [example.com/hold]");
  world_.remove(configs, "ns", "three", Propagation::kForeground);
  EXPECT_TRUE(eventually([&] { return world_.get(configs, "ns", "held")->deleting(); }));
  settle();
  EXPECT_TRUE(world_.has_config("three"));
  world_.update(configs, "ns", "held",
                [](json::Value& object) { object.at("metadata").as_object().erase("ownerReferences"); });
  EXPECT_TRUE(eventually([&] { return !world_.has_config("three"); }));
}

TEST_F(GarbageCollectorTest, AnOwnerThatIsTakenOverByAnotherIsLookedAtAgain) {
  collector_.start();
  const auto owner = world_.create_config("owner");
  world_.create_config("child", owned_by({{"owner", owner}}));
  settle();
  world_.update(world_.kind("configmaps"), "ns", "child", [](json::Value& object) {
    object.at("metadata").at("ownerReferences").as_array().at(0).as_object()["uid"] = "nobody";
  });
  EXPECT_TRUE(eventually([&] { return !world_.has_config("child"); }));
}

TEST_F(GarbageCollectorTest, AnOwnerThatNeverWasLeavesNothing) {
  collector_.start();
  world_.create_config("other");
  world_.create_config("lost", owned_by({{"missing", "u-1"}}));
  world_.create_config("mistaken", owned_by({{"other", "not-its-uid"}}));
  EXPECT_TRUE(eventually([&] { return !world_.has_config("lost") && !world_.has_config("mistaken"); }));
  EXPECT_TRUE(world_.has_config("other"));
}

TEST_F(GarbageCollectorTest, AnOwnerOfAnUnknownKindCountsAsThere) {
  collector_.start();
  world_.create_config("child", ", ownerReferences: [{apiVersion: example.com/v1, kind: Thing, name: t, uid: u-1}]");
  settle();
  EXPECT_TRUE(world_.has_config("child"));
}

TEST_F(GarbageCollectorTest, LooksAtWhatHappenedBeforeItsStart) {
  const auto owner = world_.create_config("owner");
  world_.create_config("child", owned_by({{"owner", owner}}));
  const auto waiting = world_.create_config("waiting");
  world_.create_config("part", owned_by({{"waiting", waiting}}));
  world_.remove(world_.kind("configmaps"), "ns", "owner");
  world_.remove(world_.kind("configmaps"), "ns", "waiting", Propagation::kForeground);
  EXPECT_TRUE(world_.has_config("child"));
  collector_.start();
  EXPECT_TRUE(eventually([&] { return !world_.has_config("child") && !world_.has_config("waiting"); }));
  EXPECT_FALSE(world_.has_config("part"));
}

}  // namespace
}  // namespace chandler::apiserver
