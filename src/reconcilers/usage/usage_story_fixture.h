// For the tests of this folder: the engine over an API in memory that treats generation, status and deletion as the
// server does, with rights that can be taken away and a process that can be killed after any write. Stories read top
// down: what users do, what was written, what stands in status.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "client/local/local_api.h"
#include "controller/engine.h"
#include "controller/fake_api.h"
#include "reconcilers/catalog/conditions.h"
#include "reconcilers/catalog/kinds.h"
#include "reconcilers/usage/injection_reporter.h"
#include "reconcilers/usage/usage_kind_reconciler.h"
#include "reconcilers/usage/usage_names.h"
#include "reconcilers/usage/usage_reconciler.h"
#include "reconcilers/usage/usage_view.h"
#include "reconcilers/usage/workload_access.h"
#include "support/embedded_kinds.h"
#include "support/fake_clock.h"

namespace chandler::reconcilers::testing {

inline constexpr client::KindName kDeployments{"apps", "deployments"};
inline constexpr client::KindName kFunctions{"kubeless.io", "functions"};

// Every write must fit the schema of its kind and change something.
class UsageApi final : public client::Api, public client::Writer, public client::Access {
 public:
  client::State& state() override { return objects; }
  client::Writer& writer() override { return *this; }
  client::Access& access() override { return *this; }

  void write(client::Write write, Done done) override {
    using Verb = client::Write::Verb;
    if (writes_left == 0) return;  // the process is dead: nobody hears of it
    if (writes_left > 0) --writes_left;
    const auto current = objects.get(write.kind, write.ns, write.name);
    if (write.kind != kFunctions && write.kind.plural != "events" && write.verb != Verb::kDelete) {
      EXPECT_EQ(::chandler::testing::faults_of(write.kind, write.object), "") << json::write(write.object);
    }
    if (write.verb == Verb::kUpdate && current) {
      EXPECT_FALSE(json::equal(write.object, current.value())) << "an update that changes nothing: " << write.name;
      const bool same = json::equal(member(write.object, "spec"), spec_of(current));
      object_in(write.object.as_object(), "metadata")["generation"] = generation_of(current) + (same ? 0 : 1);
    }
    if (write.verb == Verb::kUpdateStatus && current) {
      EXPECT_FALSE(json::equal(member(write.object, "status"), status_of(current))) << "a status that changes nothing";
    }
    if (write.verb == Verb::kCreate) object_in(write.object.as_object(), "metadata")["generation"] = 1;
    if (write.kind.plural != "events") {
      ++writes[fmt::format("{}/{}/{}", write.kind.plural, write.ns, write.name)];
      ++total;
    }
    objects.write(std::move(write), std::move(done));
  }

  Decision may(const auth::Attributes& attributes) override {
    const auto user = attributes.user == nullptr ? std::string("controller") : attributes.user->name;
    const auto question = fmt::format("{} {} {}", user, attributes.verb, attributes.resource);
    return denied.contains(question) ? Decision::kDenied : Decision::kAllowed;
  }
  void on_changed(std::function<void()>) override {}

  controller::FakeApi objects;
  std::set<std::string> denied;       // "ann update deployments"
  std::map<std::string, int> writes;  // "deployments/dev/web"
  int total = 0;
  int writes_left = -1;  // -1: as many as it takes
};

class NoBrokers final : public controller::CallSender {
 public:
  void send(const osb::Endpoint&, const osb::Call&, Done) override { FAIL() << "no broker is called here"; }
};

class UsageStory : public ::testing::Test {
 protected:
  using Lines = std::vector<std::string>;

  UsageStory() { objects.served = ::chandler::testing::embedded_kinds(); }
  ~UsageStory() override {
    for (const auto& kind : {kUsages, kUsageKinds, kPodPresets, kSnapshotMaps, client::KindName{"", "events"}}) {
      for (const auto& object : objects.list(kind, {})) {
        EXPECT_EQ(json::write(object.value()).find("s3cret"), std::string::npos) << json::write(object.value());
      }
    }
  }

  // --- the machine
  void start() {
    engine.reset();
    metrics = std::make_unique<::chandler::metrics::Registry>();
    engine = std::make_unique<controller::Engine>(api, sender, clock, *metrics, controller::EngineOptions{});
    const auto user = client::service_account("kube-system", "binding-usage-controller");
    engine->add(std::make_unique<UsageKindReconciler>(user));
    engine->add(std::make_unique<UsageReconciler>(user));
    engine->add(std::make_unique<InjectionReporter>());
    engine->start();
  }
  void settle() {
    if (engine == nullptr) start();
    for (int i = 0; i < 1'000'000; ++i) {
      if (!engine->turn()) return;
    }
    FAIL() << "never settles";
  }
  void advance(std::chrono::microseconds by) {
    clock.advance(by);
    settle();
  }
  // The process dies with everything it knows; the next one finds what is stored, and writes nothing.
  void expect_quiet() {
    const auto before = api.total;
    start();
    settle();
    EXPECT_EQ(api.total, before);
  }

  // --- users
  static json::Value yaml(std::string_view text) {
    auto parsed = json::parse_yaml(text);
    EXPECT_TRUE(parsed.ok()) << text;
    return parsed.ok() ? std::move(parsed).value() : json::Value();
  }
  // As the server would store it: with finalizer and requester.
  void apply(const client::KindName& kind, std::string_view text, std::string_view user = "ann") {
    auto value = yaml(text);
    auto& root = value.as_object();
    auto& metadata = object_in(root, "metadata");
    if (kind != kUsageKinds && kind != kClusterClasses && kind != kCrds && !metadata.contains("namespace")) {
      metadata["namespace"] = "dev";
    }
    if (kind == kUsages) {
      metadata["finalizers"] = json::Array{reconcilers::text(kUsageFinalizer)};
      object_in(root, "spec")["userInfo"] = json::Object{{"username", std::string(user)}};
      metadata["uid"] = reconcilers::text("u-" + text_at(metadata, "name"));
    }
    if (kind == kUsageKinds) metadata["finalizers"] = json::Array{reconcilers::text(kUsageKindFinalizer)};
    metadata["generation"] = 1;
    if (kind != kFunctions) {
      EXPECT_EQ(::chandler::testing::faults_of(kind, value), "") << text;
    }
    objects.put(kind, json::write(value));
  }
  void apply_usage_kind(std::string_view name = "deployment",
                        std::string_view resource = "{group: apps, kind: deployment, version: v1}",
                        std::string_view path = "spec.template.metadata.labels") {
    apply(kUsageKinds,
          fmt::format("{{apiVersion: servicecatalog.kyma-project.io/v1alpha1, kind: UsageKind, metadata: {{name: {}}}, "
                      "spec: {{displayName: X, resource: {}, labelsPath: {}}}}}",
                      name, resource, path));
  }
  void apply_usage(std::string_view name = "use", std::string_view binding = "b", std::string_view workload = "web",
                   std::string_view rest = "", std::string_view kind = "deployment", std::string_view user = "ann") {
    apply(kUsages,
          fmt::format("{{apiVersion: servicecatalog.kyma-project.io/v1alpha1, kind: ServiceBindingUsage, metadata: "
                      "{{name: {}}}, spec: "
                      "{{serviceBindingRef: {{name: {}}}, usedBy: {{kind: {}, name: {}}}{}{}}}}}",
                      name, binding, kind, workload, rest.empty() ? "" : ", ", rest),
          user);
  }
  void apply_deployment(std::string_view name = "web", std::string_view labels = "{app: web}") {
    apply(
        kDeployments,
        fmt::format("{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: {}}}, spec: {{selector: {{matchLabels: "
                    "{{app: web}}}}, template: {{metadata: {{labels: {}}}, spec: {{containers: [{{name: c, image: "
                    "i}}]}}}}}}}}",
                    name, labels));
  }
  void apply_secret(std::string_view name, std::string_view content) {
    objects.put(
        kSecrets,
        fmt::format("{{apiVersion: v1, kind: Secret, metadata: {{name: {}, namespace: dev}}, data: {{password: {}}}}}",
                    name, base64_encode(content)));
  }
  // A binding that is ready, its secret and its instance of class "redis".
  void apply_binding(std::string_view name = "b") {
    apply(
        kBindings,
        fmt::format("{{apiVersion: servicecatalog.k8s.io/v1beta1, kind: ServiceBinding, metadata: {{name: {0}}}, spec: "
                    "{{instanceRef: {{name: i}}, secretName: {0}-secret}}, status: {{conditions: [{{type: Ready, "
                    "status: 'True', reason: R, message: m}}]}}}}",
                    name));
    apply_secret(fmt::format("{}-secret", name), "s3cret");
    apply(kInstances,
          "{apiVersion: servicecatalog.k8s.io/v1beta1, kind: ServiceInstance, metadata: {name: i}, spec: "
          "{clusterServiceClassExternalName: redis, clusterServiceClassRef: {name: c1}}}");
  }
  void apply_class(std::string_view labels) {
    apply(kClusterClasses,
          fmt::format("{{apiVersion: servicecatalog.k8s.io/v1beta1, kind: ClusterServiceClass, metadata: {{name: c1}}, "
                      "spec: {{clusterServiceBrokerName: x, externalName: redis, externalID: c1, description: d, "
                      "externalMetadata: {{bindingLabels: {}}}}}}}",
                      labels));
  }
  // Everything that a usage "use" of binding "b" by deployment "web" needs.
  void apply_all() {
    apply_usage_kind();
    apply_binding();
    apply_deployment();
    apply_usage();
    settle();
  }
  // The seed's function: its kind, as a CustomResourceDefinition makes it, and one of it.
  void serve_functions(std::string_view spec_schema = "{type: object, x-kubernetes-preserve-unknown-fields: true}") {
    const auto text = fmt::format(
        "{{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {{name: "
        "functions.kubeless.io}}, spec: "
        "{{group: kubeless.io, scope: Namespaced, names: {{plural: functions, singular: function, kind: Function, "
        "listKind: "
        "FunctionList}}, versions: [{{name: v1beta1, served: true, storage: true, schema: {{openAPIV3Schema: {{type: "
        "object, "
        "properties: {{spec: {}}}}}}}}}]}}}}",
        spec_schema);
    objects.served.push_back(::chandler::testing::kind_of_crd(yaml(text)));
    objects.put(kCrds, text);
  }
  void apply_function(std::string_view name = "redis-client", std::string_view spec = "{runtime: python}") {
    apply(kFunctions,
          fmt::format("{{apiVersion: kubeless.io/v1beta1, kind: Function, metadata: {{name: {}}}, spec: {}}}", name,
                      spec));
  }

  // A change as `kubectl edit` makes it.
  void edit(const client::KindName& kind, std::string_view name, const std::function<void(json::Object&)>& change,
            std::string_view ns = "dev") {
    const auto object = objects.get(kind, ns, name);
    ASSERT_TRUE(object) << name;
    auto value = object.value();
    change(value.as_object());
    const bool same = json::equal(member(value, "spec"), spec_of(object));
    object_in(value.as_object(), "metadata")["generation"] = generation_of(object) + (same ? 0 : 1);
    objects.put(kind, json::write(value));
  }
  void remove(const client::KindName& kind, std::string_view name, std::string_view ns = "dev") {
    const auto object = objects.get(kind, ns, name);
    ASSERT_TRUE(object) << name;
    if (!object.document().has_finalizers()) return objects.remove(kind, ns, name);
    edit(
        kind, name,
        [](json::Object& root) { object_in(root, "metadata")["deletionTimestamp"] = "2026-01-01T00:00:00Z"; }, ns);
  }

  // --- looking
  bool exists(const client::KindName& kind, std::string_view name, std::string_view ns = "dev") const {
    return static_cast<bool>(objects.get(kind, ns, name));
  }
  // What of an object is its user's: without the marks of the server.
  std::string content(const client::KindName& kind, std::string_view name) const {
    auto value = objects.get(kind, "dev", name).value();
    auto& metadata = value.as_object()["metadata"].as_object();
    for (const auto* mark : {"generation", "resourceVersion", "uid"}) metadata.erase(mark);
    return json::write(value);
  }
  std::string labels(std::string_view name = "web") const {
    const auto object = objects.get(kDeployments, "dev", name);
    return object ? json::write(member(object.value(), {"spec", "template", "metadata", "labels"})) : "gone";
  }
  std::string own_label_value(std::string_view usage = "use", std::string_view workload = "web") const {
    const auto object = objects.get(kDeployments, "dev", workload);
    return text_at(member(object.value(), {"spec", "template", "metadata", "labels"}), fmt::format("use-u-{}", usage));
  }
  // "Ready=True:Delivered BindingReady=True:BindingReady", in order.
  std::string conditions(std::string_view name = "use", const client::KindName& kind = kUsages) const {
    const auto object = objects.get(kind, kind == kUsageKinds ? "" : "dev", name);
    if (!object) return "gone";
    std::string out;
    if (const auto* list = json::array_at(status_of(object), "conditions")) {
      for (const auto& entry : *list) {
        out += fmt::format("{}{}={}:{}", out.empty() ? "" : " ", text_at(entry, "type"), text_at(entry, "status"),
                           text_at(entry, "reason"));
      }
    }
    return out;
  }
  std::string message(std::string_view type = kReady, std::string_view name = "use",
                      const client::KindName& kind = kUsages) const {
    const auto object = objects.get(kind, kind == kUsageKinds ? "" : "dev", name);
    const auto* found = object ? condition(status_of(object), type) : nullptr;
    return found == nullptr ? "" : text_at(*found, "message");
  }
  std::string reason(std::string_view type = kReady, std::string_view name = "use") const {
    const auto object = objects.get(kUsages, "dev", name);
    return object ? condition_reason(status_of(object), type) : "gone";
  }
  bool has_event(std::string_view reason) const {
    for (const auto& event : objects.list({"", "events"}, {})) {
      if (text_at(event.value(), "reason") == reason) return true;
    }
    return false;
  }

  UsageApi api;
  controller::FakeApi& objects = api.objects;
  NoBrokers sender;
  ::chandler::testing::FakeClock clock;
  std::unique_ptr<::chandler::metrics::Registry> metrics;
  std::unique_ptr<controller::Engine> engine;
};

}  // namespace chandler::reconcilers::testing
