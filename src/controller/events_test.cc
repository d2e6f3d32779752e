#include "controller/events.h"

#include <gmock/gmock.h>

#include "controller/fake_api.h"
#include "support/fake_clock.h"

namespace chandler::controller {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr client::KindName kEvents{"", "events"};
constexpr client::KindName kInstances{"servicecatalog.k8s.io", "serviceinstances"};

class EventsTest : public ::testing::Test {
 protected:
  client::Object instance(std::string_view name, std::string_view ns = "dev") {
    return api.put(kInstances, fmt::format("{{apiVersion: servicecatalog.k8s.io/v1beta1, kind: ServiceInstance, "
                                           "metadata: {{name: {}, namespace: '{}'}}}}",
                                           name, ns));
  }
  std::vector<client::Object> events() const { return api.list(kEvents, {}); }
  json::Value only() const {
    const auto all = events();
    EXPECT_THAT(all, SizeIs(1));
    return all.empty() ? json::Value() : all.front().value();
  }

  FakeApi api;
  ::chandler::testing::FakeClock clock;
  EventLimits limits;
};

TEST_F(EventsTest, SaysWhatHappenedToWhatWhenAndWhoSaysSo) {
  EventRecorder recorder(api, clock, "service-catalog-controller-manager");
  const auto db = instance("db");
  recorder.record(db, {true, "ProvisionCallFailed", "the broker said no"});
  const auto event = only();
  EXPECT_THAT(json::string_or(event.at("metadata"), "name"), StartsWith("db."));
  EXPECT_EQ(json::string_or(event.at("metadata"), "namespace"), "dev");
  const auto& involved = event.at("involvedObject");
  EXPECT_EQ(json::string_or(involved, "apiVersion"), "servicecatalog.k8s.io/v1beta1");
  EXPECT_EQ(json::string_or(involved, "kind"), "ServiceInstance");
  EXPECT_EQ(json::string_or(involved, "namespace"), "dev");
  EXPECT_EQ(json::string_or(involved, "name"), "db");
  EXPECT_EQ(json::string_or(involved, "uid"), db.uid());
  EXPECT_EQ(json::string_or(involved, "resourceVersion"), db.resource_version());
  EXPECT_EQ(json::string_or(event, "type"), "Warning");
  EXPECT_EQ(json::string_or(event, "reason"), "ProvisionCallFailed");
  EXPECT_EQ(json::string_or(event, "message"), "the broker said no");
  EXPECT_EQ(json::string_or(event.at("source"), "component"), "service-catalog-controller-manager");
  EXPECT_EQ(json::string_or(event, "reportingComponent"), "service-catalog-controller-manager");
  EXPECT_EQ(json::string_or(event, "firstTimestamp"), "2023-11-14T22:13:20Z");
  EXPECT_EQ(event.at("count").as_int64(), 1);
}

TEST_F(EventsTest, TheSameNoteSoonAfterIsACount) {
  EventRecorder recorder(api, clock, "c");
  const auto db = instance("db");
  recorder.record(db, {true, "Failed", "no"});
  clock.advance(minutes(9));
  recorder.record(db, {true, "Failed", "no"});
  clock.advance(minutes(9));
  recorder.record(db, {true, "Failed", "no"});
  const auto event = only();
  EXPECT_EQ(event.at("count").as_int64(), 3);
  EXPECT_EQ(json::string_or(event, "firstTimestamp"), "2023-11-14T22:13:20Z");
  EXPECT_EQ(json::string_or(event, "lastTimestamp"), "2023-11-14T22:31:20Z");
  clock.advance(minutes(10));
  recorder.record(db, {true, "Failed", "no"});
  EXPECT_THAT(events(), SizeIs(2));
}

TEST_F(EventsTest, AnotherReasonMessageTypeOrObjectIsAnotherEvent) {
  EventRecorder recorder(api, clock, "c");
  const auto db = instance("db");
  recorder.record(db, {true, "Failed", "no"});
  recorder.record(db, {true, "Failed", "never"});
  recorder.record(db, {true, "Rejected", "no"});
  recorder.record(db, {false, "Failed", "no"});
  recorder.record(instance("other"), {true, "Failed", "no"});
  EXPECT_THAT(events(), SizeIs(5));
}

TEST_F(EventsTest, EachObjectHasABudget) {
  EventRecorder recorder(api, clock, "c");
  const auto db = instance("db");
  for (int i = 0; i < 40; ++i) recorder.record(db, {true, "Failed", fmt::format("try {}", i)});
  EXPECT_THAT(events(), SizeIs(25));
  recorder.record(instance("other"), {true, "Failed", "no"});
  EXPECT_THAT(events(), SizeIs(26));
  clock.advance(seconds(600));
  for (int i = 0; i < 40; ++i) recorder.record(db, {true, "Failed", fmt::format("late {}", i)});
  EXPECT_THAT(events(), SizeIs(28));
}

TEST_F(EventsTest, ObjectsOfTheClusterHaveTheirsInDefault) {
  EventRecorder recorder(api, clock, "c");
  recorder.record(instance("broker", ""), {false, "FetchedCatalog", "12 plans"});
  const auto event = only();
  EXPECT_EQ(json::string_or(event.at("metadata"), "namespace"), "default");
  EXPECT_EQ(json::find(event.at("involvedObject"), "namespace"), nullptr);
}

TEST_F(EventsTest, LongTextsAreCutBetweenCharacters) {
  EventRecorder recorder(api, clock, "c");
  std::string message = "x";
  while (message.size() < 5'000) message += "ü";
  recorder.record(instance("db"), {false, "R", message});
  EXPECT_EQ(json::string_or(only(), "message").size(), 1'023u);
}

TEST_F(EventsTest, WhatIsRememberedIsBounded) {
  limits.remembered = 3;
  EventRecorder recorder(api, clock, "c", limits);
  for (int i = 0; i < 10; ++i) recorder.record(instance(fmt::format("db{}", i)), {false, "R", "m"});
  clock.advance(seconds(1));
  recorder.record(api.get(kInstances, "dev", "db9"), {false, "R", "m"});
  EXPECT_THAT(events(), SizeIs(10)) << "still known: a count";
  recorder.record(api.get(kInstances, "dev", "db0"), {false, "R", "m"});
  EXPECT_THAT(events(), SizeIs(11)) << "forgotten: a new one";
}

TEST_F(EventsTest, AFailedWriteIsNobodysTrouble) {
  api.fail_before = [](const client::Write&) -> std::optional<Error> { return unavailable("full"); };
  EventRecorder recorder(api, clock, "c");
  recorder.record(instance("db"), {false, "R", "m"});
  EXPECT_THAT(events(), SizeIs(0));
}

}  // namespace
}  // namespace chandler::controller
