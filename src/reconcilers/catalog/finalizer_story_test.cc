// Removing the finalizer of an instance or binding by hand, against the rules of the real server: what the broker has
// is on record before the object goes, and the controllers still end what they ended before, whatever they are called.
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "controller/engine.h"
#include "reconcilers/binding/binding_reconciler.h"
#include "reconcilers/catalog/abandon.h"
#include "reconcilers/catalog/kinds.h"
#include "reconcilers/fake_broker.h"
#include "reconcilers/instance/instance_reconciler.h"
#include "support/memory_server.h"

namespace chandler::reconcilers::testing {
namespace {

constexpr std::string_view kOffer = R"(
- [clusterservicebrokers, {metadata: {name: azure}, spec: {url: "https://azure.example.com"}}]
- [clusterserviceclasses, {metadata: {name: c1}, spec: {clusterServiceBrokerName: azure, externalID: c1, externalName: mysql,
    description: d, bindable: true, planUpdatable: true}}]
- [clusterserviceplans, {metadata: {name: p1}, spec: {clusterServiceBrokerName: azure, clusterServiceClassRef: {name: c1},
    externalID: p1, externalName: small, description: d, free: true}}]
)";

// Every write is done when the call returns.
class WaitingApi final : public client::Api, private client::Writer {
 public:
  explicit WaitingApi(client::Api& real) : real_(real) {}
  client::State& state() override { return real_.state(); }
  client::Writer& writer() override { return *this; }
  client::Access& access() override { return real_.access(); }

 private:
  void write(client::Write write, Done done) override {
    std::promise<Result<client::Object>> promise;
    real_.writer().write(std::move(write), [&](Result<client::Object> got) { promise.set_value(std::move(got)); });
    done(promise.get_future().get());
  }
  bool writes_both() const override { return real_.writer().writes_both(); }

  client::Api& real_;
};

// The parameter is the service account of the controllers.
class FinalizerStory : public ::testing::TestWithParam<std::string> {
 protected:
  FinalizerStory() {
    for (const auto name : {"dev", "kube-system"}) {
      world.create(kNamespaces, "", fmt::format("metadata: {{name: {}}}", name));
    }
    const auto catalog = json::parse_yaml(kOffer).value();
    for (const auto& row : catalog.as_array()) {
      world.create({"servicecatalog.k8s.io", json::view(row.at(0).as_string())}, "", json::write(row.at(1)));
    }
    settings.cluster_id = "cluster-1";
    settings.checksum_key = resolve::ChecksumKey("0123456789abcdef0123456789abcdef");
    settings.run = "run-1";
    engine.add(std::make_unique<InstanceReconciler>(settings));
    engine.add(std::make_unique<BindingReconciler>(settings));
    engine.start();
    world.create(
        kInstances, "dev",
        "{metadata: {name: db}, spec: {externalID: db, clusterServiceClassName: c1, clusterServicePlanName: p1}}");
    world.create(kBindings, "dev", "{metadata: {name: db}, spec: {externalID: b, instanceRef: {name: db}}}");
    settle();
    EXPECT_EQ(broker.instances.at("db").bindings.size(), 1u);
    broker.calls.clear();
  }

  void settle() {
    for (int i = 0; i < 2'000; ++i) {
      if (!engine.turn()) return;
    }
    FAIL() << "never settles";
  }
  void drop_finalizers(const client::KindName& kind) {
    world.update(kind, "dev", "db", [](json::Object& root) { root["metadata"].as_object().erase("finalizers"); });
  }
  client::Object get(const client::KindName& kind) { return world.state().get(kind, "dev", "db"); }
  // "ServiceBinding INSTANCE-ID BINDING-ID" for what is on record.
  std::vector<std::string> records() {
    std::vector<std::string> out;
    for (const auto& record : world.state().list(kConfigMaps, {std::string(kJournalNamespace), {}})) {
      const auto& data = member(record.value(), "data");
      out.push_back(text_at(data, "kind") + " " + text_at(data, "instanceID") + " " + text_at(data, "bindingID"));
    }
    return out;
  }
  auto both_records() { return ::testing::UnorderedElementsAre("ServiceBinding db b", "ServiceInstance db "); }
  using Lines = std::vector<std::string>;

  ::chandler::testing::MemoryServer world{GetParam()};
  WaitingApi api{world.api()};
  FakeBroker broker;
  metrics::Registry metrics;
  Settings settings;
  controller::Engine engine{api, broker, world.clock, metrics, {}};
};

TEST_P(FinalizerStory, WhatIsBeingDeletedGoesOnceItIsOnRecord) {
  broker.script = [](const osb::Call&) { return std::optional(answer_of(500)); };
  for (const auto& kind : {kBindings, kInstances}) {
    world.remove(kind, "dev", "db");
    settle();
    ASSERT_TRUE(get(kind)) << "the broker does not confirm";
    drop_finalizers(kind);
    ASSERT_TRUE(get(kind)) << "the record comes first";
    settle();
    EXPECT_FALSE(get(kind));
  }
  EXPECT_THAT(records(), both_records());
  EXPECT_EQ(broker.instances.size(), 1u) << "it still has it";
}

TEST_P(FinalizerStory, WhatNobodyDeletesIsMarkedAndStays) {
  drop_finalizers(kInstances);
  drop_finalizers(kBindings);
  settle();
  EXPECT_TRUE(has_finalizer(get(kInstances)));
  EXPECT_EQ(records(), Lines());
  for (const auto& kind : {kBindings, kInstances}) {
    world.remove(kind, "dev", "db");
    settle();
    EXPECT_FALSE(get(kind));
  }
  EXPECT_EQ(broker.take_lines(), Lines()) << "it was abandoned";
  EXPECT_THAT(records(), both_records());
}

TEST_P(FinalizerStory, AnOrdinaryDeletionNeedsNoRecord) {
  for (const auto& kind : {kBindings, kInstances}) {
    world.remove(kind, "dev", "db");
    settle();
    EXPECT_FALSE(get(kind));
  }
  EXPECT_EQ(broker.take_lines(), (Lines{"Unbind db/b", "DeprovisionInstance db"}));
  EXPECT_EQ(records(), Lines());
}

INSTANTIATE_TEST_SUITE_P(Accounts, FinalizerStory,
                         ::testing::Values("service-catalog-controller", "somebody-elses-controller"),
                         [](const auto& account) { return account.index == 0 ? "Ours" : "Another"; });

}  // namespace
}  // namespace chandler::reconcilers::testing
