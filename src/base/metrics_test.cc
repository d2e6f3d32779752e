#include "base/metrics.h"

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace chandler::metrics {
namespace {

using ::testing::HasSubstr;

TEST(Registry, WritesFamiliesInTheOrderOfTheirNames) {
  Registry registry;
  registry.gauge("z_depth", "How deep").with({}).set(-3);
  auto& requests = registry.counter("a_requests_total", "Requests", {"verb", "code"});
  requests.with({"list", "200"}).add();
  requests.with({"get", "404"}).add(2);
  requests.with({"list", "200"}).add(4);
  registry.gauge_function("m_objects", "Objects", [] { return 42; });
  EXPECT_EQ(registry.text(),
            "# HELP a_requests_total Requests\n"
            "# TYPE a_requests_total counter\n"
            "a_requests_total{verb=\"get\",code=\"404\"} 2\n"
            "a_requests_total{verb=\"list\",code=\"200\"} 5\n"
            "# HELP m_objects Objects\n"
            "# TYPE m_objects gauge\n"
            "m_objects 42\n"
            "# HELP z_depth How deep\n"
            "# TYPE z_depth gauge\n"
            "z_depth -3\n");
}

TEST(Registry, ShowsAFamilyWithoutLabelsFromTheStart) {
  Registry registry;
  registry.counter("restarts_total", "Restarts");
  EXPECT_THAT(registry.text(), HasSubstr("\nrestarts_total 0\n"));
}

TEST(Registry, EscapesHelpAndLabelValues) {
  Registry registry;
  registry.counter("a", "back\\slash, \"quote\"\nline", {"path"}).with({"C:\\d \"x\"\n"}).add();
  EXPECT_EQ(registry.text(),
            "# HELP a back\\\\slash, \"quote\"\\nline\n"
            "# TYPE a counter\n"
            "a{path=\"C:\\\\d \\\"x\\\"\\n\"} 1\n");
}

TEST(Registry, AsksGaugeFunctionsEachTime) {
  Registry registry;
  int64_t value = 1;
  registry.gauge_function("a", "A", [&] { return value; });
  EXPECT_THAT(registry.text(), HasSubstr("\na 1\n"));
  value = 2;
  EXPECT_THAT(registry.text(), HasSubstr("\na 2\n"));
}

TEST(Registry, HoldsNoLockWhileAGaugeFunctionRuns) {
  Registry registry;
  int calls = 0;
  registry.gauge_function("a", "A", [&] {
    registry.counter("made_by_call_" + std::to_string(++calls), "M");
    return 1;
  });
  registry.text();
  EXPECT_THAT(registry.text(), HasSubstr("\nmade_by_call_1 0\n"));
}

TEST(Family, GivesTheSameChildForTheSameValues) {
  Registry registry;
  auto& family = registry.counter("a", "A", {"x", "y"});
  EXPECT_EQ(&family.with({"1", "2"}), &family.with({"1", "2"}));
  EXPECT_NE(&family.with({"1", "2"}), &family.with({"2", "1"}));
  EXPECT_NE(&family.with({"a\",y=\"b", ""}), &family.with({"a", "b"})) << "values cannot pose as other labels";
}

TEST(Family, CountsExactlyWhileManyThreadsCreateAndAdd) {
  Registry registry;
  auto& family = registry.counter("a", "A", {"n"});
  auto& latency = registry.histogram("b", "B", {}, {1});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) {
        family.with({std::to_string(i % 10)}).add();
        latency.with({}).observe(0.5);
        if (i % 100 == 0) registry.text();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (int n = 0; n < 10; ++n) EXPECT_EQ(family.with({std::to_string(n)}).value(), 400u);
  EXPECT_THAT(registry.text(), HasSubstr("b_sum 2000\nb_count 4000\n"));
}

TEST(Histogram, CountsUpToAndIncludingEachBound) {
  Histogram histogram({0.5, 1, 2.5});
  for (const double v : {0.1, 0.5, 0.75, 1.0, 100.0}) histogram.observe(v);
  std::string out;
  histogram.write(out, "d_seconds", "verb=\"get\"");
  EXPECT_EQ(out,
            "d_seconds_bucket{verb=\"get\",le=\"0.5\"} 2\n"
            "d_seconds_bucket{verb=\"get\",le=\"1\"} 4\n"
            "d_seconds_bucket{verb=\"get\",le=\"2.5\"} 4\n"
            "d_seconds_bucket{verb=\"get\",le=\"+Inf\"} 5\n"
            "d_seconds_sum{verb=\"get\"} 102.35\n"
            "d_seconds_count{verb=\"get\"} 5\n");
}

TEST(Histogram, NeedsNoLabels) {
  Registry registry;
  registry.histogram("d", "D", {}, {1});
  EXPECT_EQ(registry.text(),
            "# HELP d D\n# TYPE d histogram\n"
            "d_bucket{le=\"1\"} 0\nd_bucket{le=\"+Inf\"} 0\nd_sum 0\nd_count 0\n");
}

TEST(LatencyBounds, DoubleFromFiftyMicrosecondsToAboutAMinute) {
  const auto bounds = latency_bounds();
  ASSERT_GE(bounds.size(), 2u);
  EXPECT_DOUBLE_EQ(bounds.front(), 50e-6);
  EXPECT_NEAR(bounds.back(), 60, 10);
  for (size_t i = 1; i < bounds.size(); ++i) EXPECT_DOUBLE_EQ(bounds[i], 2 * bounds[i - 1]);
}

}  // namespace
TEST(Metrics, FamiliesOfOneNameAreOne) {
  Registry registry;
  registry.counter("runs_total", "Runs.", {"who"}).with({"a"}).add(2);
  registry.counter("runs_total", "Runs.", {"who"}).with({"a"}).add(3);
  const auto text = registry.text();
  EXPECT_THAT(text, ::testing::HasSubstr("runs_total{who=\"a\"} 5\n"));
  EXPECT_EQ(text.find("# HELP"), text.rfind("# HELP"));
}

}  // namespace chandler::metrics
