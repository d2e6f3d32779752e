// For tests of the reconcilers of instances and bindings: the engine over an API in memory that treats generation,
// status and deletion as the server does, a broker with a ledger, and a clock that stands still. Stories read top down:
// what users do, what time does, what the broker was asked, what stands in status.
//
// Every document that is written must fit the schema of its kind, and nothing secret may show up outside of secrets.
#pragma once

#include <cstdlib>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/text.h"
#include "controller/engine.h"
#include "controller/fake_api.h"
#include "reconcilers/binding/binding_reconciler.h"
#include "reconcilers/catalog/abandon.h"
#include "reconcilers/catalog/conditions.h"
#include "reconcilers/catalog/document.h"
#include "reconcilers/catalog/kinds.h"
#include "reconcilers/fake_broker.h"
#include "reconcilers/instance/instance_reconciler.h"
#include "reconcilers/secrets/secret_keeper.h"
#include "support/embedded_kinds.h"
#include "support/fake_clock.h"

namespace chandler::reconcilers::testing {

// What the server does around a write and FakeApi leaves out.
class ServerLikeApi final : public client::Api, public client::Writer {
 public:
  client::State& state() override { return objects; }
  client::Writer& writer() override { return *this; }
  client::Access& access() override { return objects; }

  void write(client::Write write, Done done) override {
    using Verb = client::Write::Verb;
    const auto current = objects.get(write.kind, write.ns, write.name);
    if (write.kind.plural != "events" && write.verb != Verb::kDelete) {
      EXPECT_EQ(::chandler::testing::faults_of(write.kind, write.object), "")
          << write.kind.plural << " " << write.name << "\n"
          << json::write(write.object);
    }
    if ((write.verb == Verb::kUpdate || write.verb == Verb::kUpdateBoth) && current) {
      EXPECT_FALSE(json::equal(write.object, current.value())) << "an update that changes nothing";
      set_generation(write.object, generation_of(current) + (same_spec(write.object, current.value()) ? 0 : 1));
    }
    if (write.verb == Verb::kUpdateStatus && current) {
      EXPECT_FALSE(json::equal(member(write.object, "status"), status_of(current))) << "a status that changes nothing";
    }
    if (write.verb == Verb::kCreate) set_generation(write.object, 1);
    objects.write(std::move(write), std::move(done));
  }
  bool writes_both() const override { return objects.both_at_once; }

  static bool same_spec(const json::Value& a, const json::Value& b) {
    return json::equal(member(a, "spec"), member(b, "spec"));
  }
  static void set_generation(json::Value& object, int64_t generation) {
    object_in(object.as_object(), "metadata")["generation"] = generation;
  }

  controller::FakeApi objects;
};

class CatalogStory : public ::testing::Test {
 protected:
  using Lines = std::vector<std::string>;

  CatalogStory() {
    settings.cluster_id = "cluster-1";
    settings.checksum_key = resolve::ChecksumKey("0123456789abcdef0123456789abcdef");
    // Every story is told twice: over an API that writes an object and its status at once, and over one that does not.
    objects.both_at_once = std::getenv("CHANDLER_WRITES_BOTH") != nullptr;
    objects.put(kNamespaces, "{apiVersion: v1, kind: Namespace, metadata: {name: dev, uid: uid-dev}}");
  }
  ~CatalogStory() override {
    for (const auto& kind : {kInstances, kBindings, kConfigMaps, client::KindName{"", "events"}}) {
      for (const auto& object : objects.list(kind, {})) {
        EXPECT_EQ(json::write(object.value()).find("s3cret"), std::string::npos) << json::write(object.value());
      }
    }
    EXPECT_EQ(broker.violations, Lines());
  }

  // --- the machine
  void start() {
    engine.reset();
    settings.run = fmt::format("run-{}", ++runs_);
    metrics = std::make_unique<::chandler::metrics::Registry>();
    controller::EngineOptions checking;
    checking.checks_what_follows = true;
    engine = std::make_unique<controller::Engine>(api, broker, clock, *metrics, checking);
    engine->add(std::make_unique<InstanceReconciler>(settings));
    engine->add(std::make_unique<BindingReconciler>(settings));
    engine->add(std::make_unique<SecretKeeper>());
    engine->start();
  }
  // The process dies with everything it knows; the next one finds what is stored.
  void crash() { start(); }
  void settle() {
    if (engine == nullptr) start();
    for (int i = 0; i < 20'000; ++i) {
      if (!engine->turn()) return;
    }
    FAIL() << "never settles";
  }
  void advance(std::chrono::microseconds by) {
    clock.advance(by);
    settle();
  }
  // Lets time pass until nothing waits for it any more.
  void finish(int most = 60) {
    settle();
    for (int i = 0; engine->next_due(); ++i) {
      ASSERT_LT(i, most) << "goes on and on: " << all_conditions();
      clock.advance(std::max(*engine->next_due() - clock.now(), WallTime::duration(0)));
      settle();
    }
  }
  // Nothing has changed, so looking again must not write or call.
  void expect_quiet() {
    objects.log.clear();
    const auto calls = broker.calls.size();
    crash();
    settle();
    EXPECT_EQ(objects.log, Lines()) << all_conditions();
    EXPECT_EQ(broker.calls.size(), calls);
  }

  // --- users
  // A new object, or another state of one, as the server would store it: with finalizer, identifier, requester.
  void apply(const client::KindName& kind, std::string_view yaml, std::string_view user = "ann") {
    auto parsed = json::parse_yaml(yaml);
    ASSERT_TRUE(parsed.ok()) << parsed.error().message << yaml;
    auto& root = parsed->as_object();
    auto& metadata = object_in(root, "metadata");
    const auto name = text_at(metadata, "name");
    if (kind == kInstances || kind == kBindings) {
      if (!metadata.contains("namespace")) metadata["namespace"] = "dev";
      metadata["finalizers"] = json::Array{text(kFinalizer)};
      auto& spec = object_in(root, "spec");
      if (!own_ids && !spec.contains("externalID")) spec["externalID"] = text("id-" + name);
      if (kind == kBindings && !spec.contains("secretName")) spec["secretName"] = text(name);
      json::Object who;
      who["username"] = text(user);
      who["uid"] = text(fmt::format("uid-{}", user));
      spec["userInfo"] = std::move(who);
    }
    metadata["generation"] = 1;
    EXPECT_EQ(::chandler::testing::faults_of(kind, *parsed), "") << yaml;
    objects.put(kind, json::write(*parsed));
  }
  bool own_ids = false;  // the reconcilers give IDs themselves, as where there is no admission

  void apply_instance(std::string_view spec, std::string_view name = "mydb") {
    apply(kInstances, fmt::format("{{apiVersion: servicecatalog.k8s.io/v1beta1, kind: ServiceInstance, metadata: "
                                  "{{name: {}}}, spec: {}}}",
                                  name, spec));
  }
  void apply_binding(std::string_view spec = "{instanceRef: {name: mydb}}", std::string_view name = "b") {
    apply(kBindings, fmt::format("{{apiVersion: servicecatalog.k8s.io/v1beta1, kind: ServiceBinding, metadata: "
                                 "{{name: {}}}, spec: {}}}",
                                 name, spec));
  }
  void apply_secret(std::string_view name, std::string_view key, std::string_view content,
                    std::string_view ns = "dev") {
    objects.put(kSecrets, fmt::format("{{apiVersion: v1, kind: Secret, metadata: {{name: {}, namespace: {}}}, data: "
                                      "{{{}: {}}}}}",
                                      name, ns, key, base64_encode(content)));
  }
  // A change as `kubectl edit` makes it.
  template <typename Change>
  void edit(const client::KindName& kind, std::string_view name, Change&& change, std::string_view ns = "dev") {
    const auto object = objects.get(kind, ns, name);
    ASSERT_TRUE(object) << name;
    auto value = object.value();
    change(value.as_object());
    const bool same = ServerLikeApi::same_spec(value, object.value());
    ServerLikeApi::set_generation(value, generation_of(object) + (same ? 0 : 1));
    objects.put(kind, json::write(value));
  }
  template <typename Change>
  void edit_spec(const client::KindName& kind, std::string_view name, Change&& change) {
    edit(kind, name, [&](json::Object& root) { change(object_in(root, "spec")); });
  }
  // What the server makes of a new plan: it is to be looked up.
  void change_plan(std::string_view field, std::string_view plan, std::string_view ref = "clusterServicePlanRef") {
    edit_spec(kInstances, "mydb", [&](json::Object& spec) {
      spec[field] = text(plan);
      spec.erase(ref);
    });
  }
  void annotate(const client::KindName& kind, std::string_view name, std::string_view key, std::string_view value,
                std::string_view ns = "dev") {
    edit(
        kind, name,
        [&](json::Object& root) { object_in(object_in(root, "metadata"), "annotations")[key] = text(value); }, ns);
  }
  void remove(const client::KindName& kind, std::string_view name, std::string_view user = "bob") {
    const auto object = objects.get(kind, "dev", name);
    ASSERT_TRUE(object) << name;
    const auto* finalizers = json::array_at(member(object.value(), "metadata"), "finalizers");
    if (finalizers == nullptr || finalizers->empty()) return objects.remove(kind, "dev", name);
    edit(kind, name, [&](json::Object& root) {
      object_in(root, "metadata")["deletionTimestamp"] = "2026-01-01T00:00:00Z";
      if (kind == kSecrets) return;
      object_in(object_in(root, "spec"), "userInfo")["username"] = text(user);
      object_in(object_in(root, "spec"), "userInfo")["uid"] = text(fmt::format("uid-{}", user));
    });
  }

  // --- operators
  // A broker "azure" of the cluster with class "mysql" (c1) and plans small (p1) and large (p2).
  void register_catalog() {
    apply(kClusterBrokers,
          "{apiVersion: servicecatalog.k8s.io/v1beta1, kind: ClusterServiceBroker, metadata: {name: azure}, "
          "spec: {url: \"https://azure.example.com\"}}");
    apply_class("c1", "externalName: mysql");
    apply_plan("p1", "externalName: small");
    apply_plan("p2", "externalName: large");
  }
  void apply_class(std::string_view id, std::string_view rest, Scope scope = Scope::kCluster) {
    const auto& names = names_of(scope);
    apply(names.classes,
          fmt::format("{{apiVersion: servicecatalog.k8s.io/v1beta1, kind: {}, metadata: {{name: {}{}}}, spec: {{{}: "
                      "azure, externalID: {}, description: d, bindable: true, planUpdatable: true, {}}}}}",
                      names.class_kind, id, in_ns(scope), names.broker_name, id, rest));
  }
  void apply_plan(std::string_view id, std::string_view rest, Scope scope = Scope::kCluster,
                  std::string_view class_id = "c1", std::string_view annotations = "") {
    const auto& names = names_of(scope);
    apply(names.plans,
          fmt::format(
              "{{apiVersion: servicecatalog.k8s.io/v1beta1, kind: {}, metadata: {{name: {}{}, annotations: "
              "{{{}}}}}, spec: {{{}: azure, {}: {{name: {}}}, externalID: {}, description: d, free: true, {}}}}}",
              names.plan_kind, id, in_ns(scope), annotations, names.broker_name, names.class_ref, class_id, id, rest));
  }

  // --- looking
  client::Object get(const client::KindName& kind, std::string_view name, std::string_view ns = "dev") const {
    return objects.get(kind, ns, name);
  }
  json::Value at(const client::KindName& kind, std::string_view name, std::string_view path) const {
    const auto object = get(kind, name);
    if (!object) return {};
    const json::Value* place = &object.value();
    for (const auto piece : split(path, '.')) place = &member(*place, piece);
    return *place;
  }
  std::string show(const client::KindName& kind, std::string_view name, std::string_view path) const {
    return get(kind, name) ? json::write(at(kind, name, path)) : "gone";
  }
  std::string instance(std::string_view path) const { return show(kInstances, "mydb", path); }
  std::string binding(std::string_view path) const { return show(kBindings, "b", path); }
  // "Ready=False:Provisioning", in order.
  std::string conditions(const client::KindName& kind, std::string_view name) const {
    const auto object = get(kind, name);
    if (!object) return "gone";
    std::string out;
    const auto* list = json::array_at(status_of(object), "conditions");
    if (list == nullptr) return out;
    for (const auto& entry : *list) {
      out += fmt::format("{}{}={}:{}", out.empty() ? "" : " ", text_at(entry, "type"), text_at(entry, "status"),
                         text_at(entry, "reason"));
    }
    return out;
  }
  std::string conditions() const { return conditions(kInstances, "mydb"); }
  std::string binding_conditions() const { return conditions(kBindings, "b"); }
  std::string message(const client::KindName& kind, std::string_view name, std::string_view type = kReady) const {
    const auto object = get(kind, name);
    const auto* found = object ? condition(status_of(object), type) : nullptr;
    return found == nullptr ? "" : text_at(*found, "message");
  }
  std::string message() const { return message(kInstances, "mydb"); }
  std::string all_conditions() const {
    std::string out;
    for (const auto& kind : {kInstances, kBindings}) {
      for (const auto& object : objects.list(kind, {})) {
        out += fmt::format("{}: {} {}\n", object.name(), conditions(kind, object.name()), message(kind, object.name()));
      }
    }
    return out;
  }
  // What happens next: "rest", a call that is under way, or how long it waits.
  std::string next() const {
    if (!broker.held.empty()) return std::string(osb::method_name(broker.held.front().method));
    const auto due = engine->next_due();
    if (!due) return "rest";
    return *due - clock.now() >= std::chrono::seconds(45) ? "wait long" : "wait";
  }
  bool has_event(std::string_view reason, std::string_view part = "") const {
    for (const auto& event : objects.list({"", "events"}, {})) {
      if (text_at(event.value(), "reason") == reason &&
          text_at(event.value(), "message").find(part) != std::string::npos)
        return true;
    }
    return false;
  }
  // Of all warnings so far, each once, in the order of the alphabet.
  std::string warning_reasons() const {
    std::set<std::string> reasons;
    for (const auto& event : objects.list({"", "events"}, {})) {
      if (text_at(event.value(), "type") == "Warning") reasons.insert(text_at(event.value(), "reason"));
    }
    std::string out;
    for (const auto& reason : reasons) out += fmt::format("{}{}", out.empty() ? "" : " ", reason);
    return out;
  }
  std::string secret_value(std::string_view name, std::string_view key) const {
    const auto object = get(kSecrets, name);
    if (!object) return "no secret";
    const auto value = json::string_at(member(object.value(), "data"), key);
    return value ? base64_decode(*value).value_or("no base64") : "no key";
  }

  ServerLikeApi api;
  controller::FakeApi& objects = api.objects;
  FakeBroker broker;
  ::chandler::testing::FakeClock clock;
  std::unique_ptr<::chandler::metrics::Registry> metrics;
  Settings settings;
  std::unique_ptr<controller::Engine> engine;

 private:
  int runs_ = 0;

  static std::string in_ns(Scope scope) { return scope == Scope::kCluster ? "" : ", namespace: dev"; }
};

}  // namespace chandler::reconcilers::testing
