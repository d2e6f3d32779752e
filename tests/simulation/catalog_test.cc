// The service catalog under every fault there is. A failing seed is repeated with
//   simulation --gtest_filter='CatalogSimulation.*' and CHANDLER_SEED=<n>, CHANDLER_SEEDS=1 in the environment.
#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

#include "base/text.h"
#include "simulation/catalog_run.h"

namespace chandler::simulation {
namespace {

uint64_t from_environment(const char* name, uint64_t fallback) {
  const char* text = std::getenv(name);
  return text == nullptr ? fallback : parse_uint64(text).value_or(fallback);
}

std::string story(const CatalogRun& run) {
  if (const char* file = std::getenv("CHANDLER_TRACE")) {
    std::ofstream out(file);
    for (const auto& line : run.world.trace.lines()) out << line << "\n";
    return std::string("the whole story is in ") + file;
  }
  return run.world.trace.tail();
}

TEST(CatalogSimulation, WithoutFaultsEverythingBecomesReady) {
  CatalogRun run(7, FaultRates{0, 0, 0});
  for (const auto& [url, broker] : run.world.network.brokers()) broker->set_fails(false);
  run.act(60);
  run.calm_down();
  EXPECT_EQ(run.faults_at_rest(), "") << story(run);
  EXPECT_GT(run.ready_instances(), 0u) << story(run);
  EXPECT_GT(run.ready_bindings(), 0u) << story(run);
  run.delete_everything();
  EXPECT_EQ(run.leftovers(), "") << story(run);
}

TEST(CatalogSimulation, NothingIsLostDoubledOrStranded) {
  const uint64_t first = from_environment("CHANDLER_SEED", 1);
  const uint64_t count = from_environment("CHANDLER_SEEDS", 20);
  for (uint64_t seed = first; seed < first + count; ++seed) {
    CatalogRun run(seed, FaultRates{});
    run.act(60);
    run.calm_down();
    ASSERT_EQ(run.faults_at_rest(), "") << "seed " << seed << "\n" << story(run);
    run.delete_everything();
    ASSERT_EQ(run.leftovers(), "") << "seed " << seed << "\n" << story(run);
  }
}

TEST(CatalogSimulation, TheSameSeedIsTheSameStory) {
  const auto tell = [](uint64_t seed) {
    CatalogRun run(seed, FaultRates{});
    run.act(25);
    return run.world.trace.lines();
  };
  for (uint64_t seed = 500; seed < 502; ++seed) {
    const auto first = tell(seed);
    const auto second = tell(seed);
    for (size_t i = 0; i < std::min(first.size(), second.size()); ++i) ASSERT_EQ(first[i], second[i]) << "line " << i;
    EXPECT_EQ(first.size(), second.size());
  }
}

}  // namespace
}  // namespace chandler::simulation
