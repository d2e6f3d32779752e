// The harness proves itself on a reconciler of fifty lines: ConfigMaps that each stand for one instance at a broker. A
// careful one passes with every fault there is; a careless one is found out.
#include <gtest/gtest.h>

#include "controller/reconciler.h"
#include "simulation/sim_world.h"

namespace chandler::simulation {
namespace {

using controller::Step;
using osb::Consequence;
using std::chrono::hours;
using std::chrono::seconds;

constexpr client::KindName kMaps{"", "configmaps"};
constexpr client::KindName kNamespaces{"", "namespaces"};
constexpr std::string_view kFinalizer = "example.com/toy";

class ToyReconciler final : public controller::Reconciler {
 public:
  explicit ToyReconciler(bool careless) : careless_(careless) {}
  std::string_view name() const override { return "toy"; }
  std::vector<client::KindName> kinds() const override { return {kMaps}; }
  std::vector<client::KindName> reads() const override { return {}; }

  Step reconcile(const client::KindName&, const client::Object& object, controller::View& view) const override {
    const auto intent = datum(object, "intent");
    if (object.deleting()) {
      if (intent != "delete") return set(object, "delete");
      if (!finished(view, "delete") && !(careless_ && view.outcome() != nullptr)) return go_on(object, view, intent);
      auto value = object.value();
      value.at("metadata").as_object().erase("finalizers");
      return write(object, std::move(value));
    }
    if (!object.document().has_finalizers()) {
      auto value = object.value();
      value.at("metadata").as_object()["finalizers"] = json::Array{std::string(kFinalizer)};
      return write(object, std::move(value));
    }
    if (intent.empty() || (intent == "clean" && finished(view, "clean"))) return set(object, "make");
    if (intent == "made" || intent == "refused") return Step::done();
    if (intent == "make" && view.outcome() != nullptr && view.outcome()->intent == "make") {
      switch (osb::judge(view.outcome()->call, view.outcome()->answer).consequence) {
        case Consequence::kDone:
          return set(object, "made");
        case Consequence::kRejected:
          return set(object, "refused");
        case Consequence::kCleanUp:
          return set(object, careless_ ? "make" : "clean");
        default:
          break;
      }
    }
    return go_on(object, view, intent);
  }

 private:
  static std::string datum(const client::Object& object, std::string_view key) {
    const auto* data = json::find(object.value(), "data");
    return data == nullptr ? "" : json::string_or(*data, key);
  }
  static bool finished(const controller::View& view, std::string_view intent) {
    const auto* outcome = view.outcome();
    return outcome != nullptr && outcome->intent == intent &&
           osb::judge(outcome->call, outcome->answer).consequence == Consequence::kDone;
  }
  static Step write(const client::Object& object, json::Value value) {
    client::Write write;
    write.kind = kMaps;
    write.ns = object.ns();
    write.name = object.name();
    write.object = std::move(value);
    return Step::write(std::move(write));
  }
  static Step set(const client::Object& object, std::string_view intent) {
    auto value = object.value();
    value.as_object()["data"].as_object()["intent"] = std::string(intent);
    return write(object, std::move(value));
  }
  // Carries the stored intent out; after an answer that settled nothing, a little later.
  static Step go_on(const client::Object& object, const controller::View& view, const std::string& intent) {
    if (view.outcome() != nullptr) return Step::wait_until(view.now() + seconds(5));
    Step step;
    step.call.emplace();
    step.call->lane = "north";
    step.call->endpoint.url = SimNetwork::url_of("north");
    step.call->intent = intent;
    auto& call = step.call->call;
    call.method = intent == "make" ? osb::Method::kProvision : osb::Method::kDeprovision;
    call.instance_id = datum(object, "id");
    call.service_id = "north-sync";
    call.plan_id = "north-sync-free";
    if (intent == "make")
      call.body = json::Object{{"service_id", call.service_id},
                               {"plan_id", call.plan_id},
                               {"context", json::Object{{"namespace", std::string(object.ns())},
                                                        {"instance_name", std::string(object.name())}}}};
    return step;
  }

  const bool careless_;
};

// Creates and deletes maps at random while everything goes wrong, then lets it calm down.
class ToyRun {
 public:
  ToyRun(uint64_t seed, bool careless)
      : world(seed, FaultRates{.queues = false},  // it deletes once
              [careless](controller::Engine& engine) { engine.add(std::make_unique<ToyReconciler>(careless)); }) {
    broker = &world.network.add("north");
    EXPECT_TRUE(world.create(kNamespaces, "", "{metadata: {name: dev}}").ok());
    for (int i = 0; i < 60; ++i) {
      const std::string name = fmt::format("m{}", world.random.below(8));
      if (world.get(kMaps, "dev", name)) {
        (void)world.remove(kMaps, "dev", name);
      } else {
        (void)world.create(kMaps, "dev",
                           fmt::format("{{metadata: {{name: {}, finalizers: [{}]}}, data: {{id: {}-{}}}}}", name,
                                       kFinalizer, name, i));
      }
      world.run_for(seconds(world.random.below(90)));
    }
    world.faults.end();
    world.run_for(hours(1));
  }
  // Everything in the ledger is known, and the other way round.
  std::string difference() const {
    std::string out;
    auto left = broker->ledger();
    for (const auto& object : const_cast<SimWorld&>(world).list(kMaps)) {
      const auto& data = object.value().at("data");
      const bool expected = json::string_or(data, "intent") == "made";
      const bool found = left.erase(json::string_or(data, "id")) > 0;
      if (expected != found) out += fmt::format("{} {}\n", object.name(), expected ? "is missing" : "was left");
    }
    for (const auto& [id, instance] : left) out += id + " belongs to nobody\n";
    for (const auto& violation : broker->violations()) out += violation + "\n";
    return out;
  }

  SimWorld world;
  SimBroker* broker = nullptr;
};

TEST(ToySimulation, NothingIsLostDoubledOrStranded) {
  size_t restarts = 0;
  for (uint64_t seed = 1; seed <= 25; ++seed) {
    ToyRun run(seed, false);
    ASSERT_EQ(run.difference(), "") << "seed " << seed << "\n" << run.world.trace.tail();
    restarts += run.world.restarts;
    for (const auto& object : run.world.list(kMaps)) (void)run.world.remove(kMaps, "dev", object.name());
    run.world.run_for(hours(1));
    ASSERT_TRUE(run.broker->ledger().empty()) << "seed " << seed << "\n" << run.world.trace.tail();
    ASSERT_TRUE(run.world.list(kMaps).empty()) << "seed " << seed;
  }
  EXPECT_GT(restarts, 25u) << "the process died often enough to prove something";
}

TEST(ToySimulation, TheSameSeedIsTheSameStory) {
  for (uint64_t seed = 100; seed < 103; ++seed) {
    const ToyRun first(seed, false);
    const ToyRun second(seed, false);
    ASSERT_EQ(first.world.trace.lines(), second.world.trace.lines()) << "seed " << seed;
  }
  EXPECT_NE(ToyRun(1, false).world.trace.digest(), ToyRun(2, false).world.trace.digest());
}

TEST(ToySimulation, FindsACarelessReconciler) {
  std::string found;
  for (uint64_t seed = 1; seed <= 10; ++seed) found += ToyRun(seed, true).difference();
  EXPECT_NE(found, "");
}

}  // namespace
}  // namespace chandler::simulation
