// For tests of the volume controllers: the engine over an API in memory, a disk that remembers what lies on it, and a
// process that dies whenever the test says so. Every write must fit the schema of its kind.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "controller/engine.h"
#include "controller/fake_api.h"
#include "reconcilers/catalog/conditions.h"
#include "reconcilers/catalog/document.h"
#include "reconcilers/volume/claim_reconciler.h"
#include "reconcilers/volume/volume_kinds.h"
#include "reconcilers/volume/volume_reconciler.h"
#include "support/embedded_kinds.h"
#include "support/fake_clock.h"

namespace chandler::reconcilers::testing {

// What LocalVolumeSender is in production.
class FakeDisk final : public controller::CallSender {
 public:
  void send(const osb::Endpoint&, const osb::Call& call, Done done) override {
    held.emplace_back(call, std::move(done));
    if (!hold) release();
  }
  void release() {
    auto [call, done] = std::move(held.front());
    held.pop_front();
    done(perform(call));
  }
  osb::Answer perform(const osb::Call& call) {
    osb::Answer answer;
    const std::string place = call.plan_id + "/" + call.instance_id;
    log.push_back((call.method == osb::Method::kProvision ? "make " : "remove ") + place);
    answer.status = fail_with != 0 ? fail_with : 200;
    answer.description = fail_with != 0 ? "the disk is full" : "";
    if (fail_with != 0) return answer;
    if (call.method == osb::Method::kProvision) {
      volumes[place] = call.body;
      answer.body = json::Object{{"path", "/pools/" + place}};
    } else {
      volumes.erase(place);
    }
    return answer;
  }

  std::deque<std::pair<osb::Call, Done>> held;
  std::map<std::string, json::Value> volumes;  // "pool/pvc-uid" to what was ordered
  std::vector<std::string> log;
  int fail_with = 0;
  bool hold = false;
};

class VolumeWorld : public ::testing::Test {
 protected:
  VolumeWorld() {
    settings.pools = {{"one", "east"}, {"two", "west"}};
    settings.has_images = true;
    settings.node = "here";
    objects.fail_before = [](const client::Write& write) -> std::optional<Error> {
      if (write.kind.plural != "events" && write.verb != client::Write::Verb::kDelete) {
        EXPECT_EQ(::chandler::testing::faults_of(write.kind, write.object), "") << json::write(write.object);
      }
      return std::nullopt;
    };
  }

  void start() {
    engine.reset();
    metrics = std::make_unique<::chandler::metrics::Registry>();
    engine = std::make_unique<controller::Engine>(objects, disk, clock, *metrics, controller::EngineOptions{});
    engine->add(std::make_unique<ClaimReconciler>(settings));
    engine->add(std::make_unique<VolumeReconciler>(settings));
    engine->start();
  }
  void settle() {
    if (engine == nullptr) start();
    for (int i = 0; i < 20'000; ++i) {
      if (!engine->turn()) return;
    }
    FAIL() << "never settles";
  }
  // One write or one thing on the disk. False: there is nothing to do.
  bool one_effect() {
    settle();
    if (!objects.held.empty()) {
      objects.release(1);
    } else if (!disk.held.empty()) {
      disk.release();
    } else {
      return false;
    }
    return true;
  }
  // The process ends while something is under way, which has happened or has not; the next one starts.
  void die(bool it_happened) {
    settle();
    engine.reset();
    if (it_happened) {
      while (!objects.held.empty()) objects.release(1);
      while (!disk.held.empty()) disk.release();
    }
    objects.held.clear();
    disk.held.clear();
    start();
  }
  void run_to_end() {
    for (int i = 0; i < 1'000; ++i) {
      if (!one_effect()) return;
    }
    FAIL() << "goes on and on";
  }

  // --- users
  void put_class(const std::string& rest, const std::string& name = "fast") {
    put(kStorageClasses, fmt::format("{{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {{name: {}}}, "
                                     "provisioner: chandler.io/local, reclaimPolicy: Delete, {}}}",
                                     name, rest.empty() ? "volumeBindingMode: Immediate" : rest));
  }
  void put_claim(const std::string& rest = "storageClassName: fast", const std::string& name = "data",
                 const std::string& annotations = "") {
    put(kClaims,
        fmt::format("{{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {{name: {}, namespace: dev, uid: uid-{}, "
                    "annotations: {{{}}}, finalizers: [kubernetes.io/pvc-protection]}}, spec: {{accessModes: "
                    "[ReadWriteOnce], resources: {{requests: {{storage: 1Gi}}}}, volumeMode: Filesystem, {}}}, status: "
                    "{{phase: Pending}}}}",
                    name, name, annotations, rest));
  }
  void put_volume(const std::string& name, const std::string& rest, const std::string& labels = "") {
    put(kVolumes, fmt::format("{{apiVersion: v1, kind: PersistentVolume, metadata: {{name: {}, labels: {{{}}}, "
                              "finalizers: [kubernetes.io/pv-protection]}}, spec: {{accessModes: [ReadWriteOnce], "
                              "volumeMode: Filesystem, hostPath: {{path: /x}}, persistentVolumeReclaimPolicy: Retain, "
                              "{}}}, status: {{phase: Pending}}}}",
                              name, labels, rest));
  }
  void put(const client::KindName& kind, const std::string& yaml) {
    const auto parsed = json::parse_yaml(yaml);
    ASSERT_TRUE(parsed.ok()) << yaml;
    EXPECT_EQ(::chandler::testing::faults_of(kind, *parsed), "") << yaml;
    objects.put(kind, yaml);
  }
  template <typename Change>
  void edit(const client::KindName& kind, const std::string& ns, const std::string& name, Change change) {
    auto value = objects.get(kind, ns, name).value();
    change(value.as_object());
    objects.put(kind, json::write(value));
  }
  // As the API does it, with the protection of claims that nobody uses let go of.
  void delete_claim(const std::string& name = "data") {
    const auto claim = objects.get(kClaims, "dev", name);
    if (!claim) return;
    if (!has_finalizer(claim, kOrderFinalizer)) return objects.remove(kClaims, "dev", name);
    edit(kClaims, "dev", name, [](json::Object& root) {
      auto& metadata = object_in(root, "metadata");
      metadata["deletionTimestamp"] = "2026-01-01T00:00:00Z";
      metadata["finalizers"] = json::Array{text(kOrderFinalizer)};
    });
  }

  // --- looking
  std::string claim_phase(const std::string& name = "data") const {
    const auto claim = objects.get(kClaims, "dev", name);
    return claim ? text_at(status_of(claim), "phase") : "gone";
  }
  std::string bound_to(const std::string& name = "data") const {
    return text_at(spec_of(objects.get(kClaims, "dev", name)), "volumeName");
  }
  std::string volume_phase(const std::string& name) const {
    const auto volume = objects.get(kVolumes, "", name);
    return volume ? text_at(status_of(volume), "phase") : "gone";
  }
  std::string waits(const std::string& name = "data") const {
    const auto claim = objects.get(kClaims, "dev", name);
    const auto* said = condition(status_of(claim), kBoundCondition);
    return said == nullptr ? "" : text_at(*said, "reason") + ": " + text_at(*said, "message");
  }
  std::string event(std::string_view reason) const {
    for (const auto& object : objects.list({"", "events"}, {})) {
      if (text_at(object.value(), "reason") == reason) return text_at(object.value(), "message");
    }
    return "";
  }
  size_t volume_count() const { return objects.list(kVolumes, {}).size(); }

  VolumeSettings settings;
  controller::FakeApi objects;
  FakeDisk disk;
  ::chandler::testing::FakeClock clock;
  std::unique_ptr<::chandler::metrics::Registry> metrics;
  std::unique_ptr<controller::Engine> engine;
};

}  // namespace chandler::reconcilers::testing
