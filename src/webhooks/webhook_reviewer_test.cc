#include "webhooks/webhook_reviewer.h"

#include <gmock/gmock.h>

#include "webhooks/webhook_fixture.h"

namespace chandler::webhooks {
namespace {

using testing::allows;
using testing::answer;
using ::testing::ElementsAre;
using testing::FakeClient;
using ::testing::HasSubstr;
using testing::patches;
using testing::responds;
using testing::WebhookTest;

constexpr std::string_view kPaintRed = R"([{"op":"add","path":"/spec","value":{"color":"red"}}])";

using WebhookReviewerTest = WebhookTest;

TEST_F(WebhookReviewerTest, NobodyIsAskedWhileNobodyIsConfigured) {
  EXPECT_TRUE(reviewer_.idle());
  EXPECT_TRUE(create("{metadata: {name: a}}").ok());
  configure("validating", "c", "[{name: v.a.b}]");
  EXPECT_FALSE(reviewer_.idle());
  const auto kind = kinds_.current()->find(kGroup, "validatingwebhookconfigurations");
  EXPECT_TRUE(objects_.remove_and_wait(request(kind, "c"), {}).ok()) << "nobody is asked about who is asked";
  EXPECT_TRUE(reviewer_.idle());
  EXPECT_TRUE(client_.urls.empty());
}

TEST_F(WebhookReviewerTest, AQuestionSaysWhoWantsWhat) {
  client_.answers["https://v.a.b"] = allows();
  configure("validating", "c", "[{name: v.a.b, timeoutSeconds: 7}]");
  ASSERT_TRUE(create("{metadata: {name: a}, spec: {color: blue}}").ok());
  ASSERT_EQ(client_.reviews.size(), 1u);
  EXPECT_EQ(client_.requests[0].url, "https://v.a.b?timeout=7s");
  EXPECT_EQ(client_.requests[0].timeout.count(), 7000);
  auto asked = client_.reviews[0].at("request");
  auto& object = asked.at("object").as_object();
  object["metadata"].as_object().erase("uid");
  object["metadata"].as_object().erase("creationTimestamp");
  EXPECT_EQ(json::string_or(client_.reviews[0], "apiVersion"), "admission.k8s.io/v1");
  EXPECT_EQ(json::string_or(client_.reviews[0], "kind"), "AdmissionReview");
  asked.as_object().erase("uid");
  EXPECT_EQ(json::write(asked), registry::testing::canonical(R"(
kind: {group: example.com, version: v1, kind: Widget}
resource: {group: example.com, version: v1, resource: widgets}
requestKind: {group: example.com, version: v1, kind: Widget}
requestResource: {group: example.com, version: v1, resource: widgets}
name: a
namespace: ns
operation: CREATE
userInfo: {username: jane, groups: [devs]}
object: {apiVersion: example.com/v1, kind: Widget, metadata: {name: a, namespace: ns, generation: 1}, spec: {color: blue, size: 1}}
oldObject: null
dryRun: false
options: {apiVersion: meta.k8s.io/v1, kind: CreateOptions, fieldValidation: Warn}
)"));
}

TEST_F(WebhookReviewerTest, EveryVerbAndPartIsAskedAbout) {
  ASSERT_TRUE(create("{metadata: {name: a}, spec: {color: blue}}").ok());
  client_.answers["https://v.a.b"] = allows();
  configure("validating", "c", "[{name: v.a.b}]");
  const auto paint = [](json::Value& object) { object.at("spec").as_object()["color"] = "green"; };
  ASSERT_TRUE(patch("a", paint).ok());
  ASSERT_TRUE(patch(
                  "a",
                  [](json::Value& o) {
                    o.as_object()["status"] = {{"phase", "x"}};
                  },
                  "status")
                  .ok());
  registry::DeleteOptions options;
  options.propagation = registry::DeleteOptions::Propagation::kForeground;
  options.uid = std::string(world_.cache.get(*registry::testing::widgets(), "ns", "a")->uid());
  ASSERT_TRUE(objects_.remove_and_wait(request(registry::testing::widgets(), "a"), options).ok());
  ASSERT_EQ(client_.reviews.size(), 3u);
  const auto at = [&](size_t i) -> const json::Value& { return client_.reviews[i].at("request"); };
  EXPECT_EQ(json::string_or(at(0), "operation"), "UPDATE");
  EXPECT_EQ(json::string_or(at(0).at("oldObject").at("spec"), "color"), "blue");
  EXPECT_EQ(json::string_or(at(0).at("oldObject").at("metadata"), "resourceVersion"), "1");
  EXPECT_EQ(json::string_or(at(0).at("object").at("spec"), "color"), "green");
  EXPECT_EQ(json::string_or(at(1), "subResource"), "status");
  EXPECT_EQ(json::string_or(at(2), "operation"), "DELETE");
  EXPECT_TRUE(at(2).at("object").is_null());
  EXPECT_EQ(json::string_or(at(2).at("oldObject").at("metadata"), "name"), "a");
  EXPECT_EQ(json::string_or(at(2).at("options"), "propagationPolicy"), "Foreground");
  EXPECT_EQ(json::string_or(at(2).at("options").at("preconditions"), "uid"), options.uid);
}

TEST_F(WebhookReviewerTest, ADenialReachesTheClientAsTheWebhookWordedIt) {
  struct Row {
    const char* name;
    const char* response;
    int code;
    Reason reason;
    const char* message;
  };
  const std::vector<Row> rows = {
      {"nothing said", R"("allowed":false)", 400, Reason::kUnknown,
       "admission webhook \"v.a.b\" denied the request without explanation"},
      {"message", R"("allowed":false,"status":{"message":"no blue"})", 400, Reason::kUnknown,
       "admission webhook \"v.a.b\" denied the request: no blue"},
      {"code", R"("allowed":false,"status":{"code":403,"message":"no blue"})", 403, Reason::kUnknown,
       "admission webhook \"v.a.b\" denied the request: no blue"},
      {"reason", R"("allowed":false,"status":{"code":403,"reason":"Forbidden"})", 403, Reason::kForbidden,
       "admission webhook \"v.a.b\" denied the request: Forbidden"},
      {"a code that is none", R"("allowed":false,"status":{"code":200,"message":"no"})", 400, Reason::kUnknown,
       "admission webhook \"v.a.b\" denied the request: no"},
  };
  configure("validating", "c", "[{name: v.a.b}]");
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    client_.answers["https://v.a.b"] = responds(row.response);
    const auto refused = create("{metadata: {name: a}}");
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().http(), row.code);
    EXPECT_EQ(refused.error().reason, row.reason);
    EXPECT_EQ(refused.error().message, row.message);
  }
  EXPECT_EQ(world_.cache.get(*registry::testing::widgets(), "ns", "a"), nullptr);
}

TEST_F(WebhookReviewerTest, AnAnswerThatIsNoneRefusesOrIsLeftOut) {
  struct Row {
    const char* name;
    FakeClient::Answer answer;
    const char* why;
  };
  const auto failing = [](http::ClientFailure::Kind kind, const char* message) {
    return [=](const http::ClientRequest&, const json::Value&) -> http::ClientOutcome {
      return fail(http::ClientFailure{kind, message, true});
    };
  };
  const auto raw = [](const char* body, int status = 200) {
    return [=](const http::ClientRequest&, const json::Value&) { return answer(body, status); };
  };
  const std::vector<Row> rows = {
      {"broken", raw("{"), "the answer is no JSON document"},
      {"nothing", raw("{}"), "webhook response was absent"},
      {"list", raw("[1]"), "webhook response was absent"},
      {"uid", raw(R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"x"}})"),
       "expected response.uid="},
      {"version",
       [](const http::ClientRequest&, const json::Value& review) {
         return answer(fmt::format(
             R"({{"apiVersion":"admission.k8s.io/v1beta1","kind":"AdmissionReview","response":{{"uid":"{}","allowed":true}}}})",
             json::string_or(review.at("request"), "uid")));
       },
       "expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got admission.k8s.io/v1beta1, "
       "Kind=AdmissionReview"},
      {"patch", responds(R"("allowed":true,"patch":"W10=","patchType":"JSONPatch")"),
       "validating webhook may not return response.patch"},
      {"fault", raw("oops", 500), "it answered 500"},
      {"redirect", raw("", 302), "redirects are not followed"},
      {"slow", failing(http::ClientFailure::Kind::kTimeout, "no answer within 10s"), "no answer within 10s"},
      {"huge", failing(http::ClientFailure::Kind::kTooLarge, "the answer is too large"), "the answer is too large"},
      {"tls", failing(http::ClientFailure::Kind::kConnect, "certificate"), "failed to call webhook: certificate"},
  };
  configure("validating", "c", "[{name: v.a.b}]");
  configure("validating", "d", "[{name: open.a.b, failurePolicy: Ignore}]");
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    client_.answers["https://v.a.b"] = row.answer;
    client_.answers["https://open.a.b"] = allows();
    const auto refused = create("{metadata: {name: a}}");
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().reason, Reason::kInternalError);
    EXPECT_THAT(refused.error().message, HasSubstr("Internal error occurred: failed calling webhook \"v.a.b\": "));
    EXPECT_THAT(refused.error().message, HasSubstr(row.why));
    client_.answers["https://v.a.b"] = allows();
    client_.answers["https://open.a.b"] = row.answer;
    dry_run_ = true;
    EXPECT_TRUE(create("{metadata: {name: a}}").ok()) << "failurePolicy Ignore";
    dry_run_ = false;
  }
  EXPECT_THAT(metrics_.text(), HasSubstr("apiserver_admission_webhook_fail_open_count{name=\"open.a.b\","));
}

TEST_F(WebhookReviewerTest, ADeadKeptConnectionIsTriedOnceMore) {
  int calls = 0;
  client_.answers["https://v.a.b"] = [&](const http::ClientRequest& request, const json::Value& review) {
    if (++calls == 1) {
      return http::ClientOutcome(fail(http::ClientFailure{http::ClientFailure::Kind::kBroken, "reset", true}));
    }
    return allows()(request, review);
  };
  configure("validating", "c", "[{name: v.a.b}]");
  EXPECT_TRUE(create("{metadata: {name: a}}").ok());
  EXPECT_EQ(calls, 2);
}

TEST_F(WebhookReviewerTest, AStoppingServerConcludesNothing) {
  client_.answers["https://v.a.b"] = [](const http::ClientRequest&, const json::Value&) {
    return http::ClientOutcome(fail(http::ClientFailure{http::ClientFailure::Kind::kCancelled, "stopped", false}));
  };
  configure("validating", "c", "[{name: v.a.b, failurePolicy: Ignore}]");
  const auto refused = create("{metadata: {name: a}}");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().reason, Reason::kServiceUnavailable);
}

TEST_F(WebhookReviewerTest, PatchesAreAppliedDefaultedAndPruned) {
  client_.answers["https://m.a.b"] = patches(
      R"([{"op":"replace","path":"/spec","value":{"color":"red","unknown":1}},
          {"op":"add","path":"/metadata/labels","value":{"seen":"yes"}},
          {"op":"replace","path":"/metadata/uid","value":"mine"},
          {"op":"add","path":"/status","value":{"phase":"forged"}}])");
  configure("mutating", "c", "[{name: m.a.b}]");
  const auto made = create("{metadata: {name: a}, spec: {color: blue}}");
  ASSERT_TRUE(made.ok()) << made.error().message;
  const auto object = made->document->parse();
  EXPECT_EQ(json::write(object.at("spec")), R"({"color":"red","size":1})");
  EXPECT_EQ(json::string_or(object.at("metadata").at("labels"), "seen"), "yes");
  EXPECT_NE(json::string_or(object.at("metadata"), "uid"), "mine");
  EXPECT_EQ(json::find(object, "status"), nullptr);
}

TEST_F(WebhookReviewerTest, APatchedObjectIsValidatedLikeAnyOther) {
  client_.answers["https://m.a.b"] = patches(R"([{"op":"add","path":"/spec","value":{"color":5}}])");
  configure("mutating", "c", "[{name: m.a.b}]");
  const auto refused = create("{metadata: {name: a}}");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().reason, Reason::kInvalid);
}

TEST_F(WebhookReviewerTest, APatchThatCannotBeAppliedRefusesWhateverThePolicy) {
  configure("mutating", "c", "[{name: m.a.b, failurePolicy: Ignore}]");
  for (const std::string_view bad :
       {R"({"op":"add"})", R"([{"op":"remove","path":"/nowhere"}])", R"([{"op":"replace","path":"/kind","value":"X"}])",
        R"([{"op":"replace","path":"","value":1}])", R"([{"op":"replace","path":"/metadata/name","value":"other"}])"}) {
    SCOPED_TRACE(bad);
    client_.answers["https://m.a.b"] = patches(bad);
    const auto refused = create("{metadata: {name: a}}");
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().reason, Reason::kInternalError) << refused.error().message;
  }
}

TEST_F(WebhookReviewerTest, ADeletionCannotBePatched) {
  ASSERT_TRUE(create("{metadata: {name: a}}").ok());
  client_.answers["https://m.a.b"] = patches(kPaintRed);
  configure("mutating", "c", "[{name: m.a.b}]");
  const auto refused = objects_.remove_and_wait(request(registry::testing::widgets(), "a"), {});
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("attempted to modify the object"));
  EXPECT_NE(world_.cache.get(*registry::testing::widgets(), "ns", "a"), nullptr);
}

TEST_F(WebhookReviewerTest, MutatingComesInOrderAndOnceMoreIfNeededThenValidating) {
  client_.answers["https://first.a.b"] = allows();
  client_.answers["https://plain.a.b"] = allows();
  client_.answers["https://painter.a.b"] = patches(kPaintRed);
  client_.answers["https://last.a.b"] = allows();
  client_.answers["https://v.a.b"] = allows();
  configure("validating", "a", "[{name: v.a.b}]");
  configure("mutating", "z", "[{name: last.a.b, reinvocationPolicy: IfNeeded}]");
  configure("mutating", "b",
            "[{name: first.a.b, reinvocationPolicy: IfNeeded}, {name: plain.a.b}, {name: painter.a.b}]");
  EXPECT_EQ(color(create("{metadata: {name: a}}")), "red");
  EXPECT_THAT(client_.urls, ElementsAre("https://first.a.b", "https://plain.a.b", "https://painter.a.b",
                                        "https://last.a.b", "https://first.a.b", "https://v.a.b"));
  EXPECT_EQ(json::string_or(client_.reviews.back().at("request").at("object").at("spec"), "color"), "red")
      << "who validates sees what is stored";
}

TEST_F(WebhookReviewerTest, ValidatingIsAskedSideBySide) {
  client_.hold = true;
  client_.answers["https://v1.a.b"] = allows();
  client_.answers["https://v2.a.b"] = responds(R"("allowed":false,"status":{"message":"second"})");
  client_.answers["https://v3.a.b"] = responds(R"("allowed":false,"status":{"message":"third"})");
  configure("validating", "c", "[{name: v1.a.b}, {name: v2.a.b}, {name: v3.a.b}]");
  std::optional<Result<registry::WriteResult>> result;
  objects_.create(request(registry::testing::widgets()), registry::testing::yaml("{metadata: {name: a}}"),
                  [&](Result<registry::WriteResult> done) { result.emplace(std::move(done)); });
  ASSERT_EQ(client_.held.size(), 3u) << "all are asked before any has answered";
  client_.held[2]();
  client_.held[0]();
  EXPECT_FALSE(result.has_value());
  client_.held[1]();
  ASSERT_TRUE(result.has_value() && !result->ok());
  EXPECT_THAT(result->error().message, HasSubstr("second")) << "the first in order, whoever was first in time";
}

TEST_F(WebhookReviewerTest, AWriteThatLostTheRaceIsAskedAboutAgain) {
  ASSERT_TRUE(create("{metadata: {name: a}, spec: {color: blue}}").ok());
  int calls = 0;
  client_.answers["https://v.a.b"] = [&](const http::ClientRequest& request, const json::Value& review) {
    if (++calls == 1) {
      world_.put("ns", "a", "{spec: {color: yellow}, metadata: {labels: {from: others}}}");
    }
    return allows()(request, review);
  };
  configure("validating", "c", "[{name: v.a.b}]");
  const auto painted = patch("a", [](json::Value& object) { object.at("spec").as_object()["color"] = "green"; });
  EXPECT_EQ(color(painted), "green");
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(json::string_or(client_.reviews.back().at("request").at("oldObject").at("spec"), "color"), "yellow");
}

TEST_F(WebhookReviewerTest, AWebhookMayWriteWhileItDecides) {
  client_.answers["https://v.a.b"] = [&](const http::ClientRequest& request, const json::Value& review) {
    const auto& asked = review.at("request");
    if (json::string_or(asked, "name") == "a") {
      EXPECT_TRUE(create("{metadata: {name: b}}").ok());
    }
    return allows()(request, review);
  };
  configure("validating", "c", "[{name: v.a.b}]");
  EXPECT_TRUE(create("{metadata: {name: a}}").ok());
  EXPECT_NE(world_.cache.get(*registry::testing::widgets(), "ns", "b"), nullptr);
}

TEST_F(WebhookReviewerTest, WarningsGoToTheClient) {
  client_.answers["https://v.a.b"] = responds(R"("allowed":true,"warnings":["blue is dear", 5, "so is red"])");
  configure("validating", "c", "[{name: v.a.b}]");
  const auto made = create("{metadata: {name: a}}");
  ASSERT_TRUE(made.ok());
  EXPECT_THAT(made->warnings, ElementsAre("blue is dear", "so is red"));
}

TEST_F(WebhookReviewerTest, WarningsGoWithARefusalToo) {
  client_.answers["https://v.a.b"] =
      responds(R"("allowed":false,"status":{"message":"no"},"warnings":["blue is dear"])");
  configure("validating", "c", "[{name: v.a.b}]");
  const auto asked = request(registry::testing::widgets());
  ASSERT_FALSE(objects_.create_and_wait(asked, registry::testing::yaml("{metadata: {name: a}, what: 1}")).ok());
  EXPECT_THAT(asked->warnings, ElementsAre("unknown field \"what\"", "blue is dear"));
}

TEST_F(WebhookReviewerTest, TheRecordOfFieldsIsShownAndIsOfWhatWasAskedFor) {
  manager_ = "maker";
  client_.answers["https://m.a.b"] = patches(kPaintRed);
  configure("mutating", "c", "[{name: m.a.b}]");
  ASSERT_EQ(color(create("{metadata: {name: a}, spec: {size: 2}}")), "red");
  const auto shown = [&](const char* which) {
    const auto* list = json::find_path(client_.reviews.back(), {"request", which, "metadata", "managedFields"});
    return list == nullptr ? std::string("none") : json::write(list->at(0).at("fieldsV1"));
  };
  EXPECT_EQ(shown("object"), R"({"f:spec":{".":{},"f:size":{}}})");
  manager_ = "painter";
  client_.answers["https://m.a.b"] = patches(R"([{"op":"test","path":"/metadata/resourceVersion","value":"2"},
    {"op":"add","path":"/metadata/labels","value":{"x":"z"}}])");
  const auto painted = patch("a", [](json::Value& object) { object.at("spec").as_object()["color"] = "blue"; });
  ASSERT_EQ(color(painted), "blue");
  EXPECT_EQ(shown("oldObject"), R"({"f:spec":{".":{},"f:size":{}}})");
  const auto object = *json::parse(painted->json());
  EXPECT_EQ(json::write(object.at("metadata").at("labels")), R"({"x":"z"})");
  std::vector<std::string> entries;
  for (const auto& entry : object.at("metadata").at("managedFields").as_array()) {
    entries.push_back(json::string_or(entry, "manager") + json::write(entry.at("fieldsV1")));
  }
  EXPECT_THAT(entries, ElementsAre(R"(maker{"f:spec":{".":{},"f:size":{}}})", R"(painter{"f:spec":{"f:color":{}}})"))
      << "labels are nobody's";
}

TEST_F(WebhookReviewerTest, ARecordThatAWebhookSpoilsIsKeptAndOneThatItChangesIsTaken) {
  manager_ = "maker";
  configure("mutating", "c", "[{name: m.a.b}]");
  const auto managers = [](const Result<registry::WriteResult>& result) {
    std::string out;
    const auto object = *json::parse(result->json());
    const auto* list = json::find_path(object, {"metadata", "managedFields"});
    if (list == nullptr) return out;
    for (const auto& entry : list->as_array()) out += json::string_or(entry, "manager") + " ";
    return out;
  };
  client_.answers["https://m.a.b"] =
      patches(R"([{"op":"replace","path":"/metadata/managedFields/0/fieldsV1","value":{"odd":{}}}])");
  const auto spoilt = create("{metadata: {name: a}, spec: {color: blue}}");
  ASSERT_TRUE(spoilt.ok());
  EXPECT_EQ(managers(spoilt), "maker ");
  ASSERT_EQ(spoilt->warnings.size(), 1u);
  EXPECT_THAT(spoilt->warnings[0], HasSubstr("managedFields"));
  client_.answers["https://m.a.b"] =
      patches(R"([{"op":"replace","path":"/metadata/managedFields/0/manager","value":"hook"}])");
  EXPECT_EQ(managers(create("{metadata: {name: b}, spec: {color: blue}}")), "hook ");
  client_.answers["https://m.a.b"] = patches(R"([{"op":"remove","path":"/metadata/managedFields"}])");
  EXPECT_EQ(managers(create("{metadata: {name: c}, spec: {color: blue}}")), "");
}

TEST_F(WebhookReviewerTest, AChangeThatAWebhookTakesBackIsWrittenOnce) {
  ASSERT_TRUE(create("{metadata: {name: z}}").ok());
  manager_ = "maker";
  ASSERT_TRUE(create("{metadata: {name: a}, spec: {color: red}}").ok());
  client_.answers["https://m.a.b"] = patches(kPaintRed);
  configure("mutating", "c", "[{name: m.a.b}]");
  manager_ = "painter";
  const auto blue = [](json::Value& object) { object.at("spec").as_object()["color"] = "blue"; };
  const auto first = patch("a", blue);
  ASSERT_EQ(color(first), "red");
  clock_.advance(std::chrono::seconds(60));
  const auto again = patch("a", blue);
  ASSERT_EQ(color(again), "red");
  EXPECT_EQ(again->document->revision(), first->document->revision()) << "but for a time it would be the same";
}

TEST_F(WebhookReviewerTest, AScaleIsSeenAndChangedAsOne) {
  const auto scaled = registry::testing::new_widgets();
  scaled->versions.front().scale = registry::ScalePaths{{"spec", "size"}, {"status", "size"}, {}};
  ASSERT_TRUE(create("{metadata: {name: a}, spec: {color: blue}}").ok());
  client_.answers["https://m.a.b"] = patches(R"([{"op":"replace","path":"/spec/replicas","value":4}])");
  configure("mutating", "c",
            "[{name: m.a.b, rules: [{operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], "
            "resources: ['*/scale']}]}]");
  const auto asked = request(scaled, "a");
  asked->managed_subresource = "scale";
  const auto done = objects_.update_and_wait(asked, [](const registry::Document& current) -> Result<json::Value> {
    json::Value object = current.parse();
    object.at("spec").as_object()["size"] = 9;
    return object;
  });
  ASSERT_TRUE(done.ok()) << done.error().message;
  ASSERT_EQ(client_.reviews.size(), 1u);
  const auto& question = client_.reviews[0].at("request");
  EXPECT_EQ(json::write(question.at("kind")), R"({"group":"autoscaling","kind":"Scale","version":"v1"})");
  EXPECT_EQ(json::write(question.at("resource")), R"({"group":"example.com","resource":"widgets","version":"v1"})");
  EXPECT_EQ(json::string_or(question, "subResource"), "scale");
  EXPECT_EQ(json::write(question.at("object").at("spec")), R"({"replicas":9})");
  EXPECT_EQ(json::write(question.at("oldObject").at("spec")), R"({"replicas":1})");
  EXPECT_EQ(json::write(json::parse(done->json())->at("spec")), R"({"color":"blue","size":4})");
}

TEST_F(WebhookReviewerTest, ConditionsDecideWhoIsAsked) {
  client_.answers["https://v.a.b"] = responds(R"("allowed":false)");
  client_.answers["https://open.a.b"] = responds(R"("allowed":false)");
  configure("validating", "c",
            "[{name: v.a.b, matchConditions: [{name: blue, expression: object.spec.color == 'blue'}, "
            "{name: jane, expression: request.userInfo.username == 'jane'}]}]");
  configure("validating", "d",
            "[{name: open.a.b, failurePolicy: Ignore, matchConditions: [{name: x, expression: object.spec.x == 1}]}]");
  EXPECT_TRUE(create("{metadata: {name: a}, spec: {color: red}}").ok());
  EXPECT_TRUE(client_.urls.empty()) << "one is false, the other cannot be evaluated and is to be ignored";
  EXPECT_FALSE(create("{metadata: {name: b}, spec: {color: blue}}").ok());
  EXPECT_THAT(client_.urls, ElementsAre("https://v.a.b"));
  const auto refused = create("{metadata: {name: c}}");
  ASSERT_FALSE(refused.ok()) << "there is no colour to compare";
  EXPECT_EQ(refused.error().reason, Reason::kForbidden);
  EXPECT_THAT(refused.error().message, HasSubstr("match condition \"blue\" of webhook \"v.a.b\""));
}

TEST_F(WebhookReviewerTest, ADryRunIsSaidToBeOne) {
  client_.answers["https://v.a.b"] = allows();
  configure("validating", "c", "[{name: v.a.b}]");
  dry_run_ = true;
  ASSERT_TRUE(create("{metadata: {name: a}}").ok());
  EXPECT_TRUE(client_.reviews.at(0).at("request").at("dryRun").as_bool());
  EXPECT_EQ(world_.cache.get(*registry::testing::widgets(), "ns", "a"), nullptr);
}

TEST_F(WebhookReviewerTest, AServiceLeadsToAWebhookIfItLeadsAnywhere) {
  lookup_.add(
      "/services",
      R"({"metadata":{"name":"out","namespace":"ns"},"spec":{"type":"ExternalName","externalName":"hooks.example.com."}})");
  lookup_.add("/services",
              R"({"metadata":{"name":"ip","namespace":"ns"},"spec":{"clusterIP":"10.0.0.7","ports":[{"port":8443}]}})");
  lookup_.add("/services", R"({"metadata":{"name":"none","namespace":"ns"},"spec":{"clusterIP":"None"}})");
  const auto hook = [](const char* name, const char* service) {
    return fmt::format(
        "[{{name: {}.a.b, clientConfig: {{service: {{namespace: ns, name: {}, path: /x, port: 8443}}}}}}]", name,
        service);
  };
  client_.answers["https://hooks.example.com:8443/x"] = allows();
  client_.answers["https://10.0.0.7:8443/x"] = allows();
  configure("validating", "c1", hook("v1", "out"));
  configure("validating", "c2", hook("v2", "ip"));
  ASSERT_TRUE(create("{metadata: {name: a}}").ok());
  EXPECT_EQ(client_.requests[0].tls->server_name, "out.ns.svc");
  configure("validating", "c3", hook("v3", "none"));
  const auto refused = create("{metadata: {name: b}}");
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("leads nowhere"));
}

}  // namespace
}  // namespace chandler::webhooks
