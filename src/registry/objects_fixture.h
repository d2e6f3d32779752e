// For tests: Objects over a store in memory, and its calls with few words.
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "registry/objects.h"
#include "registry/registry_fixture.h"

namespace chandler::registry {

class ObjectsTest : public ::testing::Test {
 protected:
  static std::shared_ptr<WriteRequest> request(const KindPtr& kind, std::string_view name = "",
                                               std::string_view subresource = "") {
    auto out = std::make_shared<WriteRequest>();
    out->kind = kind;
    out->version = &kind->storage_version();
    out->ns = "ns";
    out->name = name;
    out->subresource = subresource;
    out->may_create = [] { return Result<void>(); };
    return out;
  }

  Result<WriteResult> create(const KindPtr& kind, std::string_view object) {
    return objects_.create_and_wait(request(kind), testing::yaml(object));
  }
  Result<WriteResult> put(const std::shared_ptr<WriteRequest>& asked, json::Value body) {
    std::promise<Result<WriteResult>> promise;
    objects_.update(
        asked, [body](const Document&) -> Result<json::Value> { return body; }, &body,
        [&](Result<WriteResult> result) { promise.set_value(std::move(result)); });
    return promise.get_future().get();
  }
  Result<WriteResult> put(const KindPtr& kind, std::string_view name, json::Value body,
                          std::string_view subresource = "") {
    return put(request(kind, name, subresource), std::move(body));
  }
  // A patch: whatever `change` makes of the stored object.
  Result<WriteResult> patch(const KindPtr& kind, std::string_view name, const std::function<void(json::Value&)>& change,
                            std::string_view subresource = "") {
    return objects_.update_and_wait(request(kind, name, subresource),
                                    [change](const Document& current) -> Result<json::Value> {
                                      json::Value object = current.parse();
                                      change(object);
                                      return object;
                                    });
  }
  Result<WriteResult> remove(const KindPtr& kind, std::string_view name, DeleteOptions options = {}) {
    return objects_.remove_and_wait(request(kind, name), std::move(options));
  }
  json::Value get(const KindPtr& kind, std::string_view name) {
    const auto document = world_.cache.get(*kind, "ns", name);
    EXPECT_NE(document, nullptr) << name;
    return document == nullptr ? json::Value(json::Object{{"metadata", json::Object()}}) : document->parse();
  }
  int64_t generation(std::string_view name) {
    return json::int_at(get(testing::widgets(), name).at("metadata"), "generation").value_or(-1);
  }
  static void paint(json::Value& object, std::string_view color) {
    auto& spec = object.as_object()["spec"];
    if (!spec.is_object()) spec.emplace_object();
    spec.get_object()["color"] = color;
  }

  testing::FakeAdmission admission_;
  ::chandler::testing::FakeClock clock_;
  testing::CacheOverMemory world_;
  Objects objects_{world_.store, world_.cache, nullptr, admission_, clock_};
};

}  // namespace chandler::registry
