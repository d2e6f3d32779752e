#include "reconcilers/volume/local_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/fake_api.h"
#include "reconcilers/catalog/document.h"

namespace chandler::reconcilers {
namespace {

using ::testing::HasSubstr;

class LocalOrderTest : public ::testing::Test {
 protected:
  LocalOrderTest() {
    settings.pools = {{"one", "east"}, {"two", "west"}, {"three", "west"}};
    settings.has_images = true;
  }
  OrderDecision decide(const std::string& storage_class, const std::string& claim = "selector: null",
                       const std::string& zone_of_node = "") {
    const auto made = api.put(
        kStorageClasses, fmt::format("{{metadata: {{name: c}}, provisioner: chandler.io/local, {}}}", storage_class));
    const auto asked = api.put(kClaims, fmt::format("{{metadata: {{name: data, namespace: dev, uid: u1}}, spec: "
                                                    "{{accessModes: [ReadWriteOnce], resources: {{requests: {{storage: "
                                                    "1500m}}}}, {}}}}}",
                                                    claim));
    const auto node = zone_of_node.empty()
                          ? client::Object()
                          : api.put(kNodes, fmt::format("{{metadata: {{name: n, labels: {{topology.kubernetes.io/zone: "
                                                        "{}}}}}}}",
                                                        zone_of_node));
    return decide_order(settings, asked, made, node);
  }

  VolumeSettings settings;
  controller::FakeApi api;
};

struct Row {
  std::string name, storage_class, claim, pool, form, mode;
};

TEST_F(LocalOrderTest, FollowsClassAndClaim) {
  const std::string zone = "topology.kubernetes.io/zone";
  const Row rows[] = {
      {"the pool of the class", "parameters: {pool: two}", "selector: {}", "two", "directory", "0770"},
      {"the zone of the class", "parameters: {zone: east}", "selector: null", "one", "directory", "0770"},
      {"topologies", "allowedTopologies: [{matchLabelExpressions: [{key: " + zone + ", values: [east]}]}]",
       "selector: null", "one", "directory", "0770"},
      {"form and mode", "parameters: {zone: east, form: image, mode: '0700'}", "selector: null", "one", "image",
       "0700"},
      {"form of the claim", "parameters: {zone: east}, selectorOptions: [{key: storage.chandler.io/form}]",
       "selector: {matchExpressions: [{key: storage.chandler.io/form, operator: NotIn, values: [directory]}]}", "one",
       "image", "0770"},
      {"form not mentioned", "parameters: {zone: east}, selectorOptions: [{key: storage.chandler.io/form}]",
       "selector: null", "one", "directory", "0770"},
      {"the old name of zones", "selectorOptions: [{key: failure-domain.beta.kubernetes.io/zone}]",
       "selector: {matchLabels: {failure-domain.beta.kubernetes.io/zone: east}}", "one", "directory", "0770"},
  };
  for (const auto& row : rows) {
    const auto decision = decide(row.storage_class, row.claim);
    ASSERT_TRUE(decision.order) << row.name << ": " << decision.message;
    EXPECT_EQ(decision.order->pool, row.pool) << row.name;
    EXPECT_EQ(decision.order->form, row.form) << row.name;
    EXPECT_EQ(decision.order->mode, row.mode) << row.name;
    EXPECT_EQ(decision.order->bytes, 2u) << row.name << ": one and a half bytes need two";
    EXPECT_EQ(decision.order->labels.at(zone), row.pool == "one" ? "east" : "west") << row.name;
  }
}

TEST_F(LocalOrderTest, SaysWhyThereIsNone) {
  settings.has_images = false;
  EXPECT_THAT(decide("parameters: {form: image}").message, HasSubstr("no value of storage.chandler.io/form"));
  EXPECT_THAT(decide("parameters: {form: tape}").message, HasSubstr("there are directory and image"));
  EXPECT_THAT(decide("parameters: {mode: '4777'}").message, HasSubstr("octal"));
  EXPECT_THAT(decide("parameters: {zones: 'north'}").message, HasSubstr("ClassConflict"));
  EXPECT_THAT(
      decide("selectorOptions: [{key: topology.kubernetes.io/zone}, {key: failure-domain.beta.kubernetes.io/zone}]",
             "selector: {matchLabels: {topology.kubernetes.io/zone: east, "
             "failure-domain.beta.kubernetes.io/zone: west}}")
          .message,
      HasSubstr("the same property"));
  EXPECT_THAT(decide("volumeBindingMode: Immediate", "volumeMode: Block").message, HasSubstr("Block"));
}

TEST_F(LocalOrderTest, AnotherNodeIsTheRemedyForAnotherZone) {
  EXPECT_EQ(decide("volumeBindingMode: WaitForFirstConsumer", "selector: null", "east").order->pool, "one");
  const auto decision = decide("volumeBindingMode: WaitForFirstConsumer", "selector: null", "north");
  EXPECT_FALSE(decision.order);
  EXPECT_TRUE(decision.reschedule);
  EXPECT_FALSE(decide("parameters: {pool: none}", "selector: null", "east").reschedule);
}

TEST_F(LocalOrderTest, IsReadBackAsItWasWritten) {
  const auto order = decide("parameters: {pool: two}").order;
  ASSERT_TRUE(order);
  EXPECT_EQ(LocalOrder::read(order->text()), order);
  for (const auto* text :
       {"", "[]", "{}", R"({"pool":"p","bytes":-1,"mode":"0770"})", R"({"pool":"p","bytes":1,"mode":"rwx"})"}) {
    EXPECT_EQ(LocalOrder::read(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace chandler::reconcilers
