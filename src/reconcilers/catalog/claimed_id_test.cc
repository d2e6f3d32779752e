#include "reconcilers/catalog/claimed_id.h"

#include "reconcilers/reconciler_fixture.h"

namespace chandler::reconcilers::testing {
namespace {

const std::string kChosen =
    "{clusterServiceClassExternalName: mysql, clusterServicePlanExternalName: small, externalID: chosen}";

class ClaimedId : public CatalogStory {
 protected:
  ClaimedId() {
    register_catalog();
    apply_instance(kChosen);
    finish();
  }
};

TEST_F(ClaimedId, HoldsASecondInstanceBackUntilTheFirstIsGone) {
  apply_instance(kChosen, "other");
  finish();
  EXPECT_EQ(conditions(kInstances, "other"), "Ready=False:ExternalIDInUse");
  EXPECT_EQ(message(kInstances, "other"),
            "spec.externalID \"chosen\" is used by \"mydb\" already; delete that one first, or create this one anew "
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

}  // namespace
}  // namespace chandler::reconcilers::testing
