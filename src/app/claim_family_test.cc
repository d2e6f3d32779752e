#include "app/claim_family.h"

#include <gtest/gtest.h>

namespace chandler::app {
namespace {

TEST(ClaimOptions, AreRead) {
  const auto usual = claim_settings_of({});
  ASSERT_TRUE(usual.ok());
  EXPECT_EQ(usual->class_namespaces, (std::vector<std::string>{"crossplane-system"}));
  EXPECT_EQ(usual->several_defaults, resolve::TieRule::kReject);
  const auto other = claim_settings_of({" a, b,a", "Priority"});
  ASSERT_TRUE(other.ok());
  EXPECT_EQ(other->class_namespaces, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(other->several_defaults, resolve::TieRule::kPriority);
  EXPECT_TRUE(claim_settings_of({"", "Newest"})->class_namespaces.empty()) << "every namespace for itself";
}

TEST(ClaimOptions, SayWhatIsWrong) {
  EXPECT_NE(claim_settings_of({"a,B c", "Newest"}).error().message.find("--claim-class-namespaces: \"B c\""),
            std::string::npos);
  EXPECT_NE(claim_settings_of({"a", "newest"}).error().message.find("--claim-default-policy: \"newest\""),
            std::string::npos);
}

}  // namespace
}  // namespace chandler::app
