// For tests that tell lives of bindings: a catalog is there, and an instance when it is needed.
#pragma once

#include <string>

#include "reconcilers/reconciler_fixture.h"

namespace chandler::reconcilers::testing {

inline const std::string kSmallSpec = "{clusterServiceClassExternalName: mysql, clusterServicePlanExternalName: small}";

class BindingStory : public CatalogStory {
 protected:
  BindingStory() { register_catalog(); }
  void provision() {
    apply_instance(kSmallSpec);
    settle();
    ASSERT_EQ(conditions(), "Ready=True:ProvisionedSuccessfully");
  }
  void bind(std::string_view spec = "{instanceRef: {name: mydb}}") {
    if (!get(kInstances, "mydb")) provision();
    apply_binding(spec);
    finish();
    ASSERT_EQ(binding_conditions(), "Ready=True:InjectedBindResult") << all_conditions();
    broker.calls.clear();
  }
  size_t bindings_at_broker() { return broker.instances["id-mydb"].bindings.size(); }
};

}  // namespace chandler::reconcilers::testing
