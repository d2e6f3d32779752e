// The service catalog under every fault there is. A failing seed is repeated with
//   simulation --gtest_filter='CatalogSimulation.*' and CHANDLER_SEED=<n>, CHANDLER_SEEDS=1 in the environment.
#include <cstdlib>
#include <fstream>
#include <set>

#include <gtest/gtest.h>

#include "base/text.h"
#include "reconcilers/catalog/kinds.h"
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

TEST(CatalogSimulation, WithoutFaultsThingsBecomeReady) {
  size_t instances = 0;
  size_t bindings = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    CatalogRun run(seed, FaultRates{0, 0, 0});
    for (const auto& [url, broker] : run.world.network.brokers()) broker->set_fails(false);
    run.act(60);
    run.calm_down();
    ASSERT_EQ(run.faults_at_rest(), "") << "seed " << seed << "\n" << story(run);
    instances += run.ready(reconcilers::kInstances);
    bindings += run.ready(reconcilers::kBindings);
    run.delete_everything();
    ASSERT_EQ(run.leftovers(), "") << "seed " << seed << "\n" << story(run);
  }
  EXPECT_GT(instances, 20u);
  EXPECT_GT(bindings, 20u);
}

TEST(CatalogSimulation, NothingIsLostDoubledOrStranded) {
  const uint64_t first = from_environment("CHANDLER_SEED", 1);
  const uint64_t count = from_environment("CHANDLER_SEEDS", 20);
  for (uint64_t seed = first; seed < first + count; ++seed) {
    CatalogRun run(seed, FaultRates{});
    ASSERT_EQ(run.play(), "") << "seed " << seed << "\n" << story(run);
  }
}

// Whatever is told below did happen, so it was looked at.
TEST(CatalogSimulation, EverySortOfThingHappens) {
  std::set<std::string> told;
  for (uint64_t seed = 1; seed <= 80; ++seed) {
    CatalogRun run(seed, FaultRates{});
    run.act(60);
    run.calm_down();
    told.insert(run.events().begin(), run.events().end());
  }
  for (const std::string_view reason : {"Abandoned",
                                        "BindCallFailed",
                                        "DefaultParametersApplied",
                                        "DefaultPlanSet",
                                        "DefaultPlanUnset",
                                        "DeletedClusterServiceBrokerSuccessfully",
                                        "DeletedSuccessfully",
                                        "DeletionBlockedByInstances",
                                        "DeprovisionBlockedByExistingCredentials",
                                        "DeprovisionCallFailed",
                                        "ErrorInjectingBindResult",
                                        "ErrorWithParameters",
                                        "ExternalIDInUse",
                                        "InstanceUpdatedSuccessfully",
                                        "NoDefaultPlan",
                                        "OrphanMitigationSuccessful",
                                        "PlanChosen",
                                        "ReferencesDeletedServicePlan",
                                        "RemovalRepeated",
                                        "ServiceBindingNeedsOrphanMitigation",
                                        "ServiceBindingsDeletion",
                                        "StartingInstanceOrphanMitigation",
                                        "UnbindCallFailed",
                                        "UpdateInstanceCallFailed"}) {
    EXPECT_TRUE(told.contains(std::string(reason))) << reason;
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
