#include "client/rest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/faulty_api_fixture.h"

namespace chandler::client {
namespace {

using registry::testing::yaml;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class RestTest : public ::testing::Test {
 protected:
  testing::FaultyApi server;
  std::unique_ptr<http::Client> client = http::Client::create({});
  Rest rest{*client, server.connection(), "svcat"};
  const Resource widgets{"example.com", "v1", "widgets"};

  static json::Value widget(std::string_view name, std::string_view color) {
    return yaml("{apiVersion: example.com/v1, kind: Widget, metadata: {name: " + std::string(name) +
                "}, spec: {color: " + std::string(color) + "}}");
  }
};

TEST_F(RestTest, EachCallIsOneRequest) {
  auto made = rest.create(widgets, "ns", widget("a", "red"));
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_THAT(server.last("POST"), HasSubstr("/apis/example.com/v1/namespaces/ns/widgets?fieldManager=svcat"));
  made->at("spec").as_object()["color"] = "blue";
  auto updated = rest.update(widgets, "ns", "a", *made);
  ASSERT_TRUE(updated.ok()) << updated.error().message;
  updated->as_object()["status"] = json::Object{{"phase", "Ready"}};
  ASSERT_TRUE(rest.update_status(widgets, "ns", "a", *updated).ok());
  const auto got = rest.get(widgets, "ns", "a");
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(json::string_or(got->at("spec"), "color"), "blue");
  EXPECT_EQ(json::string_or(got->at("status"), "phase"), "Ready");
  DeleteRequest wrong;
  wrong.uid = "another";
  EXPECT_EQ(rest.remove(widgets, "ns", "a", wrong).error().reason, Reason::kConflict);
  EXPECT_TRUE(rest.remove(widgets, "ns", "a").ok());
  EXPECT_EQ(rest.get(widgets, "ns", "a").error().reason, Reason::kNotFound);
  EXPECT_EQ(server.count(""), 7u);
}

TEST_F(RestTest, APatchMergesOrOnlyTries) {
  server.put("ns", "a", "spec: {color: red, size: 3}");
  const auto patch = yaml("{spec: {color: blue, size: null}}");
  WriteOptions options;
  options.dry_run = true;
  options.strict = false;
  const auto tried = rest.patch(widgets, "ns", "a", patch, options);
  ASSERT_TRUE(tried.ok()) << tried.error().message;
  EXPECT_EQ(json::string_or(tried->at("spec"), "color"), "blue");
  EXPECT_THAT(server.last("PATCH"), HasSubstr("dryRun=All&fieldValidation=Warn"));
  EXPECT_THAT(std::string(server.get("ns", "a")->bytes()), HasSubstr("red"));
  ASSERT_TRUE(rest.patch(widgets, "ns", "a", patch).ok());
  EXPECT_THAT(std::string(server.get("ns", "a")->bytes()), HasSubstr("blue"));
}

TEST_F(RestTest, PagesComeOneByOne) {
  for (const auto* name : {"a", "b", "c"}) server.put("ns", name, "spec: {color: red}");
  server.put("ns", "d", "spec: {color: 'x,y'}");
  ListRequest request;
  request.ns = "ns";
  request.limit = 2;
  std::vector<size_t> sizes;
  const auto page = [&](const json::Value& list) {
    sizes.push_back(list.at("items").as_array().size());
    return true;
  };
  ASSERT_TRUE(rest.list(widgets, request, page).ok());
  EXPECT_THAT(sizes, ElementsAre(2u, 2u));
  sizes.clear();
  request.field_selector = "spec.color=x\\,y";
  ASSERT_TRUE(rest.list(widgets, request, page).ok());
  EXPECT_THAT(sizes, ElementsAre(1u));
  request.field_selector.clear();
  const auto before = server.count("");
  ASSERT_TRUE(rest.list(widgets, request, [](const json::Value&) { return false; }).ok());
  EXPECT_LE(server.count(""), before + 2) << "who has had enough gets no more than what was on its way";
}

TEST_F(RestTest, WarningsAreTold) {
  std::vector<std::string> told;
  rest.on_warning([&](const std::string& text) { told.push_back(text); });
  server.warn(R"(299 - "spec.old is deprecated")");
  ASSERT_TRUE(rest.create(widgets, "ns", widget("a", "red")).ok());
  EXPECT_THAT(told, ElementsAre("spec.old is deprecated"));
  ASSERT_TRUE(rest.get(widgets, "ns", "a").ok());
  EXPECT_EQ(told.size(), 2u) << "with every answer";
}

TEST_F(RestTest, AWatchRunsOnTheCallersThreadUntilItIsEnough) {
  server.put("ns", "a");
  WatchRequest request;
  request.ns = "ns";
  request.name = "a";
  request.resource_version = "0";
  std::vector<std::string> seen;
  const auto caller = std::this_thread::get_id();
  const auto ended = rest.watch(widgets, request, [&](std::string_view type, const json::Value& object) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    seen.push_back(std::string(type) + " " + json::string_or(object.at("metadata"), "name"));
    if (type == "ADDED") {
      server.put("ns", "b");
      server.erase("ns", "a");
    }
    return type != "DELETED";
  });
  EXPECT_TRUE(ended.ok()) << ended.error().message;
  EXPECT_THAT(seen, ElementsAre("ADDED a", "DELETED a"));
}

TEST_F(RestTest, AWatchEndsWithTheServersError) {
  server.put("ns", "a");
  server.forget();
  WatchRequest request;
  request.resource_version = "0";
  const auto ended = rest.watch(widgets, request, [](std::string_view, const json::Value&) { return true; });
  ASSERT_FALSE(ended.ok());
  EXPECT_EQ(ended.error().reason, Reason::kExpired);
  server.fail({"watch", 1, 403, "", ""});
  const auto refused = rest.watch(widgets, request, [](std::string_view, const json::Value&) { return true; });
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().reason, Reason::kForbidden);
}

TEST_F(RestTest, AnyPathCanBeRead) {
  const auto version = rest.get_text("/version");
  ASSERT_TRUE(version.ok());
  EXPECT_THAT(*version, HasSubstr("gitVersion"));
  EXPECT_EQ(rest.get_text("/nothing").error().reason, Reason::kNotFound);
}

TEST_F(RestTest, SaysWhichServerIsNotThere) {
  auto connection = server.connection();
  connection.server = "http://127.0.0.1:1";
  Rest nowhere(*client, connection, "svcat");
  const auto failed = nowhere.get(widgets, "ns", "a");
  ASSERT_FALSE(failed.ok());
  EXPECT_THAT(failed.error().message, HasSubstr("cannot connect to http://127.0.0.1:1"));
  Rest stranger(*client, server.connection("wrong"), "svcat");
  EXPECT_EQ(stranger.get(widgets, "ns", "a").error().reason, Reason::kUnauthorized);
}

TEST(ResourcePath, EscapesEveryPart) {
  EXPECT_EQ(resource_path({"", "v1", "secrets"}, "ns", "a"), "/api/v1/namespaces/ns/secrets/a");
  EXPECT_EQ(resource_path({"g.io", "v1", "things"}, "", "a/../b?c", "status"),
            "/apis/g.io/v1/things/a%2F..%2Fb%3Fc/status");
  EXPECT_EQ(resource_path({"g.io", "v1", "things"}, ""), "/apis/g.io/v1/things");
  EXPECT_EQ(query_text({{"a", "x&y"}, {"b", ""}}), "?a=x%26y&b=");
  EXPECT_EQ(query_text({}), "");
}

}  // namespace
}  // namespace chandler::client
