// For tests that tell lives of instances: a catalog is there, and most instances are small.
#pragma once

#include <string>

#include "reconcilers/reconciler_fixture.h"

namespace chandler::reconcilers::testing {

inline const std::string kSmall = "clusterServiceClassExternalName: mysql, clusterServicePlanExternalName: small";

class InstanceStory : public CatalogStory {
 protected:
  InstanceStory() { register_catalog(); }
  void provision(const std::string& more = "") {
    apply_instance("{" + kSmall + more + "}");
    finish();
    ASSERT_EQ(conditions(), "Ready=True:ProvisionedSuccessfully");
    broker.calls.clear();
  }
};

}  // namespace chandler::reconcilers::testing
