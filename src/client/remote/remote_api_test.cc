#include "client/remote/remote_api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "client/faulty_api_fixture.h"

namespace chandler::client {
namespace {

using ::chandler::testing::eventually;
using registry::testing::yaml;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr KindName kWidgets{"example.com", "widgets"};
constexpr std::string_view kWatch = "GET /apis/example.com/v1/widgets?watch";
constexpr std::string_view kList = "GET /apis/example.com/v1/widgets?limit";

class RemoteApiTest : public ::testing::Test {
 protected:
  static RemoteOptions quick() {
    RemoteOptions options;
    options.follow.page = 2;
    options.follow.first_delay = milliseconds(1);
    options.follow.last_delay = milliseconds(20);
    options.follow.short_watch = milliseconds(0);
    options.access.first_delay = milliseconds(1);
    return options;
  }
  explicit RemoteApiTest(const RemoteOptions& options = quick())
      : api(*client, server.connection(), {registry::testing::widgets(), registry::testing::notes()}, options) {}

  void follow() {
    api.state().listen({kWidgets}, [this](const Change& change) {
      const auto text = [](const Object& object) {
        if (!object) return std::string("none");
        const auto* spec = json::find(object.value(), "spec");
        return std::string(object.uid()) + "/" + (spec == nullptr ? "" : json::string_or(*spec, "color"));
      };
      MutexLock lock(mutex);
      told.push_back(text(change.before) + " -> " + text(change.now));
    });
    ASSERT_TRUE(api.state().wait_until_synced(seconds(10)));
    ASSERT_TRUE(tells(names().size())) << "what is visible is told soon after";
  }
  bool tells(size_t count) {
    return eventually([&] {
      MutexLock lock(mutex);
      return told.size() == count;
    });
  }
  std::vector<std::string> take_told() {
    MutexLock lock(mutex);
    return std::exchange(told, {});
  }
  bool has(std::string_view name) { return static_cast<bool>(api.state().get(kWidgets, "ns", name)); }
  std::vector<std::string> names(const Selection& selection = {}) {
    std::vector<std::string> out;
    for (const auto& object : api.state().list(kWidgets, selection)) out.emplace_back(object.name());
    return out;
  }
  bool watching() {
    return eventually([&] { return server.watches() == 1; });
  }
  Result<Object> write(Write::Verb verb, std::string name, json::Value object = {}, std::string uid = "") {
    Write out;
    out.verb = verb;
    out.kind = kWidgets;
    out.ns = "ns";
    out.name = std::move(name);
    out.object = std::move(object);
    out.uid = std::move(uid);
    std::promise<Result<Object>> promise;
    api.writer().write(std::move(out), [&](Result<Object> result) { promise.set_value(std::move(result)); });
    return promise.get_future().get();
  }
  static json::Value widget(std::string_view color) {
    return yaml("{apiVersion: example.com/v1, kind: Widget, spec: {color: " + std::string(color) + "}}");
  }

  testing::FaultyApi server;
  std::unique_ptr<http::Client> client = http::Client::create({});
  Mutex mutex;
  std::vector<std::string> told;
  RemoteApi api;
};

TEST_F(RemoteApiTest, ListsInPagesAndFollowsChanges) {
  for (const auto* name : {"a", "b", "c", "d", "e"}) server.put("ns", name, "spec: {color: red}");
  follow();
  EXPECT_EQ(names(), (std::vector<std::string>{"a", "b", "c", "d", "e"}));
  EXPECT_EQ(server.count(kList), 3u) << "five objects are three pages of two";
  EXPECT_EQ(take_told().size(), 5u);

  server.put("ns", "a", "spec: {color: blue}");
  server.erase("ns", "b");
  server.put("ns", "f", "spec: {color: blue}");
  ASSERT_TRUE(eventually([&] { return has("f"); }));
  EXPECT_EQ(names({"ns", {{"spec.color", "blue"}}}), (std::vector<std::string>{"a", "f"}));
  EXPECT_EQ(api.state().field(kWidgets, api.state().get(kWidgets, "ns", "f"), "spec.color"), "blue");
  EXPECT_TRUE(tells(3));
  EXPECT_THAT(take_told(), ElementsAre("ns-a/red -> ns-a/blue", "ns-b/red -> none", "none -> ns-f/blue"));
  EXPECT_EQ(json::string_or(api.state().get(kWidgets, "ns", "f").value(), "kind"), "Widget");
}

TEST_F(RemoteApiTest, AWatchThatEndsGoesOnWhereItWas) {
  follow();
  ASSERT_TRUE(watching());
  server.put("ns", "a");
  ASSERT_TRUE(eventually([&] { return has("a"); }));
  server.hang_up();
  ASSERT_TRUE(eventually([&] { return server.count(kWatch) == 2; }));
  server.put("ns", "b");
  ASSERT_TRUE(eventually([&] { return has("b"); }));
  EXPECT_EQ(server.count(kList), 1u);
}

TEST_F(RemoteApiTest, AfterTooLongAGapItListsAgainAndTellsTheDifference) {
  for (const auto* name : {"changed", "gone", "same"}) server.put("ns", name, "spec: {color: red}");
  server.put("ns", "anew", "{spec: {color: red}, metadata: {uid: first}}");
  follow();
  ASSERT_TRUE(watching());
  take_told();
  server.hold(true);
  server.put("ns", "changed", "spec: {color: blue}");
  server.erase("ns", "gone");
  server.erase("ns", "anew");
  server.put("ns", "anew", "{spec: {color: red}, metadata: {uid: second}}");
  server.put("ns", "more", "spec: {color: red}");
  server.forget();
  server.hold(false);
  ASSERT_TRUE(eventually([&] { return has("more"); }));
  EXPECT_TRUE(tells(5));
  EXPECT_THAT(take_told(), ElementsAre("ns-gone/red -> none", "first/red -> none", "none -> second/red",
                                       "ns-changed/red -> ns-changed/blue", "none -> ns-more/red"));
  EXPECT_THAT(api.state().problems(), IsEmpty()) << "falling behind is no fault";
}

TEST_F(RemoteApiTest, FailuresAreTriedAgain) {
  server.fail({std::string(kList), 3, 503, "", ""});
  server.fail({std::string(kWatch), 2, 500, "", ""});
  server.put("ns", "a");
  follow();
  ASSERT_TRUE(watching());
  server.put("ns", "b");
  EXPECT_TRUE(eventually([&] { return has("b"); }));
  EXPECT_EQ(server.count(kList), 4u);
  EXPECT_EQ(server.count(kWatch), 3u) << "a watch that got no answer needs no new list";
}

TEST_F(RemoteApiTest, AKindThatIsNotServedIsReportedAndTriedAgain) {
  server.fail({std::string(kList), 2, 404, "404 page not found\n", "1"});
  api.state().follow({kWidgets});
  ASSERT_TRUE(eventually([&] { return !api.state().problems().empty(); }));
  EXPECT_THAT(api.state().problems(),
              ElementsAre(HasSubstr("widgets.example.com: the server does not serve this kind")));
  EXPECT_FALSE(api.state().synced());
  ASSERT_TRUE(api.state().wait_until_synced(seconds(10)));
  EXPECT_THAT(api.state().problems(), IsEmpty());
}

TEST_F(RemoteApiTest, OddAnswersDoNotEndIt) {
  const struct {
    const char* reason;
    const char* body;
  } rows[] = {
      {"no JSON", "<html>"},
      {"no metadata", "{\"items\": []}"},
      {"no number", R"({"metadata": {"resourceVersion": "x"}, "items": []})"},
      {"no items", R"({"metadata": {"resourceVersion": "1"}})"},
      {"an object without uid is left out", R"({"metadata": {"resourceVersion": "1"}, "items": [{"metadata":
          {"name": "x", "resourceVersion": "1"}}, 3]})"},
  };
  for (const auto& row : rows) server.fail({std::string(kList), 1, 200, row.body, ""});
  server.fail({std::string(kWatch), 1, 200, "{}\n", ""});
  server.fail({std::string(kWatch), 1, 200, "nonsense\n", ""});
  server.fail({std::string(kWatch), 1, 200,
               R"({"type":"ADDED","object":{"metadata":{}}})"
               "\n",
               ""});
  server.put("ns", "a");
  follow();
  EXPECT_TRUE(eventually([&] { return has("a"); }));
}

TEST_F(RemoteApiTest, AWriteIsVisibleWhenItIsDone) {
  follow();
  auto made = write(Write::Verb::kCreate, "a", widget("red"));
  ASSERT_TRUE(made.ok()) << made.error().message;
  ASSERT_TRUE(has("a"));
  EXPECT_EQ(*made, api.state().get(kWidgets, "ns", "a"));

  auto object = made->value();
  object.at("spec").as_object()["color"] = "blue";
  object.as_object()["status"] = json::Object{{"phase", "Ready"}};
  const auto with_status = write(Write::Verb::kUpdateStatus, "a", object);
  ASSERT_TRUE(with_status.ok()) << with_status.error().message;
  EXPECT_EQ(json::string_or(with_status->value().at("spec"), "color"), "red");
  EXPECT_EQ(api.state().get(kWidgets, "ns", "a"), *with_status);

  const auto late = write(Write::Verb::kUpdate, "a", object);
  ASSERT_FALSE(late.ok());
  EXPECT_EQ(late.error().reason, Reason::kConflict) << late.error().message;

  EXPECT_EQ(write(Write::Verb::kDelete, "a", {}, "another").error().reason, Reason::kConflict);
  const auto gone = write(Write::Verb::kDelete, "a", {}, std::string(made->uid()));
  ASSERT_TRUE(gone.ok());
  EXPECT_EQ(gone->uid(), made->uid());
  EXPECT_FALSE(has("a"));
  const auto again = write(Write::Verb::kDelete, "a");
  ASSERT_TRUE(again.ok());
  EXPECT_FALSE(*again);
}

TEST_F(RemoteApiTest, AnObjectWithFinalizersIsMarkedAndGoesWithTheLastOne) {
  server.put("ns", "a", "{spec: {color: red}, metadata: {finalizers: [example.com/hold]}}");
  follow();
  const auto marked = write(Write::Verb::kDelete, "a");
  ASSERT_TRUE(marked.ok());
  EXPECT_TRUE(marked->deleting());
  EXPECT_TRUE(api.state().get(kWidgets, "ns", "a").deleting());
  auto object = marked->value();
  object.at("metadata").as_object().erase("finalizers");
  ASSERT_TRUE(write(Write::Verb::kUpdate, "a", object).ok());
  EXPECT_FALSE(has("a"));
}

TEST_F(RemoteApiTest, WritesOfUnknownKindsAndWithoutNamespaceAreRefusedHere) {
  Write out;
  out.kind = {"no.such", "things"};
  std::optional<Result<Object>> result;
  api.writer().write(out, [&](Result<Object> got) { result = std::move(got); });
  ASSERT_TRUE(result);
  EXPECT_EQ(result->error().reason, Reason::kNotFound);
  out.kind = kWidgets;
  out.name = "a";
  api.writer().write(out, [&](Result<Object> got) { result = std::move(got); });
  EXPECT_EQ(result->error().reason, Reason::kBadRequest);
  EXPECT_EQ(server.count(""), 0u);
}

TEST_F(RemoteApiTest, ABare404IsNoProofThatAnObjectIsGone) {
  server.fail({"DELETE", 1, 404, "404 page not found\n", ""});
  EXPECT_EQ(write(Write::Verb::kDelete, "a").error().reason, Reason::kNotFound);
}

TEST_F(RemoteApiTest, ErrorsKeepTheirRetryAfter) {
  server.fail({"POST", 1, 429, "", "7"});
  const auto refused = write(Write::Verb::kCreate, "a", widget("red"));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().reason, Reason::kTooManyRequests);
  EXPECT_EQ(refused.error().retry_after_seconds, 7);
}

TEST_F(RemoteApiTest, AccessIsAskedForOnce) {
  auth::User user;
  user.name = "jane";
  auth::Attributes attributes;
  attributes.user = &user;
  attributes.verb = "create";
  attributes.resource = "secrets";
  attributes.namespace_ = "ns";
  std::promise<void> known;
  api.access().on_changed([&] { known.set_value(); });
  server.fail({"subjectaccessreviews", 2, 500, "", ""});
  EXPECT_EQ(api.access().may(attributes), Access::Decision::kUnknown);
  EXPECT_EQ(api.access().may(attributes), Access::Decision::kUnknown);
  known.get_future().wait();
  server.allow(false);
  EXPECT_EQ(api.access().may(attributes), Access::Decision::kAllowed);
  EXPECT_EQ(server.count("subjectaccessreviews"), 3u);
  EXPECT_THAT(
      server.last("subjectaccessreviews"),
      HasSubstr(R"("resourceAttributes":{"namespace":"ns","resource":"secrets","verb":"create"},"user":"jane")"));
}

TEST_F(RemoteApiTest, AccessWithoutAUserIsAskedForItself) {
  auth::Attributes attributes;
  attributes.verb = "get";
  attributes.resource = "secrets";
  std::promise<void> known;
  api.access().on_changed([&] { known.set_value(); });
  EXPECT_EQ(api.access().may(attributes), Access::Decision::kUnknown);
  known.get_future().wait();
  EXPECT_EQ(api.access().may(attributes), Access::Decision::kAllowed);
  EXPECT_THAT(server.last("/selfsubjectaccessreviews"), HasSubstr(R"("kind":"SelfSubjectAccessReview")"));
}

TEST_F(RemoteApiTest, StoppingEndsWhatIsUnderWay) {
  follow();
  server.hold(true);
  Write out;
  out.verb = Write::Verb::kCreate;
  out.kind = kWidgets;
  out.ns = "ns";
  out.name = "a";
  out.object = widget("red");
  std::promise<void> ended;
  api.writer().write(std::move(out), [&](const Result<Object>&) { ended.set_value(); });
  api.stop();
  ended.get_future().wait();  // once: a second time would throw
  std::optional<Result<Object>> refused;
  Write late;
  late.verb = Write::Verb::kDelete;
  late.kind = kWidgets;
  late.ns = "ns";
  late.name = "a";
  api.writer().write(std::move(late), [&](Result<Object> result) { refused = std::move(result); });
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->error().reason, Reason::kServiceUnavailable);
}

class ImpatientApiTest : public RemoteApiTest {
 protected:
  static RemoteOptions impatient() {
    auto options = quick();
    options.shown_limit = milliseconds(20);
    return options;
  }
  ImpatientApiTest() : RemoteApiTest(impatient()) {}
};

TEST_F(ImpatientApiTest, AWriteDoesNotWaitForeverToBeShown) {
  follow();
  server.hold(true);
  const auto made = write(Write::Verb::kCreate, "a", widget("red"));
  ASSERT_TRUE(made.ok());
  EXPECT_FALSE(has("a"));
}

}  // namespace
}  // namespace chandler::client
