#include "reconcilers/usage/usage_story_fixture.h"

namespace chandler::reconcilers::testing {
namespace {

#ifdef NDEBUG
constexpr int kWorkloads = 100;
#else
constexpr int kWorkloads = 30;  // a build with sanitizers takes long for more
#endif
constexpr int kUsageCount = 10 * kWorkloads;

TEST_F(UsageStory, TenUsagesOfEachOfManyWorkloadsWriteEachWorkloadOncePerUsage) {
  apply_usage_kind();
  apply_binding();
  std::vector<std::string> before;
  for (int i = 0; i < kWorkloads; ++i) {
    apply_deployment(fmt::format("w{}", i));
    before.push_back(content(kDeployments, fmt::format("w{}", i)));
  }
  for (int i = 0; i < kUsageCount; ++i) apply_usage(fmt::format("n{}", i), "b", fmt::format("w{}", i % kWorkloads));
  settle();
  for (int i = 0; i < kUsageCount; ++i) ASSERT_EQ(reason(kReady, fmt::format("n{}", i)), "Delivered") << i;
  const auto most = [&] {
    int out = 0;
    for (int i = 0; i < kWorkloads; ++i) out = std::max(out, api.writes[fmt::format("deployments/dev/w{}", i)]);
    return out;
  };
  EXPECT_EQ(most(), kUsageCount / kWorkloads);
  expect_quiet();
  for (int i = 0; i < kUsageCount; ++i) remove(kUsages, fmt::format("n{}", i));
  settle();
  EXPECT_EQ(most(), 2 * kUsageCount / kWorkloads);
  for (int i = 0; i < kWorkloads; ++i) {
    EXPECT_EQ(content(kDeployments, fmt::format("w{}", i)), before[static_cast<size_t>(i)]);
  }
  EXPECT_TRUE(objects.list(kUsages, {}).empty());
  EXPECT_TRUE(objects.list(kPodPresets, {}).empty());
}

}  // namespace
}  // namespace chandler::reconcilers::testing
