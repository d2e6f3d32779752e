// For tests of the service catalog's rules: schema, engine and rules together, over a store in memory.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "admission/admission.h"
#include "admission/cache_lookup.h"
#include "admission/catalog_requester.h"
#include "admission/rule_rows.h"
#include "registry/kinds.h"
#include "registry/registry_fixture.h"

namespace chandler::admission {

class CatalogWrites : public ::testing::Test {
 protected:
  CatalogWrites() {
    auto loaded = registry::EmbeddedKinds::load();
    EXPECT_TRUE(loaded.ok()) << loaded.error().message;
    embedded_ = std::move(loaded).value();
    kinds_.put_all(embedded_->kinds());
    for (const auto& kind : embedded_->kinds()) EXPECT_TRUE(cache_.serve(*kind).ok());
    EXPECT_TRUE(cache_.follow(store_).ok());
    EXPECT_TRUE(create("namespaces", "", "metadata: {name: dev}", "").ok());
  }
  ~CatalogWrites() override { store_.stop(); }

  std::shared_ptr<registry::WriteRequest> request(std::string_view plural, std::string_view ns,
                                                  std::string_view group) {
    auto out = std::make_shared<registry::WriteRequest>();
    out->kind = kinds_.current()->find(group, plural);
    EXPECT_NE(out->kind, nullptr) << plural;
    out->version = &out->kind->storage_version();
    out->ns = ns;
    out->user = std::make_shared<const auth::User>(user_);
    out->validation = registry::FieldValidation::kStrict;
    return out;
  }

  Result<registry::WriteResult> create(std::string_view plural, std::string_view ns, std::string_view yaml,
                                       std::string_view group = kCatalogGroup) {
    auto object = json::parse_yaml(yaml);
    EXPECT_TRUE(object.ok()) << yaml;
    return objects_.create_and_wait(request(plural, ns, group), std::move(object).value());
  }

  // The fields at fault; empty when it was stored.
  std::vector<std::string> faults(std::string_view plural, std::string_view ns, std::string_view yaml) {
    const auto made = create(plural, ns, yaml);
    std::vector<std::string> fields;
    if (made.ok()) return fields;
    EXPECT_EQ(made.error().http(), 422) << made.error().message;
    for (const auto& cause : made.error().causes) fields.push_back(cause.field);
    std::sort(fields.begin(), fields.end());
    return fields;
  }

  Result<registry::WriteResult> update(std::string_view plural, std::string_view name,
                                       const std::function<void(json::Value&)>& change, std::string subresource = "") {
    auto asked = request(plural, "dev", kCatalogGroup);
    asked->name = name;
    asked->subresource = std::move(subresource);
    return objects_.update_and_wait(asked, [&](const registry::Document& current) -> Result<json::Value> {
      auto object = current.parse();
      change(object);
      return object;
    });
  }

  ::chandler::testing::FakeClock clock_;
  metrics::Registry metrics_;
  registry::KindTable kinds_;
  registry::Cache cache_{nullptr, metrics_};
  storage::MemoryStore store_;
  std::unique_ptr<registry::EmbeddedKinds> embedded_;
  auth::User user_{.name = "root", .uid = "", .groups = {std::string(auth::kMasters)}, .extra = {}};
  CacheLookup lookup_{kinds_, cache_};
  auth::PolicyStore policy_;
  KindAdmission admission_{lookup_, policy_, clock_};
  registry::Objects objects_{store_, cache_, nullptr, admission_, clock_};
};

}  // namespace chandler::admission
