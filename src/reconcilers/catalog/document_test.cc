#include "reconcilers/catalog/document.h"

#include <gtest/gtest.h>

#include "controller/fake_api.h"
#include "controller/step.h"
#include "reconcilers/catalog/kinds.h"

namespace chandler::reconcilers {
namespace {

client::Object stored_class() {
  controller::FakeApi api;
  return api.put(kClusterClasses, R"(
apiVersion: servicecatalog.k8s.io/v1beta1
kind: ClusterServiceClass
metadata: {name: a}
spec: {description: a description that is longer than what fits into a value itself})");
}

TEST(Draft, GrowsInMemoryOfItsOwnAndTakesItAlong) {
  const auto object = stored_class();
  Draft draft(kClusterClasses, object);
  draft.status()["removedFromBrokerCatalog"] = true;
  const auto* memory = draft.metadata().storage().get();
  EXPECT_NE(memory, object.value().storage().get()) << "what is read must not grow with each change that is made";
  const auto step = controller::Step::write(std::move(draft).update_status());
  ASSERT_EQ(step.stages.size(), 1u);
  ASSERT_EQ(step.stages[0].size(), 1u);
  EXPECT_EQ(step.stages[0][0].object.storage().get(), memory) << "copied on the way";
  EXPECT_EQ(step.stages[0][0].name, "a");
}

TEST(Draft, KnowsWhetherItDiffers) {
  const auto object = stored_class();
  Draft draft(kClusterClasses, object);
  EXPECT_FALSE(draft.changed());
  draft.set_annotation("key", "value");
  EXPECT_TRUE(draft.changed());
  EXPECT_TRUE(member(object.value(), {"metadata", "annotations"}).is_null()) << "the original stays as it is";
}

}  // namespace
}  // namespace chandler::reconcilers
