// Kinds that turn out at run time: read late, taken care of late, not fetched yet.
#include <gmock/gmock.h>

#include "client/kind_names.h"
#include "controller/engine_fixture.h"

namespace chandler::controller::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr client::KindName kDefinitions{"apiextensions.k8s.io", "customresourcedefinitions"};
const client::KindName kLate = client::intern_kind("late.io", "gadgets");

registry::KindPtr gadgets() {
  auto kind = std::make_shared<registry::Kind>();
  kind->group = "late.io";
  kind->plural = "gadgets";
  kind->singular = "gadget";
  kind->kind = "Gadget";
  kind->short_names = {"gd"};
  registry::Version version;
  version.name = "v1";
  version.storage = true;
  kind->versions.push_back(std::move(version));
  kind->finish();
  return kind;
}

void define(FakeApi& api) {
  api.served.push_back(gadgets());
  api.put(kDefinitions, "{kind: CustomResourceDefinition, metadata: {name: gadgets.late.io}}");
}

void put_gadget(FakeApi& api, std::string_view name) {
  api.put(kLate, fmt::format("{{kind: Gadget, metadata: {{name: {}, namespace: dev}}}}", name));
}

TEST_F(EngineTest, AKindThatNobodyDeclaredIsFollowedOnceItIsRead) {
  start([](const client::Object&, View& view) {
    view.get(kLate, "dev", "g");
    return Step::done();
  });
  put_thing("a");
  settle();
  take_runs();
  put_gadget(api, "g");
  settle();
  EXPECT_THAT(take_runs(), ElementsAre("a"));
  put_gadget(api, "other");
  settle();
  EXPECT_THAT(take_runs(), IsEmpty());
}

TEST_F(EngineTest, WhatNeedsNoLookGetsOneOnlyAfterItDid) {
  put_thing("plain-before");
  put_thing("busy-before", "spec: {busy: true}");
  const auto is_busy = [](const client::Object& object) { return json::find(object.value(), "spec") != nullptr; };
  start([](const client::Object&, View&) { return Step::done(); }, {}, is_busy);
  put_thing("plain");
  put_thing("busy", "spec: {busy: true}");
  settle();
  EXPECT_THAT(take_runs(), ElementsAre("busy-before", "busy"));
  put_thing("plain", "spec: {busy: true}");
  put_thing("busy");
  settle();
  EXPECT_THAT(take_runs(), ElementsAre("plain", "busy")) << "what was looked at may have something to let go";
}

TEST_F(EngineTest, AWriteIsFollowedByARunThatSaysWhatItDependsOn) {
  start([](const client::Object& object, View& view) {
    const bool is_there = static_cast<bool>(view.get(kParts, "dev", "wheel"));
    const auto wanted = is_there ? "complete" : "waiting";
    return phase_of(object) == wanted ? Step::done() : Step::write(to_phase(object, wanted));
  });
  put_thing("a");
  settle();
  EXPECT_EQ(phase("a"), "waiting");
  put_part("wheel", "red");
  settle();
  EXPECT_EQ(phase("a"), "complete");
}

TEST_F(EngineTest, WhoLookedForAKindIsRunAgainWhenADefinitionComes) {
  std::vector<std::string> found;
  start([&](const client::Object&, View& view) {
    const auto kind = view.find_kind("late.io", "v2", "GD");
    found.push_back(!kind ? "none" : fmt::format("{} {} {}", kind->kind, kind->version, kind->exact_version));
    return Step::done();
  });
  put_thing("a");
  settle();
  define(api);
  settle();
  EXPECT_THAT(found, ElementsAre("none", "Gadget v1 false"));
}

TEST_F(EngineTest, NothingIsDecidedOnAKindThatIsStillBeingFetched) {
  api.unlisted.insert(kLate);
  start([](const client::Object& object, View& view) {
    return view.get(kLate, "dev", "g") ? Step::done() : Step::write(to_phase(object, "gone"));
  });
  put_thing("a");
  settle();
  EXPECT_EQ(phase("a"), "") << "what is not known yet is not absent";
  EXPECT_TRUE(engine->next_due().has_value());
  api.unlisted.clear();
  advance(std::chrono::seconds(1));  // nothing of the kind came, so nothing woke it
  EXPECT_EQ(phase("a"), "gone");
}

// Takes care of gadgets while there is a definition of them.
class LateKeeper final : public Reconciler {
 public:
  explicit LateKeeper(std::vector<std::string>& runs) : runs_(runs) {}
  std::string_view name() const override { return "late"; }
  std::vector<client::KindName> kinds() const override { return {}; }
  std::vector<client::KindName> reads() const override { return {kDefinitions}; }
  std::vector<client::KindName> kinds_of(const client::State& state) const override {
    const auto kind = state.find_kind("late.io", "", "Gadget");
    return kind ? std::vector{kind->name} : std::vector<client::KindName>{};
  }
  Step reconcile(const client::KindName&, const client::Object& object, View&) const override {
    runs_.emplace_back(object.name());
    return Step::done();
  }

 private:
  std::vector<std::string>& runs_;
};

TEST_F(EngineTest, KindsToTakeCareOfComeAndGoWithTheirDefinitions) {
  engine = std::make_unique<Engine>(api, sender, clock, metrics, EngineOptions{});
  engine->add(std::make_unique<LateKeeper>(runs));
  engine->start();
  put_gadget(api, "early");
  settle();
  EXPECT_THAT(take_runs(), IsEmpty());
  define(api);
  settle();
  EXPECT_THAT(take_runs(), ElementsAre("early"));
  put_gadget(api, "late");
  settle();
  EXPECT_THAT(take_runs(), ElementsAre("late"));
  api.served.clear();
  api.remove(kDefinitions, "", "gadgets.late.io");
  put_gadget(api, "stray");
  settle();
  EXPECT_THAT(take_runs(), IsEmpty());
}

}  // namespace
}  // namespace chandler::controller::testing
