#include "apiserver/housekeeping/crd_controller.h"

#include "apiserver/housekeeping/world_fixture.h"
#include "json/writer.h"

namespace chandler::apiserver {
namespace {

using ::chandler::testing::eventually;

constexpr std::string_view kSchema =
    "{openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}}";

std::string definition(const std::string& plural, const std::string& kind, const std::string& more_names = "",
                       const std::string& version = "v1") {
  return "{metadata: {name: " + plural +
         ".example.com}, spec: {group: example.com, scope: Namespaced, names: {plural: " + plural + ", kind: " + kind +
         more_names + "}, versions: [{name: " + version +
         ", served: true, storage: true, schema: " + std::string(kSchema) + "}]}}";
}

class CrdControllerTest : public ::testing::Test {
 protected:
  CrdControllerTest() {
    world_.follow();
    world_.create_namespace("ns");
    controller_.start();
  }
  ~CrdControllerTest() override {
    controller_.stop();
    world_.store.stop();
  }
  bool established(std::string_view name) {
    return world_.condition(world_.crds(), name, "Established") == "True InitialNamesAccepted";
  }
  registry::KindPtr served(std::string_view plural) { return world_.kinds.current()->find("example.com", plural); }

  testing::World world_;
  CrdController controller_{world_.kinds, world_.cache, world_.objects, world_.clock};
};

TEST_F(CrdControllerTest, AnEstablishedDefinitionIsServed) {
  world_.create(world_.crds(), "", definition("widgets", "Widget"));
  ASSERT_TRUE(eventually([&] { return established("widgets.example.com"); }));
  const auto kind = served("widgets");
  ASSERT_NE(kind, nullptr) << "served before it is called established";
  EXPECT_EQ(world_.condition(world_.crds(), "widgets.example.com", "NamesAccepted"), "True NoConflicts");
  const auto crd = world_.get(world_.crds(), "", "widgets.example.com")->parse();
  EXPECT_EQ(json::string_or(crd.at("status").at("acceptedNames"), "kind"), "Widget");
  EXPECT_EQ(json::write(crd.at("status").at("storedVersions")), R"(["v1"])");
  world_.create(kind, "ns", "{apiVersion: example.com/v1, kind: Widget, metadata: {name: w}, spec: {size: 3}}");
  EXPECT_TRUE(world_.has(kind, "ns", "w"));
}

TEST_F(CrdControllerTest, AChangedDefinitionIsServedAsChanged) {
  world_.create(world_.crds(), "", definition("widgets", "Widget"));
  ASSERT_TRUE(eventually([&] { return established("widgets.example.com"); }));
  world_.update(world_.crds(), "", "widgets.example.com", [](json::Value& crd) {
    auto& versions = crd.at("spec").at("versions").as_array();
    json::Value second = versions[0];
    second.as_object()["name"] = "v2";
    versions[0].as_object()["storage"] = false;
    versions.push_back(std::move(second));
  });
  EXPECT_TRUE(eventually([&] { return served("widgets")->version("v2") != nullptr; }));
  EXPECT_TRUE(eventually([&] {
    return json::write(
               world_.get(world_.crds(), "", "widgets.example.com")->parse().at("status").at("storedVersions")) ==
           R"(["v1","v2"])";
  }));
}

TEST_F(CrdControllerTest, ATakenNameIsAConflict) {
  struct Row {
    std::string name;
    std::string reason;
    std::string definition;
  };
  world_.create(world_.crds(), "", definition("widgets", "Widget", ", shortNames: [wd]"));
  ASSERT_TRUE(eventually([&] { return established("widgets.example.com"); }));
  const std::vector<Row> rows = {
      {"gadgets", "the kind is taken", definition("gadgets", "Widget")},
      {"things", "the short name is taken", definition("things", "Thing", ", shortNames: [wd]")},
      {"boxes", "the singular is taken", definition("boxes", "Box", ", singular: widget")},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name + ": " + row.reason);
    const auto name = row.name + ".example.com";
    world_.create(world_.crds(), "", row.definition);
    EXPECT_TRUE(eventually([&] { return !world_.condition(world_.crds(), name, "Established").empty(); }));
    EXPECT_EQ(world_.condition(world_.crds(), name, "NamesAccepted"), "False NameConflict");
    EXPECT_EQ(world_.condition(world_.crds(), name, "Established"), "False NotAccepted");
    EXPECT_EQ(served(row.name), nullptr);
  }
  EXPECT_TRUE(established("widgets.example.com")) << "the first one keeps its names";
}

TEST_F(CrdControllerTest, ANameThatIsFreeAgainGoesToWhoWaitsForIt) {
  const auto set_short_names = [&](std::string_view name, json::Array names) {
    world_.update(world_.crds(), "", name,
                  [&](json::Value& crd) { crd.at("spec").at("names").as_object()["shortNames"] = names; });
  };
  world_.create(world_.crds(), "", definition("widgets", "Widget", ", shortNames: [wd]"));
  ASSERT_TRUE(eventually([&] { return established("widgets.example.com"); }));
  world_.create(world_.crds(), "", definition("gadgets", "Widget"));
  world_.create(world_.crds(), "", definition("things", "Thing", ", shortNames: [wd]"));
  for (const auto* name : {"gadgets.example.com", "things.example.com"}) {
    ASSERT_TRUE(eventually([&] { return !world_.condition(world_.crds(), name, "Established").empty(); })) << name;
    ASSERT_FALSE(established(name)) << name;
  }

  set_short_names("widgets.example.com", {"wi"});
  EXPECT_TRUE(eventually([&] { return established("things.example.com"); })) << "the short name was given up";
  EXPECT_FALSE(established("gadgets.example.com")) << "the kind was not";
  world_.remove(world_.crds(), "", "widgets.example.com");
  EXPECT_TRUE(eventually([&] { return established("gadgets.example.com"); })) << "its holder is gone";
  EXPECT_NE(served("gadgets"), nullptr);
}

TEST_F(CrdControllerTest, WhatIsServedStaysSoThoughItAsksForATakenName) {
  world_.create(world_.crds(), "", definition("widgets", "Widget", ", shortNames: [wd]"));
  world_.create(world_.crds(), "", definition("things", "Thing"));
  for (const auto* name : {"widgets.example.com", "things.example.com"}) {
    ASSERT_TRUE(eventually([&] { return established(name); })) << name;
  }
  world_.update(world_.crds(), "", "things.example.com",
                [](json::Value& crd) { crd.at("spec").at("names").as_object()["shortNames"] = json::Array{"wd"}; });
  EXPECT_TRUE(eventually(
      [&] { return world_.condition(world_.crds(), "things.example.com", "NamesAccepted") == "False NameConflict"; }));
  EXPECT_TRUE(established("things.example.com")) << "or a restart would take its objects away";
  ASSERT_NE(served("things"), nullptr);
  EXPECT_TRUE(served("things")->short_names.empty());
}

TEST_F(CrdControllerTest, ADeletedDefinitionTakesItsObjectsAndItsKind) {
  world_.create(world_.crds(), "", definition("widgets", "Widget"));
  ASSERT_TRUE(eventually([&] { return established("widgets.example.com"); }));
  const auto kind = served("widgets");
  world_.create(kind, "ns", "{metadata: {name: a}}");
  world_.create(kind, "ns", "{metadata: {name: b}}");
  world_.remove(world_.crds(), "", "widgets.example.com");
  EXPECT_TRUE(eventually([&] { return !world_.has(world_.crds(), "", "widgets.example.com"); }));
  EXPECT_EQ(served("widgets"), nullptr);
  EXPECT_EQ(world_.cache.count(*kind), 0u);

  // Made again it starts from nothing.
  world_.create(world_.crds(), "", definition("widgets", "Widget", "", "v2"));
  ASSERT_TRUE(eventually([&] { return established("widgets.example.com"); }));
  EXPECT_NE(served("widgets")->version("v2"), nullptr);
  EXPECT_EQ(served("widgets")->version("v1"), nullptr);
}

TEST_F(CrdControllerTest, ADeletedDefinitionWaitsForFinalizersOfItsObjects) {
  world_.create(world_.crds(), "", definition("widgets", "Widget"));
  ASSERT_TRUE(eventually([&] { return established("widgets.example.com"); }));
  world_.create(served("widgets"), "ns", "{metadata: {name: held, finalizers: [example.com/hold]}}");
  world_.create(served("widgets"), "ns", "{metadata: {name: free}}");
  world_.remove(world_.crds(), "", "widgets.example.com");
  EXPECT_TRUE(eventually([&] {
    return world_.condition(world_.crds(), "widgets.example.com", "Terminating") == "True InstanceDeletionInProgress";
  }));
  const auto ending = served("widgets");
  ASSERT_NE(ending, nullptr) << "what is left must be reachable";
  EXPECT_TRUE(ending->terminating);
  EXPECT_FALSE(world_.has(ending, "ns", "free"));
  EXPECT_TRUE(world_.get(ending, "ns", "held")->deleting());

  world_.drop_finalizers(ending, "ns", "held");
  EXPECT_TRUE(eventually([&] { return !world_.has(world_.crds(), "", "widgets.example.com"); }));
  EXPECT_EQ(served("widgets"), nullptr);
}

TEST_F(CrdControllerTest, ABuiltInKindIsNotReplaced) {
  const auto before = world_.kinds.current()->find("servicecatalog.k8s.io", "servicebindings");
  ASSERT_NE(before, nullptr);
  world_.create(world_.crds(), "",
                "{metadata: {name: servicebindings.servicecatalog.k8s.io, annotations: {api-approved.kubernetes.io: "
                "'https://example.com'}}, spec: {group: servicecatalog.k8s.io, scope: Namespaced, names: {plural: "
                "servicebindings, kind: ServiceBinding}, versions: [{name: v1, served: true, storage: true, schema: " +
                    std::string(kSchema) + "}]}}");
  const std::string name = "servicebindings.servicecatalog.k8s.io";
  EXPECT_TRUE(eventually([&] { return !world_.condition(world_.crds(), name, "NamesAccepted").empty(); }));
  EXPECT_EQ(world_.condition(world_.crds(), name, "NamesAccepted"), "False NameConflict");
  EXPECT_EQ(world_.kinds.current()->find("servicecatalog.k8s.io", "servicebindings"), before);
}

TEST(CrdPreload, ServesWhatWasEstablishedBefore) {
  testing::World first;
  {
    CrdController controller(first.kinds, first.cache, first.objects, first.clock);
    first.follow();
    controller.start();
    first.create(first.crds(), "", definition("widgets", "Widget"));
    first.create(first.crds(), "", definition("gadgets", "Widget"));
    EXPECT_TRUE(eventually([&] {
      return !first.condition(first.crds(), "widgets.example.com", "Established").empty() &&
             !first.condition(first.crds(), "gadgets.example.com", "Established").empty();
    }));
    controller.stop();
    first.store.stop();
  }
  registry::KindTable kinds;
  metrics::Registry metrics;
  registry::Cache cache(nullptr, metrics);
  ASSERT_TRUE(CrdController::preload(first.store, kinds, cache).ok());
  EXPECT_NE(kinds.current()->find("example.com", "widgets"), nullptr);
  EXPECT_EQ(kinds.current()->find("example.com", "gadgets"), nullptr) << "its names were never accepted";
}

}  // namespace
}  // namespace chandler::apiserver
