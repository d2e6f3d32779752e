// For the tests of this folder: a small registry whose writes are reviewed, and webhooks that answer as a test says,
// without a network.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "admission/fake_lookup.h"
#include "base/text.h"
#include "registry/registry_fixture.h"
#include "webhooks/webhook_reviewer.h"

namespace chandler::webhooks::testing {

// Answers at once, or when the test says so.
class FakeClient final : public http::Client {
 public:
  using Answer = std::function<http::ClientOutcome(const http::ClientRequest& request, const json::Value& review)>;

  Ticket send(http::ClientRequest request, Done done) override {
    auto review = json::parse(request.body);
    EXPECT_TRUE(review.ok());
    const auto host = request.url.substr(0, request.url.find('?'));
    urls.push_back(host);
    reviews.push_back(*review);
    requests.push_back(request);
    const auto found = answers.find(host);
    if (found == answers.end()) {
      done(fail(http::ClientFailure{http::ClientFailure::Kind::kConnect, "connection refused", false}));
      return 0;
    }
    if (hold) {
      held.push_back([answer = found->second, request, review = *review, done] { done(answer(request, review)); });
    } else {
      done(found->second(request, *review));
    }
    return 0;
  }
  void cancel(Ticket) override {}
  void stop() override {}

  std::map<std::string, Answer> answers;  // by URL
  std::vector<std::string> urls;
  std::vector<json::Value> reviews;
  std::vector<http::ClientRequest> requests;
  bool hold = false;
  std::vector<std::function<void()>> held;
};

inline http::ClientOutcome answer(std::string body, int status = 200) {
  http::ClientResponse response;
  response.status = status;
  response.body = std::move(body);
  return response;
}

// An AdmissionReview with the question's uid and the members given, in JSON without the braces.
inline FakeClient::Answer responds(std::string members) {
  return [members](const http::ClientRequest&, const json::Value& review) {
    return answer(
        fmt::format(R"({{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{{"uid":"{}",{}}}}})",
                    json::string_or(review.at("request"), "uid"), members));
  };
}
inline FakeClient::Answer allows() { return responds(R"("allowed":true)"); }
inline FakeClient::Answer patches(std::string_view operations) {
  return responds(fmt::format(R"("allowed":true,"patchType":"JSONPatch","patch":"{}")", base64_encode(operations)));
}

inline const registry::EmbeddedKinds& embedded() {
  static const auto loaded = [] {
    auto result = registry::EmbeddedKinds::load();
    EXPECT_TRUE(result.ok());
    return std::move(result).value();
  }();
  return *loaded;
}

class WebhookTest : public ::testing::Test {
 protected:
  WebhookTest() {
    for (const auto& kind : embedded().kinds()) {
      if (kind->group == kGroup) {
        kinds_.put(kind);
        EXPECT_TRUE(world_.cache.serve(*kind).ok());
      }
    }
    reviewer_.follow(world_.cache);
    EXPECT_TRUE(world_.cache.follow(world_.store).ok());
    objects_.use(reviewer_);
    lookup_.add("/namespaces", R"({"metadata":{"name":"ns","labels":{"team":"blue"}}})");
  }

  std::shared_ptr<registry::WriteRequest> request(const registry::KindPtr& kind, std::string_view name = "",
                                                  std::string_view subresource = "") {
    auto out = std::make_shared<registry::WriteRequest>();
    out->kind = kind;
    out->version = &kind->storage_version();
    out->ns = kind->namespaced ? "ns" : "";
    out->name = name;
    out->subresource = subresource;
    out->user =
        std::make_shared<const auth::User>(auth::User{.name = "jane", .uid = {}, .groups = {"devs"}, .extra = {}});
    out->dry_run = dry_run_;
    out->manager = manager_;
    return out;
  }
  // `hooks`: YAML of the list; each is completed with what all have in common.
  void configure(std::string_view sort, std::string_view name, std::string_view hooks) {
    const auto kind = kinds_.current()->find(kGroup, std::string(sort) + "webhookconfigurations");
    ASSERT_NE(kind, nullptr);
    json::Array list = registry::testing::yaml(hooks).as_array();
    for (auto& hook : list) {
      auto& members = hook.as_object();
      const auto add = [&](const char* key, json::Value value) {
        if (!members.contains(key)) members[key] = std::move(value);
      };
      const auto hook_name = json::string_or(hook, "name");
      add("clientConfig", json::Object{{"url", "https://" + hook_name}});
      add("rules",
          registry::testing::yaml("[{operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*']}]"));
      add("sideEffects", "None");
      add("admissionReviewVersions", json::Array{"v1"});
    }
    json::Object object{{"metadata", json::Object{{"name", name}}}, {"webhooks", std::move(list)}};
    const auto made = objects_.create_and_wait(request(kind), std::move(object));
    ASSERT_TRUE(made.ok()) << made.error().message;
  }
  Result<registry::WriteResult> create(std::string_view object) {
    return objects_.create_and_wait(request(registry::testing::widgets()), registry::testing::yaml(object));
  }
  Result<registry::WriteResult> patch(std::string_view name, const std::function<void(json::Value&)>& change,
                                      std::string_view subresource = "") {
    return objects_.update_and_wait(request(registry::testing::widgets(), name, subresource),
                                    [change](const registry::Document& current) -> Result<json::Value> {
                                      json::Value object = current.parse();
                                      change(object);
                                      return object;
                                    });
  }
  static std::string color(const Result<registry::WriteResult>& result) {
    if (!result.ok()) return "failed: " + result.error().message;
    const auto object = json::parse(result->json());
    const auto* value = object.ok() ? json::find_path(*object, {"spec", "color"}) : nullptr;
    return value == nullptr ? "" : std::string(json::view(value->as_string()));
  }

  bool dry_run_ = false;
  std::string manager_;
  FakeClient client_;
  admission::FakeLookup lookup_;
  registry::testing::FakeAdmission admission_;
  ::chandler::testing::FakeClock clock_;
  registry::KindTable kinds_;
  metrics::Registry metrics_;
  registry::testing::CacheOverMemory world_{false};
  WebhookReviewer reviewer_{client_, lookup_, metrics_, clock_, [](const std::function<void()>& work) { work(); }};
  registry::Objects objects_{world_.store, world_.cache, nullptr, admission_, clock_};
};

}  // namespace chandler::webhooks::testing
