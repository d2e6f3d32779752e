// The server without network and disk, for tests of modules that reach objects through the client only: kinds, rules,
// admission and a store in memory, with users who may do everything. Used from one thread; the store's own thread works
// only while the caller waits for it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "admission/admission.h"
#include "admission/cache_lookup.h"
#include "auth/policy_store.h"
#include "base/check.h"
#include "client/local/local_api.h"
#include "json/yaml.h"
#include "registry/cache.h"
#include "registry/kind_loader.h"
#include "registry/objects.h"
#include "storage/memory/memory_store.h"
#include "support/fake_clock.h"

namespace chandler::testing {

class MemoryServer {
 public:
  using Change = std::function<void(json::Object&)>;

  // `account`: the service account in kube-system as which controllers act.
  explicit MemoryServer(std::string_view account) {
    static const auto embedded = [] {
      auto loaded = registry::EmbeddedKinds::load();
      CH_CHECK(loaded.ok());
      return std::move(loaded).value();
    }();
    kinds_.put_all(embedded->kinds());
    for (const auto& kind : embedded->kinds()) CH_CHECK(cache_.serve(*kind).ok());
    auto identity = client::service_account("kube-system", account);
    identity.groups.emplace_back(auth::kMasters);
    api_ = std::make_unique<client::LocalApi>(kinds_, cache_, objects_, policy_, identity);
    CH_CHECK(cache_.follow(store_).ok());
  }
  ~MemoryServer() { store_.stop(); }
  MemoryServer(const MemoryServer&) = delete;
  MemoryServer& operator=(const MemoryServer&) = delete;

  client::Api& api() { return *api_; }
  client::State& state() { return api_->state(); }

  // What a user does; it must be allowed.
  client::Object create(const client::KindName& kind, std::string_view ns, std::string_view yaml) {
    auto object = json::parse_yaml(yaml);
    CH_CHECK(object.ok());
    auto made = objects_.create_and_wait(request(kind, ns, ""), *std::move(object));
    EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().message) << "\n" << yaml;
    return made.ok() ? client::Object(made->document) : client::Object();
  }
  void update(const client::KindName& kind, std::string_view ns, std::string_view name, const Change& change,
              std::string_view subresource = "") {
    auto asked = request(kind, ns, name);
    asked->subresource = subresource;
    auto made = objects_.update_and_wait(asked, [&](const registry::Document& current) -> Result<json::Value> {
      auto value = current.parse();
      change(value.as_object());
      return value;
    });
    EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().message);
  }
  void remove(const client::KindName& kind, std::string_view ns, std::string_view name) {
    auto gone = objects_.remove_and_wait(request(kind, ns, name), {});
    EXPECT_TRUE(gone.ok()) << (gone.ok() ? "" : gone.error().message);
  }

  // Serves the kind of a CustomResourceDefinition from now on, as the server does when one is created or changed.
  void serve(std::string_view definition) {
    auto parsed = json::parse_yaml(definition);
    CH_CHECK(parsed.ok());
    meta::FieldErrors faults;
    auto kind = registry::load_kind(*parsed, nullptr, nullptr, faults);
    CH_CHECK(kind != nullptr && faults.empty());
    CH_CHECK(cache_.serve(*kind).ok());
    kinds_.put(std::move(kind));
  }
  bool serves(const client::KindName& kind) const { return kinds_.current()->find(kind.group, kind.plural) != nullptr; }

  FakeClock clock;

 private:
  std::shared_ptr<registry::WriteRequest> request(const client::KindName& kind, std::string_view ns,
                                                  std::string_view name) const {
    auto out = std::make_shared<registry::WriteRequest>();
    out->kind = kinds_.current()->find(kind.group, kind.plural);
    CH_CHECK(out->kind != nullptr);
    out->version = &out->kind->storage_version();
    out->ns = ns;
    out->name = name;
    out->user = std::make_shared<const auth::User>(
        auth::User{.name = "ann", .uid = {}, .groups = {std::string(auth::kMasters)}, .extra = {}});
    return out;
  }

  registry::KindTable kinds_;
  metrics::Registry metrics_;
  registry::Cache cache_{nullptr, metrics_};
  storage::MemoryStore store_;
  admission::CacheLookup lookup_{kinds_, cache_};
  auth::PolicyStore policy_;
  admission::KindAdmission admission_{lookup_, policy_, clock};
  registry::Objects objects_{store_, cache_, nullptr, admission_, clock};
  std::unique_ptr<client::LocalApi> api_;
};

}  // namespace chandler::testing
