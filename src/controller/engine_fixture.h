// For the tests of the engine: a world without network in which a test plays broker, store and clock.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "controller/engine.h"
#include "controller/fake_api.h"
#include "support/fake_clock.h"

namespace chandler::controller::testing {

inline constexpr client::KindName kThings{"test.io", "things"};
inline constexpr client::KindName kParts{"test.io", "parts"};

// A reconciler whose decision is the test's.
class FakeReconciler final : public Reconciler {
 public:
  using Decide = std::function<Step(const client::Object&, View&)>;
  using Needs = std::function<bool(const client::Object&)>;
  explicit FakeReconciler(Decide decide, Needs needs = nullptr)
      : decide_(std::move(decide)), needs_(std::move(needs)) {}
  std::string_view name() const override { return "fake"; }
  std::vector<client::KindName> kinds() const override { return {kThings}; }
  std::vector<client::KindName> reads() const override { return {kParts}; }
  bool needs_look(const client::KindName&, const client::Object& object) const override {
    return needs_ == nullptr || needs_(object);
  }
  Step reconcile(const client::KindName&, const client::Object& object, View& view) const override {
    return decide_(object, view);
  }

 private:
  const Decide decide_;
  const Needs needs_;
};

// Keeps calls until the test answers them.
class FakeSender final : public CallSender {
 public:
  struct Sent {
    osb::Endpoint endpoint;
    osb::Call call;
    Done done;
  };
  void send(const osb::Endpoint& endpoint, const osb::Call& call, Done done) override {
    sent.push_back({endpoint, call, std::move(done)});
  }
  // Answers the oldest call.
  void answer(int status) { answer(make(status)); }
  void answer(osb::Answer with) {
    ASSERT_FALSE(sent.empty());
    auto done = std::move(sent.front().done);
    sent.erase(sent.begin());
    done(std::move(with));
  }
  static osb::Answer make(int status) {
    osb::Answer out;
    out.status = status;
    out.body = json::Object{};
    return out;
  }
  std::vector<std::string> instances() const {
    std::vector<std::string> out;
    for (const auto& one : sent) out.push_back(one.call.instance_id);
    return out;
  }

  std::vector<Sent> sent;
};

class EngineTest : public ::testing::Test {
 protected:
  void start(FakeReconciler::Decide decide, EngineOptions options = {}, FakeReconciler::Needs needs = nullptr) {
    engine = std::make_unique<Engine>(api, sender, clock, metrics, std::move(options));
    engine->add(std::make_unique<FakeReconciler>(
        [this, decide = std::move(decide)](const client::Object& o, View& v) {
          runs.emplace_back(o.name());
          return decide(o, v);
        },
        std::move(needs)));
    engine->start();
  }
  // Everything that is due now; a test that never ends is a bug of the engine.
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
  void put_thing(std::string_view name, std::string_view rest = "", std::string_view ns = "dev") {
    api.put(kThings, fmt::format("{{apiVersion: test.io/v1, kind: Thing, metadata: {{name: {}, namespace: {}}}{}{}}}",
                                 name, ns, rest.empty() ? "" : ", ", rest));
  }
  void put_part(std::string_view name, std::string_view color, std::string_view ns = "dev") {
    api.put(kParts,
            fmt::format("{{kind: Part, metadata: {{name: {}, namespace: {}}}, spec: {{color: {}}}}}", name, ns, color));
  }
  // An update of the object's status to `phase`.
  static client::Write to_phase(const client::Object& object, std::string_view phase) {
    client::Write write;
    write.verb = client::Write::Verb::kUpdateStatus;
    write.kind = kThings;
    write.ns = object.ns();
    write.name = object.name();
    write.object = object.value();
    write.object.as_object()["status"] = json::Object{{"phase", std::string(phase)}};
    return write;
  }
  static std::string phase_of(const client::Object& object) {
    const auto* status = json::find(object.value(), "status");
    return status == nullptr ? "" : json::string_or(*status, "phase");
  }
  std::string phase(std::string_view name) const { return phase_of(api.get(kThings, "dev", name)); }
  static Step call(const client::Object& object, std::string lane, std::string intent = "make") {
    Step step;
    step.call.emplace();
    step.call->lane = std::move(lane);
    step.call->intent = std::move(intent);
    step.call->call.method = osb::Method::kProvision;
    step.call->call.instance_id = object.name();
    return step;
  }
  // How often each object ran since the last question.
  std::vector<std::string> take_runs() { return std::exchange(runs, {}); }

  FakeApi api;
  FakeSender sender;
  ::chandler::testing::FakeClock clock;
  metrics::Registry metrics;
  std::vector<std::string> runs;
  std::unique_ptr<Engine> engine;
};

using Names = std::vector<std::string>;

}  // namespace chandler::controller::testing
