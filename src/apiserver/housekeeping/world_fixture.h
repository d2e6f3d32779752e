// For the tests of this folder: the kinds of the program with their rules over a store in memory, without sockets.
// Duties are made after the world (their listeners must be there before the cache follows the store) and end before it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "admission/admission.h"
#include "admission/cache_lookup.h"
#include "apiserver/embedded_kinds_fixture.h"
#include "json/yaml.h"
#include "registry/cache.h"
#include "registry/kinds.h"
#include "registry/objects.h"
#include "storage/memory/memory_store.h"
#include "support/eventually.h"
#include "support/fake_clock.h"

namespace chandler::apiserver::testing {

class World {
 public:
  World() {
    kinds.put_all(embedded_kinds());
    for (const auto& kind : embedded_kinds()) EXPECT_TRUE(cache.serve(*kind).ok());
  }
  // No thread of the store may call listeners of duties that are gone.
  ~World() { store.stop(); }

  void follow() { EXPECT_TRUE(cache.follow(store).ok()); }

  registry::KindPtr kind(std::string_view plural, std::string_view group = "") const {
    auto found = kinds.current()->find(group, plural);
    EXPECT_NE(found, nullptr) << plural;
    return found;
  }
  registry::KindPtr crds() const { return kind("customresourcedefinitions", "apiextensions.k8s.io"); }

  Result<registry::WriteResult> try_create(const registry::KindPtr& of, std::string_view ns, std::string_view yaml) {
    auto object = json::parse_yaml(yaml);
    EXPECT_TRUE(object.ok()) << yaml;
    return objects.create_and_wait(request(of, ns, ""), std::move(object).value());
  }
  // The uid of what was made.
  std::string create(const registry::KindPtr& of, std::string_view ns, std::string_view yaml) {
    const auto made = try_create(of, ns, yaml);
    EXPECT_TRUE(made.ok()) << made.error().message << "\n" << yaml;
    return made.ok() ? made->uid : "";
  }
  std::string create_namespace(std::string_view name) {
    return create(kind("namespaces"), "", "{metadata: {name: " + std::string(name) + "}}");
  }
  // A ConfigMap of the namespace ns; `metadata` is YAML behind its name.
  std::string create_config(std::string_view name, std::string_view metadata = "") {
    return create(kind("configmaps"), "ns", "{metadata: {name: " + std::string(name) + std::string(metadata) + "}}");
  }
  void update(const registry::KindPtr& of, std::string_view ns, std::string_view name,
              const std::function<void(json::Value&)>& change) {
    const auto done =
        objects.update_and_wait(request(of, ns, name), [&](const registry::Document& current) -> Result<json::Value> {
          json::Value object = current.parse();
          change(object);
          return object;
        });
    EXPECT_TRUE(done.ok()) << done.error().message;
  }
  void drop_finalizers(const registry::KindPtr& of, std::string_view ns, std::string_view name) {
    update(of, ns, name, [](json::Value& object) { object.at("metadata").as_object().erase("finalizers"); });
  }
  void remove(const registry::KindPtr& of, std::string_view ns, std::string_view name,
              registry::DeleteOptions::Propagation propagation = registry::DeleteOptions::Propagation::kDefault) {
    registry::DeleteOptions options;
    options.propagation = propagation;
    const auto done = objects.remove_and_wait(request(of, ns, name), std::move(options));
    EXPECT_TRUE(done.ok()) << done.error().message;
  }

  registry::DocumentPtr get(const registry::KindPtr& of, std::string_view ns, std::string_view name) const {
    return cache.get(*of, ns, name);
  }
  bool has(const registry::KindPtr& of, std::string_view ns, std::string_view name) const {
    return get(of, ns, name) != nullptr;
  }
  bool has_config(std::string_view name) const { return has(kind("configmaps"), "ns", name); }

  // "True", "False" or "" of a condition in the object's status, with its reason: "True NoConflicts".
  std::string condition(const registry::KindPtr& of, std::string_view name, std::string_view type) const {
    const auto document = get(of, "", name);
    if (document == nullptr) return "";
    const auto object = document->parse();
    const auto* status = json::find(object, "status");
    const auto* conditions = status == nullptr ? nullptr : json::array_at(*status, "conditions");
    for (size_t i = 0; conditions != nullptr && i < conditions->size(); ++i) {
      const auto& item = (*conditions)[i];
      if (json::string_or(item, "type") == type)
        return json::string_or(item, "status") + " " + json::string_or(item, "reason");
    }
    return "";
  }

  // Who may do what; empty, so that only the masters may grant.
  auth::PolicyStore& policy() { return policy_; }

  ::chandler::testing::FakeClock clock;
  metrics::Registry metrics;
  registry::KindTable kinds;
  registry::Cache cache{nullptr, metrics};
  storage::MemoryStore store;

 private:
  static std::shared_ptr<registry::WriteRequest> request(const registry::KindPtr& of, std::string_view ns,
                                                         std::string_view name) {
    auto out = std::make_shared<registry::WriteRequest>();
    out->kind = of;
    out->version = &of->storage_version();
    out->ns = ns;
    out->name = name;
    out->user = std::make_shared<const auth::User>(
        auth::User{.name = "tester", .uid = {}, .groups = {std::string(auth::kMasters)}, .extra = {}});
    return out;
  }

  admission::CacheLookup lookup_{kinds, cache};
  auth::PolicyStore policy_;
  admission::KindAdmission admission_{lookup_, policy_, clock};

 public:
  registry::Objects objects{store, cache, nullptr, admission_, clock};
};

}  // namespace chandler::apiserver::testing
