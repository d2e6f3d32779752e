// For tests of what keeps the catalog: the engine with the four reconcilers over an API in memory, a broker whose
// answers the test gives, and a clock that stands still. Every document that is written must fit the schema of its
// kind.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "controller/engine_fixture.h"
#include "json/writer.h"
#include "reconcilers/broker/broker_reconciler.h"
#include "reconcilers/catalog/conditions.h"
#include "reconcilers/catalog/document.h"
#include "reconcilers/offers/default_plan_keeper.h"
#include "reconcilers/offers/offer_keeper.h"
#include "reconcilers/secrets/secret_keeper.h"
#include "support/embedded_kinds.h"

namespace chandler::reconcilers::testing {

inline json::Value yaml(std::string_view text) {
  auto parsed = json::parse_yaml(text);
  if (!parsed.ok()) ADD_FAILURE() << parsed.error().message << "\n" << text;
  return parsed.ok() ? std::move(parsed).value() : json::Value();
}

class CatalogWorld : public ::testing::Test {
 protected:
  using Log = std::vector<std::string>;

  CatalogWorld() {
    api.fail_before = [this](const client::Write& write) -> std::optional<Error> {
      check_schema(write);
      return fault ? fault(write) : std::nullopt;
    };
  }

  void start(Settings settings = {}) {
    engine = std::make_unique<controller::Engine>(api, sender, clock, metrics, controller::EngineOptions{});
    engine->add(std::make_unique<BrokerReconciler>(settings));
    engine->add(std::make_unique<OfferKeeper>(settings));
    engine->add(std::make_unique<DefaultPlanKeeper>(settings));
    engine->add(std::make_unique<SecretKeeper>());
    engine->start();
    settle();
  }
  void settle() {
    for (int i = 0; i < 100'000; ++i) {
      if (!engine->turn()) return;
    }
    FAIL() << "never settles";
  }
  void advance(std::chrono::microseconds by) {
    clock.advance(by);
    settle();
  }

  // The broker answers the oldest call.
  void answer(std::string_view catalog, std::string etag = "") {
    auto with = controller::testing::FakeSender::make(200);
    with.body = yaml(catalog);
    with.etag = std::move(etag);
    ASSERT_FALSE(sender.sent.empty()) << "no call was made";
    sender.answer(std::move(with));
    settle();
  }
  void answer_status(int status) {
    ASSERT_FALSE(sender.sent.empty()) << "no call was made";
    sender.answer(status);
    settle();
  }
  // Asks for a relist as `svcat sync` does.
  void request_relist(const client::KindName& kind, std::string_view ns, std::string_view name) {
    edit(kind, ns, name, [](json::Object& root) {
      auto& generation = root["metadata"].as_object()["generation"];
      generation = generation.is_int64() ? generation.as_int64() + 1 : 2;
    });
    settle();
  }

  // As a user changes an object.
  template <typename Change>
  void edit(const client::KindName& kind, std::string_view ns, std::string_view name, Change&& change) {
    const auto object = api.get(kind, ns, name);
    ASSERT_TRUE(object) << name;
    auto value = object.value();
    change(value.as_object());
    api.put(kind, json::write(value));
  }
  void set_deleting(const client::KindName& kind, std::string_view ns, std::string_view name) {
    edit(kind, ns, name,
         [](json::Object& root) { root["metadata"].as_object()["deletionTimestamp"] = "2026-01-01T00:00:00Z"; });
    settle();
  }

  client::Object get(const client::KindName& kind, std::string_view name, std::string_view ns = "") const {
    return api.get(kind, ns, name);
  }
  std::string show(const client::KindName& kind, std::string_view name, std::string_view part,
                   std::string_view ns = "") const {
    const auto object = api.get(kind, ns, name);
    if (!object) return "absent";
    const json::Value* at = &object.value();
    for (const auto piece : split(part, '.')) at = &member(*at, piece);
    return json::write(*at);
  }
  std::string ready(const client::KindName& kind, std::string_view name, std::string_view ns = "") const {
    const auto object = api.get(kind, ns, name);
    const auto* found = object ? condition(status_of(object), kReady) : nullptr;
    return found == nullptr ? "none" : text_at(*found, "status") + " " + text_at(*found, "reason");
  }
  // Writes since the last question, without events.
  Log take_log() {
    Log out;
    for (auto& line : std::exchange(api.log, {})) {
      if (line.find(" events ") == std::string::npos) out.push_back(std::move(line));
    }
    return out;
  }
  // "Warning Reason: message" of all events so far.
  Log events() const {
    Log out;
    for (const auto& event : api.list({"", "events"}, {})) {
      out.push_back(text_at(event.value(), "type") + " " + text_at(event.value(), "reason") + ": " +
                    text_at(event.value(), "message"));
    }
    return out;
  }
  bool has_event(std::string_view part) const {
    for (const auto& event : events()) {
      if (event.find(part) != std::string::npos) return true;
    }
    return false;
  }

  controller::FakeApi api;
  controller::testing::FakeSender sender;
  ::chandler::testing::FakeClock clock;
  metrics::Registry metrics;
  std::unique_ptr<controller::Engine> engine;
  controller::FakeApi::Fail fault;  // fails writes on demand

 private:
  static void check_schema(const client::Write& write) {
    if (write.verb == client::Write::Verb::kDelete || write.kind.plural == "events") return;
    EXPECT_EQ(::chandler::testing::faults_of(write.kind, write.object), "") << write.kind.plural << " " << write.name;
    if (write.verb == client::Write::Verb::kUpdateStatus || write.verb == client::Write::Verb::kUpdate) {
      EXPECT_NE(text_at(member(write.object, "metadata"), "resourceVersion"), "")
          << write.kind.plural << " " << write.name;
    }
  }
};

inline constexpr std::string_view kClusterBroker = R"(
apiVersion: servicecatalog.k8s.io/v1beta1
kind: ClusterServiceBroker
metadata: {name: azure, generation: 1}
spec: {url: "https://azure.example.com"}
)";

// One class with two plans.
inline constexpr std::string_view kCatalog = R"(
services:
  - id: class-1
    name: mysql
    description: A database
    bindable: true
    tags: [ServiceType=mysql, sql]
    metadata: {displayName: MySQL}
    plans:
      - {id: plan-1, name: small, description: Small, tags: [SuggestedPlan=true, Cores=1]}
      - {id: plan-2, name: large, description: Large, free: false}
)";

}  // namespace chandler::reconcilers::testing
