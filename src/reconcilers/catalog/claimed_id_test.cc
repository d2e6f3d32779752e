#include "reconcilers/catalog/claimed_id.h"

#include "reconcilers/reconciler_fixture.h"

namespace chandler::reconcilers::testing {
namespace {

std::string with_id(std::string_view id) {
  return fmt::format(
      "{{clusterServiceClassExternalName: mysql, clusterServicePlanExternalName: small, externalID: '{}'}}", id);
}

const std::string kChosen = with_id("chosen");

class ClaimedId : public CatalogStory {
 protected:
  ClaimedId() {
    register_catalog();
    apply_instance(kChosen);
    finish();
  }
};

TEST_F(ClaimedId, IsFoundByAnIndex) {
  for (const auto& kind : {kInstances, kBindings}) {
    EXPECT_TRUE(::chandler::testing::is_selectable(kind, "spec.externalID.folded")) << kind.plural;
  }
}

TEST_F(ClaimedId, HoldsASecondInstanceBackUntilTheFirstIsGone) {
  apply_instance(kChosen, "other");
  finish();
  EXPECT_EQ(conditions(kInstances, "other"), "Ready=False:ExternalIDInUse");
  EXPECT_EQ(message(kInstances, "other"),
            "spec.externalID \"chosen\" is used by \"mydb\" already; delete that one first, or create this one again "
            "with another ID.");
  expect_quiet();
  remove(kInstances, "mydb");
  finish();
  EXPECT_EQ(conditions(kInstances, "other"), "Ready=True:ProvisionedSuccessfully");
  EXPECT_EQ(broker.instances.size(), 1u);
}

TEST_F(ClaimedId, IsNotFreedByTheEndOfTheSecond) {
  apply_instance(kChosen, "other");
  finish();
  broker.calls.clear();
  remove(kInstances, "other");
  finish();
  EXPECT_EQ(conditions(kInstances, "other"), "gone");
  EXPECT_EQ(broker.take_lines(), Lines());
  EXPECT_EQ(broker.instances.size(), 1u);
}

TEST_F(ClaimedId, HoldsASecondBindingBack) {
  apply_binding("{instanceRef: {name: mydb}, externalID: chosen}", "b");
  finish();
  apply_binding("{instanceRef: {name: mydb}, externalID: chosen}", "c");
  finish();
  EXPECT_EQ(conditions(kBindings, "b"), "Ready=True:InjectedBindResult");
  EXPECT_EQ(conditions(kBindings, "c"), "Ready=False:ExternalIDInUse");
  remove(kBindings, "b");
  finish();
  EXPECT_EQ(conditions(kBindings, "c"), "Ready=True:InjectedBindResult");
}

// Some brokers, and the databases behind them, take IDs that differ in case for the same.
TEST_F(ClaimedId, IgnoresCase) {
  for (const std::string id : {"CHOSEN", "Chosen"}) {
    apply_instance(with_id(id), "other");
    finish();
    EXPECT_EQ(conditions(kInstances, "other"), "Ready=False:ExternalIDInUse") << id;
    EXPECT_EQ(broker.instances.size(), 1u) << id;
    remove(kInstances, "other");
    finish();
    EXPECT_EQ(conditions(kInstances, "other"), "gone") << id;
  }
  apply_instance(with_id("CHOSEN-2"), "other");
  finish();
  EXPECT_EQ(conditions(kInstances, "other"), "Ready=True:ProvisionedSuccessfully") << "that is another ID";
}

TEST_F(ClaimedId, IsFreedRegardlessOfCase) {
  apply_instance(with_id("CHOSEN"), "other");
  finish();
  EXPECT_EQ(conditions(kInstances, "other"), "Ready=False:ExternalIDInUse");
  remove(kInstances, "mydb");
  finish();
  EXPECT_EQ(conditions(kInstances, "other"), "Ready=True:ProvisionedSuccessfully") << "the change wakes it up";
}

TEST_F(ClaimedId, MayBeTheGeneratedOneOfAnother) {
  own_ids = true;
  apply_instance("{clusterServiceClassExternalName: mysql, clusterServicePlanExternalName: small}", "generated");
  finish();
  EXPECT_EQ(conditions(kInstances, "generated"), "Ready=True:ProvisionedSuccessfully");
  const std::string uid(get(kInstances, "generated").uid());
  for (const auto& id : {uid, "UID" + uid.substr(3)}) {
    apply_instance(with_id(id), "other");
    finish();
    EXPECT_EQ(conditions(kInstances, "other"), "Ready=False:ExternalIDInUse") << id;
    remove(kInstances, "other");
    finish();
  }
  EXPECT_EQ(broker.instances.size(), 2u);
}

TEST_F(ClaimedId, OfBindingsIgnoresCase) {
  apply_binding("{instanceRef: {name: mydb}, externalID: chosen}", "b");
  finish();
  apply_binding("{instanceRef: {name: mydb}, externalID: CHOSEN}", "c");
  finish();
  EXPECT_EQ(conditions(kBindings, "b"), "Ready=True:InjectedBindResult");
  EXPECT_EQ(conditions(kBindings, "c"), "Ready=False:ExternalIDInUse");
}

// Where no admission refuses such IDs.
TEST_F(ClaimedId, IsNotSentToABrokerWhenItHoldsCharactersThatUrlsReserve) {
  broker.calls.clear();
  apply_instance(with_id("a/../b"), "other");
  apply_binding("{instanceRef: {name: mydb}, externalID: ..}", "b");
  finish();
  EXPECT_EQ(conditions(kInstances, "other"), "Ready=False:InvalidExternalID");
  EXPECT_EQ(message(kInstances, "other"),
            "spec.externalID \"a/../b\" may contain only letters (A-Z, a-z), digits, '-', '.', '_' and '~'. Delete "
            "this object and create it again with another ID.");
  EXPECT_EQ(conditions(kBindings, "b"), "Ready=False:InvalidExternalID");
  EXPECT_TRUE(has_event("InvalidExternalID"));
  EXPECT_EQ(broker.take_lines(), Lines());
  expect_quiet();
  remove(kInstances, "other");
  remove(kBindings, "b");
  finish();
  EXPECT_EQ(conditions(kInstances, "other"), "gone");
  EXPECT_EQ(conditions(kBindings, "b"), "gone");
  EXPECT_EQ(broker.take_lines(), Lines());
}

// Made before such IDs were refused: they are changed and deleted as ever.
TEST_F(ClaimedId, ThatTheBrokerHasStaysInUseWhateverItHolds) {
  apply_binding("{instanceRef: {name: mydb}, externalID: fine}", "b");
  finish();
  edit_spec(kBindings, "b", [](json::Object& spec) { spec["externalID"] = "a b"; });
  finish();
  EXPECT_EQ(binding_conditions(), "Ready=True:InjectedBindResult");
  broker.calls.clear();
  remove(kBindings, "b");
  finish();
  EXPECT_EQ(binding_conditions(), "gone");
  EXPECT_EQ(broker.take_lines(), Lines{"Unbind chosen/fine"});

  auto entry = broker.instances.extract("chosen");
  entry.key() = "a b";
  broker.instances.insert(std::move(entry));
  edit_spec(kInstances, "mydb", [](json::Object& spec) {
    spec["externalID"] = "a b";
    spec["updateRequests"] = 1;
  });
  finish();
  EXPECT_EQ(conditions(), "Ready=True:InstanceUpdatedSuccessfully");
  remove(kInstances, "mydb");
  finish();
  EXPECT_EQ(conditions(), "gone");
  EXPECT_TRUE(broker.instances.empty());
}

}  // namespace
}  // namespace chandler::reconcilers::testing
