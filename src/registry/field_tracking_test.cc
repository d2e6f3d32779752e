#include "registry/field_tracking.h"

#include <future>

#include "registry/registry_fixture.h"

namespace chandler::registry {
namespace {

using testing::CacheOverMemory;
using testing::FakeAdmission;
using testing::notes;
using testing::widgets;
using testing::yaml;

class FieldTrackingTest : public ::testing::Test {
 protected:
  static std::shared_ptr<WriteRequest> by(std::string_view manager, const KindPtr& kind, std::string_view name = "",
                                          std::string_view subresource = "") {
    auto out = std::make_shared<WriteRequest>();
    out->kind = kind;
    out->version = &kind->storage_version();
    out->ns = "ns";
    out->name = name;
    out->subresource = subresource;
    out->manager = manager;
    out->managed_subresource = subresource;
    return out;
  }
  Result<WriteResult> create(std::string_view manager, const KindPtr& kind, std::string_view object) {
    return objects_.create_and_wait(by(manager, kind), yaml(object));
  }
  Result<WriteResult> change(const std::shared_ptr<WriteRequest>& request,
                             const std::function<void(json::Value&)>& change) {
    return objects_.update_and_wait(request, [change](const Document& current) -> Result<json::Value> {
      json::Value object = current.parse();
      change(object);
      return object;
    });
  }
  Result<WriteResult> apply(const std::shared_ptr<WriteRequest>& request, std::string_view config, bool force = false) {
    auto application = std::make_shared<Application>();
    application->config = yaml(config);
    application->force = force;
    request->application = std::move(application);
    request->may_create = [this]() -> Result<void> {
      if (may_create_) return {};
      return forbidden({}, "not you");
    };
    return objects_.update_and_wait(request, nullptr);
  }
  static json::Value managed(const Result<WriteResult>& result) {
    EXPECT_TRUE(result.ok()) << result.error().message;
    auto object = result->document->parse();
    return take_managed_fields(object).value_or(json::Value(json::Array()));
  }
  static std::string fields(const Result<WriteResult>& result, std::string_view manager) {
    const auto list = managed(result);
    for (const auto& entry : list.as_array()) {
      if (json::string_or(entry, "manager") == manager) return json::write(entry.at("fieldsV1"));
    }
    return "none";
  }

  bool may_create_ = true;
  FakeAdmission admission_;
  ::chandler::testing::FakeClock clock_;
  CacheOverMemory world_;
  Objects objects_{world_.store, world_.cache, nullptr, admission_, clock_};
};

constexpr std::string_view kRedWidget =
    "{apiVersion: example.com/v1, kind: Widget, metadata: {name: a}, spec: {color: red}}";

TEST_F(FieldTrackingTest, TheCreatorOwnsWhatTheObjectHas) {
  const auto made = create("maker", widgets(), "{metadata: {name: a, labels: {x: z}}, spec: {color: red}}");
  EXPECT_EQ(json::write(managed(made)),
            R"([{"apiVersion":"example.com/v1","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:labels":)"
            R"({".":{},"f:x":{}}},"f:spec":{".":{},"f:color":{},"f:size":{}}},"manager":"maker","operation":"Update",)"
            R"("time":"2023-11-14T22:13:20Z"}])");
  // What is stored is canonical: written again it is the same.
  EXPECT_EQ(json::write(made->document->parse()), made->document->bytes());
}

TEST_F(FieldTrackingTest, NobodyIsRecordedWhoDoesNotSayWhoTheyAre) {
  const auto made = create("", widgets(), kRedWidget);
  EXPECT_EQ(json::write(managed(made)), "[]");
  const auto later = change(by("editor", widgets(), "a"),
                            [](json::Value& object) { object.at("spec").as_object()["color"] = "blue"; });
  EXPECT_EQ(json::write(managed(later)), "[]") << "a record begins with the object, or when it is applied to";
}

TEST_F(FieldTrackingTest, AnUpdateTakesWhatItChangesAndNothingElse) {
  ASSERT_TRUE(create("maker", widgets(), kRedWidget).ok());
  clock_.advance(std::chrono::seconds(60));
  const auto painted = change(by("painter", widgets(), "a"),
                              [](json::Value& object) { object.at("spec").as_object()["color"] = "blue"; });
  EXPECT_EQ(fields(painted, "painter"), R"({"f:spec":{"f:color":{}}})");
  EXPECT_EQ(fields(painted, "maker"), R"({"f:spec":{".":{},"f:size":{}}})");
  const auto same = change(by("other", widgets(), "a"), [](json::Value&) {});
  ASSERT_TRUE(same.ok());
  EXPECT_EQ(same->document->revision(), painted->document->revision()) << "nothing changed, nothing is written";
}

TEST_F(FieldTrackingTest, AStatusIsRecordedWithItsSubresource) {
  ASSERT_TRUE(create("maker", widgets(), kRedWidget).ok());
  const auto said = change(by("controller", widgets(), "a", "status"), [](json::Value& object) {
    object.as_object()["status"] = json::Object{{"phase", "Up"}};
  });
  const auto list = managed(said);
  ASSERT_EQ(list.as_array().size(), 2U);
  EXPECT_EQ(json::string_or(list.as_array()[0], "subresource"), "status");
  EXPECT_EQ(fields(said, "controller"), R"({"f:status":{".":{},"f:phase":{}}})");
}

TEST_F(FieldTrackingTest, AnObjectAndItsStatusInOneWriteAreRecordedAsTwo) {
  ASSERT_TRUE(create("maker", widgets(), kRedWidget).ok());
  ASSERT_TRUE(change(by("sayer", widgets(), "a", "status"), [](json::Value& object) {
                object.as_object()["status"] = json::Object{{"phase", "Up"}};
              }).ok());
  const auto request = by("controller", widgets(), "a");
  request->with_status = true;
  const auto both = change(request, [](json::Value& object) {
    object.at("spec").as_object()["color"] = "blue";
    object.at("status").as_object()["phase"] = "Down";
  });
  std::vector<std::string> entries;
  const auto list = managed(both);
  for (const auto& entry : list.as_array()) {
    if (json::string_or(entry, "manager") != "controller") continue;
    entries.push_back(json::string_or(entry, "subresource") + json::write(entry.at("fieldsV1")));
  }
  EXPECT_EQ(entries,
            (std::vector<std::string>{R"({"f:spec":{"f:color":{}}})", R"(status{"f:status":{"f:phase":{}}})"}));
  EXPECT_EQ(fields(both, "sayer"), R"({"f:status":{}})") << "the phase is the controller's now";
}

TEST_F(FieldTrackingTest, TheRecordCanBeForgottenAndRepairedButNotLostByAccident) {
  ASSERT_TRUE(create("maker", widgets(), kRedWidget).ok());
  const auto with = [&](std::string_view list) {
    return change(by("editor", widgets(), "a"), [list](json::Value& object) {
      if (list.empty()) {
        object.at("metadata").as_object().erase("managedFields");
      } else {
        object.at("metadata").as_object()["managedFields"] = yaml(list);
      }
    });
  };
  EXPECT_EQ(fields(with(""), "maker"), R"({"f:spec":{".":{},"f:color":{},"f:size":{}}})") << "absent means the same";
  EXPECT_EQ(managed(with("[{manager: x}]")).as_array().size(), 1U) << "what cannot be read is not taken";
  EXPECT_EQ(fields(with("[{manager: x, operation: Apply, apiVersion: example.com/v1, fieldsType: FieldsV1, "
                        "fieldsV1: {'f:spec': {'f:color': {}}}}]"),
                   "x"),
            R"({"f:spec":{"f:color":{}}})");
  const auto emptied = change(by("editor", widgets(), "a"), [](json::Value& object) {
    object.at("metadata").as_object()["managedFields"] =
        yaml("[{manager: x, operation: Update, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {}}]");
    object.at("spec").as_object()["color"] = "blue";
  });
  EXPECT_EQ(fields(emptied, "editor"), R"({"f:spec":{"f:color":{}}})") << "nobody owns anything: the record goes on";
  EXPECT_EQ(json::write(managed(with("[{}]"))), "[]");
}

TEST_F(FieldTrackingTest, ApplyingCreatesThenChangesThenDoesNothing) {
  const auto made = apply(by("one", widgets(), "a"), kRedWidget);
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_TRUE(made->created);
  EXPECT_EQ(fields(made, "one"), R"({"f:spec":{"f:color":{}}})") << "not the default";
  clock_.advance(std::chrono::seconds(60));
  const auto again = apply(by("one", widgets(), "a"), kRedWidget);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->document->revision(), made->document->revision());
  EXPECT_EQ(again->document->bytes(), made->document->bytes()) << "the time too";

  const auto shared = apply(by("two", widgets(), "a"), kRedWidget);
  ASSERT_TRUE(shared.ok());
  EXPECT_GT(shared->document->revision(), made->document->revision()) << "who owns it is news";
  EXPECT_EQ(json::int_at(shared->document->parse().at("metadata"), "generation"), 1) << "of the object it is none";
  const auto list = managed(shared);
  EXPECT_EQ(json::string_or(list.as_array()[0], "time", "none"), "none") << "two has changed nothing";
  EXPECT_EQ(json::string_or(list.as_array()[1], "time"), "2023-11-14T22:13:20Z");
  const auto bluer =
      apply(by("two", widgets(), "a"),
            "{apiVersion: example.com/v1, kind: Widget, metadata: {name: a}, spec: {color: blue}}", true);
  EXPECT_EQ(json::string_or(managed(bluer).as_array()[0], "time"), "2023-11-14T22:14:20Z");
}

TEST_F(FieldTrackingTest, AConflictLeavesTheObjectAlone) {
  ASSERT_TRUE(create("maker", widgets(), kRedWidget).ok());
  const auto before = world_.store.revision();
  constexpr std::string_view kBlue =
      "{apiVersion: example.com/v1, kind: Widget, metadata: {name: a}, spec: {color: blue}}";
  const auto refused = apply(by("one", widgets(), "a"), kBlue);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().reason, Reason::kConflict);
  ASSERT_EQ(refused.error().causes.size(), 1U);
  EXPECT_EQ(refused.error().causes[0].field, ".spec.color");
  EXPECT_EQ(world_.store.revision(), before);
  const auto forced = apply(by("one", widgets(), "a"), kBlue, true);
  EXPECT_EQ(fields(forced, "one"), R"({"f:spec":{"f:color":{}}})");
  EXPECT_EQ(fields(forced, "maker"), R"({"f:spec":{".":{},"f:size":{}}})");
}

TEST_F(FieldTrackingTest, ADryRunShowsTheRecordAndStoresNothing) {
  auto request = by("one", widgets(), "a");
  request->dry_run = true;
  const auto made = apply(request, kRedWidget);
  ASSERT_TRUE(made.ok());
  EXPECT_THAT(std::string(made->json()), ::testing::HasSubstr(R"("manager":"one")"));
  EXPECT_EQ(world_.cache.get(*widgets(), "ns", "a"), nullptr);
}

TEST_F(FieldTrackingTest, CreatingByApplyingIsAskedAboutAndKnowsItsObject) {
  may_create_ = false;
  EXPECT_EQ(apply(by("one", widgets(), "a"), kRedWidget).error().reason, Reason::kForbidden);
  may_create_ = true;
  const auto with = [&](std::string_view metadata) {
    return apply(by("one", widgets(), "a"),
                 fmt::format("{{apiVersion: example.com/v1, kind: Widget, metadata: {}, spec: {{}}}}", metadata));
  };
  EXPECT_EQ(with("{name: a, uid: other}").error().reason, Reason::kConflict) << "that one is gone";
  EXPECT_EQ(apply(by("one", widgets(), "a", "status"), kRedWidget).error().reason, Reason::kNotFound)
      << "a status alone makes no object";
  ASSERT_TRUE(with("{name: a, resourceVersion: '7'}").ok()) << "there is nothing it could differ from";
  EXPECT_EQ(with("{name: a, resourceVersion: '7'}").error().reason, Reason::kConflict);
  EXPECT_EQ(with("{name: a, uid: other}").error().reason, Reason::kConflict);
}

TEST_F(FieldTrackingTest, WhatIsGivenUpGoesAndDefaultsComeBack) {
  ASSERT_TRUE(apply(by("one", widgets(), "a"),
                    "{apiVersion: example.com/v1, kind: Widget, metadata: {name: a, labels: {x: z}}, "
                    "spec: {color: red, size: 5}}")
                  .ok());
  const auto less = apply(by("one", widgets(), "a"), kRedWidget);
  ASSERT_TRUE(less.ok());
  const auto object = less->document->parse();
  EXPECT_EQ(json::write(object.at("spec")), R"({"color":"red","size":1})");
  EXPECT_EQ(json::find(object.at("metadata"), "labels"), nullptr);
}

TEST_F(FieldTrackingTest, ABuiltInKindWithoutStatusIsRecordedWhole) {
  const auto made = create("maker", notes(), "{metadata: {name: one}, text: hello}");
  EXPECT_EQ(fields(made, "maker"), R"({"f:text":{}})");
}

}  // namespace
}  // namespace chandler::registry
