#include "meta/gvk.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

namespace chandler::meta {
namespace {

TEST(GroupVersion, ParsesBothForms) {
  EXPECT_EQ(*GroupVersion::parse("v1"), (GroupVersion{"", "v1"}));
  EXPECT_EQ(*GroupVersion::parse("apps/v1"), (GroupVersion{"apps", "v1"}));
  EXPECT_EQ(GroupVersion::parse("apps/v1")->str(), "apps/v1");
  EXPECT_EQ(GroupVersion::parse("v1")->str(), "v1");
}

TEST(GroupVersion, RefusesTwoSlashesAndAMissingVersion) {
  EXPECT_EQ(GroupVersion::parse("a/b/c").error().reason, Reason::kBadRequest);
  EXPECT_FALSE(GroupVersion::parse("apps/").ok());
}

TEST(Version, PreferenceIsStableThenBetaThenAlphaThenNames) {
  std::vector<std::string> versions = {"zeta", "v1alpha2", "v10",      "v2",        "v1beta1", "v1",
                                       "foo1", "v2beta1",  "v1beta10", "v11alpha1", "v1beta2", "v0"};
  std::sort(versions.begin(), versions.end(), version_before);
  EXPECT_EQ(versions, (std::vector<std::string>{"v10", "v2", "v1", "v2beta1", "v1beta10", "v1beta2", "v1beta1",
                                                "v11alpha1", "v1alpha2", "foo1", "v0", "zeta"}));
}

}  // namespace
}  // namespace chandler::meta
