// The paths that reconcilers use exist in the kinds.
#include "reconcilers/claim/claim_view.h"

#include <gtest/gtest.h>

#include "reconcilers/claim/kinds.h"
#include "resolve/claim_kinds.h"
#include "support/embedded_kinds.h"

namespace chandler::reconcilers::claims {
namespace {

TEST(ClaimView, NamesPathsThatExist) {
  constexpr std::string_view kPaths[] = {"spec.classReference.namespace",
                                         "spec.classReference.name",
                                         "spec.classRef.name",
                                         "spec.classSelector.matchExpressions",
                                         "spec.resourceRef.apiVersion",
                                         "spec.resourceRef.namespace",
                                         "spec.writeConnectionSecretToRef.name",
                                         "status.bindingPhase",
                                         "status.provisioner",
                                         "status.observedGeneration",
                                         "status.resolution.source",
                                         "status.resolution.class.generation",
                                         "status.resolution.class.uid",
                                         "status.resolution.provisioner",
                                         "status.resolution.reclaimPolicy",
                                         "status.resolution.engineVersion",
                                         "status.resolution.candidates",
                                         "status.resolution.candidatesLeftOut",
                                         "status.resolution.message",
                                         "status.resolution.time",
                                         "status.resource.uid",
                                         "status.resource.binding",
                                         "status.resource.static",
                                         "status.resource.time",
                                         "status.credentialsSecret.sourceUID"};
  for (const auto& kind : kBuiltInClaims) {
    for (const auto path : kPaths) EXPECT_TRUE(::chandler::testing::has_path(kind, path)) << kind.plural << " " << path;
    if (kind.plural != "buckets") {
      EXPECT_TRUE(::chandler::testing::has_path(kind, "spec.engineVersion")) << kind.plural;
    }
  }
  for (const auto path : {"provisioner", "parameters", "providerRef.name", "reclaimPolicy", "defaultForClaimKinds",
                          "status.defaultForClaimKinds", "status.conditions"}) {
    EXPECT_TRUE(::chandler::testing::has_path(kResourceClasses, path)) << path;
  }
  EXPECT_TRUE(::chandler::testing::is_selectable(kResourceClasses, "providerRef.name"));
}

// The list of names in src/resolve is the list of kinds here.
TEST(ClaimView, KnowsTheBuiltInKindsByBothNames) {
  std::vector<std::string> names;
  for (const auto& kind : kBuiltInClaims) {
    names.push_back(resolve::claim_kind_name(::chandler::testing::embedded_kind(kind).kind, kind.group));
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, resolve::built_in_claim_kinds());
}

}  // namespace
}  // namespace chandler::reconcilers::claims
