// For the tests of claims: store, rules and API of the real server in memory, one or more engines with the reconcilers
// of claims over it, a kind of managed resource whose controller the test plays, and a clock that stands still. An
// engine can be made to die after any of its writes.
#pragma once

#include <deque>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/log.h"
#include "base/text.h"
#include "controller/engine_fixture.h"
#include "json/writer.h"
#include "reconcilers/catalog/conditions.h"
#include "reconcilers/catalog/document.h"
#include "reconcilers/catalog/kinds.h"
#include "reconcilers/claim/claim_reconciler.h"
#include "reconcilers/claim/class_keeper.h"
#include "reconcilers/claim/kinds.h"
#include "reconcilers/claim/reasons.h"
#include "support/memory_server.h"

namespace chandler::reconcilers::claims::testing {

inline constexpr client::KindName kPostgres{"storage.crossplane.io", "postgresqlinstances"};
inline constexpr client::KindName kServers{"database.example.org", "postgresqlservers"};

// What outside controllers know how to make.
inline constexpr std::string_view kServerDefinition = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: postgresqlservers.database.example.org}
spec:
  group: database.example.org
  scope: Namespaced
  names: {plural: postgresqlservers, singular: postgresqlserver, kind: PostgreSQLServer, listKind: PostgreSQLServerList}
  versions:
    - name: v1
      served: true
      storage: true
      subresources: {status: {}}
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties:
                size: {type: integer}
                tier: {type: string}
                public: {type: boolean}
                engineVersion: {type: string}
                reclaimPolicy: {type: string}
                providerRef: {type: object, properties: {name: {type: string}}}
                claimRef: {type: object, x-kubernetes-preserve-unknown-fields: true}
                writeConnectionSecretToRef: {type: object, properties: {name: {type: string}, namespace: {type: string}}}
            status: {type: object, x-kubernetes-preserve-unknown-fields: true}
)";

// Counts what is looked at.
class CountingState final : public client::State {
 public:
  explicit CountingState(client::State& real) : real_(real) {}
  client::Object get(const client::KindName& kind, std::string_view ns, std::string_view name) const override {
    ++looked_at;
    return real_.get(kind, ns, name);
  }
  std::vector<client::Object> list(const client::KindName& kind, const client::Selection& selection) const override {
    auto out = real_.list(kind, selection);
    looked_at += 1 + out.size();
    return out;
  }
  std::string_view field(const client::KindName& kind, const client::Object& object,
                         std::string_view field) const override {
    return real_.field(kind, object, field);
  }
  std::optional<client::ServedKind> find_kind(std::string_view group, std::string_view version,
                                              std::string_view word) const override {
    return real_.find_kind(group, version, word);
  }
  bool has_listed(const client::KindName& kind) const override { return real_.has_listed(kind); }
  void listen(std::vector<client::KindName> kinds, Listener listener) override {
    real_.listen(std::move(kinds), std::move(listener));
  }

  mutable size_t looked_at = 0;  // objects asked for, lists, and objects in lists

 private:
  client::State& real_;
};

// The API of one process: writes happen at once, or wait until the test lets them through; after a number of them the
// process is dead, and what it was about to hear or do is lost.
class ProcessApi final : public client::Api, private client::Writer {
 public:
  explicit ProcessApi(client::Api& real) : seen(real.state()), real_(real) {}
  client::State& state() override { return seen; }
  client::Writer& writer() override { return *this; }
  client::Access& access() override { return real_.access(); }

  bool release_one() {
    if (held_.empty()) return false;
    auto [write, done] = std::move(held_.front());
    held_.pop_front();
    perform(std::move(write), done);
    return true;
  }

  CountingState seen;
  size_t writes = 0;             // without events
  size_t dies_after = SIZE_MAX;  // writes
  bool holds = false;
  bool is_dead() const { return writes >= dies_after; }

 private:
  void write(client::Write write, Done done) override {
    if (is_dead()) return;
    if (holds) {
      held_.emplace_back(std::move(write), std::move(done));
    } else {
      perform(std::move(write), done);
    }
  }
  void perform(client::Write write, const Done& done) {
    if (is_dead()) return;
    const bool counts = write.kind.plural != "events";
    std::promise<Result<client::Object>> promise;
    real_.writer().write(std::move(write), [&](Result<client::Object> got) { promise.set_value(std::move(got)); });
    auto result = promise.get_future().get();
    if (counts && ++writes >= dies_after) return;  // it is stored, but who asked for it is gone
    done(std::move(result));
  }

  client::Api& real_;
  std::deque<std::pair<client::Write, Done>> held_;
};

class ClaimWorld : public ::testing::Test {
 protected:
  ClaimWorld() {
    log::configure(log::Level::kError, log::Format::kText);
    for (const auto ns : {"demo", "crossplane-system", "other"}) {
      create(kNamespaces, "", fmt::format("{{apiVersion: v1, kind: Namespace, metadata: {{name: {}}}}}", ns));
    }
  }
  ~ClaimWorld() override { processes.clear(); }

  // --- processes
  struct Process {
    explicit Process(client::Api& real) : api(real) {}
    ProcessApi api;
    metrics::Registry metrics;
    controller::testing::FakeSender sender;
    std::unique_ptr<controller::Engine> engine;
  };
  Process& start_process(size_t dies_after = SIZE_MAX) {
    auto& process = *processes.emplace_back(std::make_unique<Process>(world.api()));
    process.api.dies_after = dies_after;
    process.engine = std::make_unique<controller::Engine>(process.api, process.sender, world.clock, process.metrics,
                                                          controller::EngineOptions{});
    process.engine->add(std::make_unique<ClaimReconciler>(settings));
    process.engine->add(std::make_unique<ClassKeeper>());
    process.engine->start();
    return process;
  }
  void restart(size_t dies_after = SIZE_MAX) {
    processes.clear();
    start_process(dies_after);
  }
  // Everything that is due now, provider and all; false when a process died on the way.
  bool settle() {
    if (processes.empty()) start_process();
    for (int round = 0; round < 100; ++round) {
      for (auto& process : processes) {
        for (int turns = 0; process->engine->turn(); ++turns) {
          if (process->api.is_dead()) return false;
          if (turns > 2'000'000) {
            ADD_FAILURE() << "never settles";
            return true;
          }
        }
        if (process->api.is_dead()) return false;
      }
      if (!provide()) return true;
    }
    ADD_FAILURE() << "goes on and on";
    return true;
  }
  void advance(std::chrono::seconds by) {
    clock.advance(by);
    settle();
  }

  // --- users
  client::Object create(const client::KindName& kind, std::string_view ns, std::string_view yaml) {
    return world.create(kind, ns, yaml);
  }
  void update(const client::KindName& kind, std::string_view ns, std::string_view name,
              const std::function<void(json::Object&)>& change, std::string_view subresource = "") {
    world.update(kind, ns, name, change, subresource);
  }
  void remove(const client::KindName& kind, std::string_view ns, std::string_view name) {
    world.remove(kind, ns, name);
  }
  client::Object create_claim(std::string_view name = "db", std::string_view spec = "{}",
                              std::string_view ns = "demo") {
    return create(
        kPostgres, ns,
        fmt::format("{{apiVersion: storage.crossplane.io/v1alpha1, kind: PostgreSQLInstance, metadata: {{name: "
                    "{}}}, spec: {}}}",
                    name, spec));
  }
  // --- operators
  void create_class(std::string_view name, std::string_view rest, std::string_view ns = "crossplane-system",
                    std::string_view labels = "") {
    create(kResourceClasses, ns,
           fmt::format("{{apiVersion: core.crossplane.io/v1alpha1, kind: ResourceClass, metadata: {{name: {}, labels: "
                       "{{{}}}}}, {}}}",
                       name, labels, rest));
  }
  static constexpr std::string_view kServerClass =
      "provisioner: postgresqlserver.database.example.org/v1, parameters: {size: '20', tier: gold}";
  static constexpr std::string_view kIsDefault = "postgresqlinstance.storage.crossplane.io/default: 'true'";

  // As the server does with a CustomResourceDefinition.
  void install(std::string_view definition) {
    world.serve(definition);
    create(kDefinitions, "", definition);
  }
  void install_servers() { install(kServerDefinition); }

  // What others do: outside controllers, and the catalog where the test wants one. True when there was something to do.
  bool provide() {
    const bool served = provide_servers();
    return (catalog_works && serve_catalog()) || served;
  }
  // Services and bindings come at once, and go at once.
  bool serve_catalog() {
    bool did = false;
    for (const auto& kind : {kInstances, kBindings}) {
      for (const auto& made : world.state().list(kind, {})) {
        if (made.deleting()) {
          if (kind == kBindings && get(kSecrets, made.ns(), made.name())) remove(kSecrets, made.ns(), made.name());
          update(kind, made.ns(), made.name(),
                 [](json::Object& root) { object_in(root, "metadata").erase("finalizers"); });
        } else if (condition_true(status_of(made), kReady)) {
          continue;
        } else {
          if (kind == kBindings) create_connection_secret(made, made.ns(), made.name());
          set_ready(kind, made.ns(), made.name());
        }
        did = true;
      }
    }
    return did;
  }
  void create_connection_secret(const client::Object& owner, std::string_view ns, std::string_view name) {
    create(kSecrets, ns,
           fmt::format(
               "{{apiVersion: v1, kind: Secret, metadata: {{name: {}, ownerReferences: [{{apiVersion: {}, kind: {}, "
               "name: {}, uid: {}, controller: true}}]}}, data: {{password: {}}}}}",
               name, text_at(owner.value(), "apiVersion"), text_at(owner.value(), "kind"), owner.name(), owner.uid(),
               base64_encode("s3cret")));
  }
  // Writes connection details and says that it is ready.
  bool provide_servers() {
    if (!provider_works || !world.serves(kServers)) return false;
    bool did = false;
    for (const auto& made : world.state().list(kServers, {})) {
      if (made.deleting() || condition_true(status_of(made), kReady)) continue;
      did = true;
      const auto& place = member(spec_of(made), "writeConnectionSecretToRef");
      create_connection_secret(made, text_at(place, "namespace"), text_at(place, "name"));
      set_ready(kServers, made.ns(), made.name());
    }
    return did;
  }
  void set_ready(const client::KindName& kind, std::string_view ns, std::string_view name,
                 std::string_view ready = "True") {
    update(
        kind, ns, name,
        [&](json::Object& root) {
          json::Object entry;
          entry["type"] = "Ready";
          entry["status"] = text(ready);
          entry["reason"] = "Said";
          object_in(root, "status")["conditions"] = json::Array{json::Value(std::move(entry))};
        },
        "status");
  }

  // --- looking
  client::Object get(const client::KindName& kind, std::string_view ns, std::string_view name) {
    return world.state().get(kind, ns, name);
  }
  client::Object claim(std::string_view name = "db") { return get(kPostgres, "demo", name); }
  std::vector<client::Object> servers() { return world.state().list(kServers, {}); }
  // "Ready=False:NoDefaultClass", in order.
  static std::string conditions(const client::Object& object) {
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
  static std::string message(const client::Object& object, std::string_view type = kReady) {
    const auto* found = object ? condition(status_of(object), type) : nullptr;
    return found == nullptr ? "" : text_at(*found, "message");
  }
  static std::string at(const client::Object& object, std::string_view path) {
    const json::Value* place = object ? &object.value() : nullptr;
    if (place == nullptr) return "gone";
    for (const auto piece : split(path, '.')) place = &member(*place, piece);
    return place->is_string() ? std::string(json::view(place->get_string())) : json::write(*place);
  }
  std::string password(std::string_view name = "db", std::string_view ns = "demo") {
    const auto secret = get(kSecrets, ns, name);
    return secret ? base64_decode(text_at(member(secret.value(), "data"), "password")).value_or("no base64")
                  : "no secret";
  }
  bool has_event(std::string_view reason) {
    for (const auto& event : world.state().list({"", "events"}, {})) {
      if (text_at(event.value(), "reason") == reason) return true;
    }
    return false;
  }
  static constexpr std::string_view kBoundConditions =
      "Ready=True:Available ClassResolved=True:OperatorDefault ConnectionSecretPropagated=True:Propagated";

  ::chandler::testing::MemoryServer world{"claims-controller"};
  ::chandler::testing::FakeClock& clock = world.clock;
  ClaimSettings settings;
  bool provider_works = true;
  bool catalog_works = false;
  std::vector<std::unique_ptr<Process>> processes;
};

}  // namespace chandler::reconcilers::claims::testing
