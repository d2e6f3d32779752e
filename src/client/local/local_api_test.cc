#include "client/local/local_api.h"

#include <gtest/gtest.h>

#include <future>

#include "registry/passing_store.h"
#include "registry/registry_fixture.h"

namespace chandler::client {
namespace {

using registry::testing::notes;
using registry::testing::widgets;
using registry::testing::yaml;

constexpr KindName kWidgets{"example.com", "widgets"};
constexpr KindName kNotes{"", "notes"};

// Notes what it is told of bursts. Somebody else writes first, if so asked.
class BurstNotes final : public registry::testing::PassingStore {
 public:
  using PassingStore::PassingStore;
  void commit(storage::Write write, Callback done) override {
    told.emplace_back(write.more_follows ? "more follows" : "one");
    if (std::exchange(race, false)) {
      const auto there = behind_.get(write.key);
      ASSERT_TRUE(there.ok() && there->has_value());
      ASSERT_TRUE(behind_.commit_and_wait({write.key, (*there)->value}).ok());
    }
    PassingStore::commit(std::move(write), std::move(done));
  }
  void end_burst() override { told.emplace_back("end"); }

  bool race = false;
  std::vector<std::string> told;
};

// Somebody who is configured; asked about writes only if so said, and then content.
struct Bystander final : registry::Reviewer {
  using Reviewer::set_idle;
  bool wants(const registry::AdmissionRequest&, Phase) const override { return asks; }
  void review(std::shared_ptr<registry::Review>, Phase, Done done) override { done({}); }
  bool asks = false;
};

class LocalApiTest : public ::testing::Test {
 protected:
  LocalApiTest() {
    kinds.put_all({widgets(), notes()});
    allow(R"([{apiGroups: [example.com], resources: [widgets, widgets/status],
               verbs: [list, watch, create, update, delete]}])");
    EXPECT_TRUE(over.cache.follow(over.store).ok());
  }
  ~LocalApiTest() override { over.store.stop(); }

  void allow(std::string_view rules) {
    policy.apply(yaml("{kind: ClusterRole, metadata: {name: controller}, rules: " + std::string(rules) + "}"));
    policy.apply(yaml(R"(
kind: ClusterRoleBinding
metadata: {name: controller}
roleRef: {kind: ClusterRole, name: controller}
subjects: [{kind: ServiceAccount, namespace: kube-system, name: catalog}])"));
  }

  Result<Object> write(Write write) {
    std::promise<Result<Object>> promise;
    api.writer().write(std::move(write), [&](Result<Object> result) { promise.set_value(std::move(result)); });
    return promise.get_future().get();
  }
  static Write make(Write::Verb verb, std::string name, json::Value object = {}) {
    Write out;
    out.verb = verb;
    out.kind = kWidgets;
    out.ns = "ns";
    out.name = std::move(name);
    out.object = std::move(object);
    return out;
  }
  Object create(std::string_view name, std::string_view color = "red") {
    auto made = write(make(Write::Verb::kCreate, std::string(name),
                           yaml("{apiVersion: example.com/v1, kind: Widget, metadata: {name: " + std::string(name) +
                                "}, spec: {color: " + std::string(color) + "}}")));
    EXPECT_TRUE(made.ok()) << made.error().message;
    return made.ok() ? *made : Object();
  }

  ::chandler::testing::FakeClock clock;
  registry::testing::CacheOverMemory over{false};
  registry::testing::FakeAdmission admission;
  registry::KindTable kinds;
  auth::PolicyStore policy;
  registry::Objects objects{over.store, over.cache, nullptr, admission, clock};
  LocalApi api{kinds, over.cache, objects, policy, service_account("kube-system", "catalog")};
};

TEST_F(LocalApiTest, AWriteIsVisibleWhenItIsDone) {
  const auto made = create("a");
  const auto got = api.state().get(kWidgets, "ns", "a");
  ASSERT_TRUE(got);
  EXPECT_EQ(got, made);
  EXPECT_EQ(&got.document(), over.cache.get(*widgets(), "ns", "a").get());  // shared, not copied
  EXPECT_EQ(json::string_or(got.value().at("spec"), "color"), "red");
  EXPECT_EQ(got.resource_version(), std::to_string(got.revision()));
  EXPECT_FALSE(api.state().get(kWidgets, "ns", "b"));
  EXPECT_FALSE(api.state().get({"no.such", "things"}, "ns", "a"));
}

TEST_F(LocalApiTest, ListsBySelectableFieldsAndNamespace) {
  create("a");
  create("b", "blue");
  create("c", "'x,y=z\\'");
  const auto names = [&](const Selection& selection) {
    std::vector<std::string> out;
    for (const auto& object : api.state().list(kWidgets, selection)) out.emplace_back(object.name());
    return out;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names({}), (Names{"a", "b", "c"}));
  EXPECT_EQ(names({"ns", {{"spec.color", "blue"}}}), (Names{"b"}));
  EXPECT_EQ(names({"", {{"spec.color", "x,y=z\\"}}}), (Names{"c"}));
  EXPECT_EQ(names({"", {{"spec.color", "red"}, {"spec.size", "1"}}}), (Names{"a"}));
  EXPECT_EQ(names({"other", {}}), Names());
  EXPECT_EQ(names({"", {{"spec.unknown", "1"}}}), Names());

  ASSERT_TRUE(write(make(Write::Verb::kCreate, "d",
                         yaml("{apiVersion: example.com/v1, kind: Widget, metadata: {name: d, "
                              "labels: {a.io/x: v}}, spec: {color: red}}")))
                  .ok());
  EXPECT_EQ(names({"", {{"metadata.labels.a.io/x", "v"}}}), (Names{"d"}));
  EXPECT_EQ(names({"", {{"metadata.labels.a.io/x", "z"}}}), Names());
  EXPECT_EQ(names({"", {{"metadata.labels.a.io/x", "v"}, {"spec.color", "blue"}}}), Names());
  EXPECT_EQ(api.state().field(kWidgets, api.state().get(kWidgets, "ns", "d"), "metadata.labels.a.io/x"), "v");

  const auto b = api.state().get(kWidgets, "ns", "b");
  EXPECT_EQ(api.state().field(kWidgets, b, "metadata.labels.a.io/x"), "");
  EXPECT_EQ(api.state().field(kWidgets, b, "spec.color"), "blue");
  EXPECT_EQ(api.state().field(kWidgets, b, "metadata.name"), "b");
  EXPECT_EQ(api.state().field(kWidgets, b, "spec.unknown"), "");
  EXPECT_EQ(api.state().field(kWidgets, Object(), "spec.color"), "");
}

TEST_F(LocalApiTest, ListenersSeeEveryChangeOfTheirKinds) {
  std::vector<std::string> told;
  api.state().listen({kWidgets}, [&](const Change& change) {
    const auto text = [](const Object& object) {
      return object ? json::string_or(object.value().at("spec"), "color") : std::string("none");
    };
    told.push_back(std::string(change.kind.plural) + " " + text(change.before) + " -> " + text(change.now));
    // What is told is visible already.
    EXPECT_EQ(static_cast<bool>(api.state().get(kWidgets, "ns", "a")), static_cast<bool>(change.now));
  });
  const auto made = create("a");
  auto changed = made.value();
  changed.at("spec").as_object()["color"] = "blue";
  ASSERT_TRUE(write(make(Write::Verb::kUpdate, "a", changed)).ok());
  ASSERT_TRUE(write(make(Write::Verb::kDelete, "a")).ok());
  EXPECT_EQ(told, (std::vector<std::string>{"widgets none -> red", "widgets red -> blue", "widgets blue -> none"}));
}

TEST_F(LocalApiTest, AnUpdateDoesNotOverwriteWhatIsNewer) {
  const auto first = create("a").value();
  auto second = first;
  second.at("spec").as_object()["color"] = "blue";
  ASSERT_TRUE(write(make(Write::Verb::kUpdate, "a", second)).ok());
  const auto late = write(make(Write::Verb::kUpdate, "a", first));
  ASSERT_FALSE(late.ok());
  EXPECT_EQ(late.error().reason, Reason::kConflict);
}

TEST_F(LocalApiTest, OfTwoUpdatesOfOneStateOneWins) {
  const auto first = create("a").value();
  std::promise<Result<Object>> promises[2];
  for (auto& promise : promises) {
    auto wanted = first;
    wanted.at("spec").as_object()["color"] = &promise == promises ? "blue" : "green";
    api.writer().write(make(Write::Verb::kUpdate, "a", std::move(wanted)),
                       [&](Result<Object> result) { promise.set_value(std::move(result)); });
  }
  ASSERT_TRUE(promises[0].get_future().get().ok());
  const auto second = promises[1].get_future().get();
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().reason, Reason::kConflict);
  EXPECT_EQ(json::string_or(api.state().get(kWidgets, "ns", "a").value().at("spec"), "color"), "blue");
}

TEST_F(LocalApiTest, AnUpdateIsOfTheObjectThatWasReadAndNoOtherOfItsName) {
  auto object = create("a").value();
  object.at("metadata").as_object()["uid"] = "another";
  const auto written = write(make(Write::Verb::kUpdate, "a", object));
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().reason, Reason::kConflict);
}

TEST_F(LocalApiTest, AnObjectAndItsStatusCanBeOneWrite) {
  ASSERT_TRUE(api.writer().writes_both());
  const auto first = create("a");
  const auto change = [](const Object& object, std::string_view color) {
    auto wanted = json::Value(object.value(), json::Storage());
    wanted.at("spec").as_object()["color"] = color;
    wanted.as_object()["status"] = json::Object{{"phase", std::string(color)}};
    return wanted;
  };
  int changes = 0;
  api.state().listen({kWidgets}, [&](const Change&) { ++changes; });
  const auto both = write(make(Write::Verb::kUpdateBoth, "a", change(first, "blue")));
  ASSERT_TRUE(both.ok()) << both.error().message;
  EXPECT_EQ(json::string_or(both->value().at("spec"), "color"), "blue");
  EXPECT_EQ(json::string_or(both->value().at("status"), "phase"), "blue");
  EXPECT_EQ(json::int_at(both->value().at("metadata"), "generation"), 2) << "the spec has changed";
  EXPECT_EQ(changes, 1);

  const auto late = write(make(Write::Verb::kUpdateBoth, "a", change(first, "green")));
  ASSERT_FALSE(late.ok());
  EXPECT_EQ(late.error().reason, Reason::kConflict);
  // An update alone still leaves the status as it is.
  const auto alone = write(make(Write::Verb::kUpdate, "a", change(*both, "green")));
  ASSERT_TRUE(alone.ok()) << alone.error().message;
  EXPECT_EQ(json::string_or(alone->value().at("status"), "phase"), "blue");

  for (const char* rule : {"[{apiGroups: [example.com], resources: [widgets], verbs: [update]}]",
                           "[{apiGroups: [example.com], resources: [widgets/status], verbs: [update]}]"}) {
    allow(rule);
    const auto refused = write(make(Write::Verb::kUpdateBoth, "a", change(*alone, "red")));
    ASSERT_FALSE(refused.ok()) << rule;
    EXPECT_EQ(refused.error().reason, Reason::kForbidden) << rule;
  }
}

TEST_F(LocalApiTest, AnObjectCanBeginWithAStatus) {
  const auto begin = [&](const std::string& name, bool with_status) {
    auto wanted = make(Write::Verb::kCreate, name,
                       yaml("{apiVersion: example.com/v1, kind: Widget, metadata: {name: " + name +
                            "}, spec: {color: red}, status: {phase: Done}}"));
    wanted.with_status = with_status;
    const auto made = write(std::move(wanted));
    EXPECT_TRUE(made.ok()) << name;
    const auto* status = made.ok() ? json::find(made->value(), "status") : nullptr;
    return status == nullptr ? "none" : json::write(*status);
  };
  EXPECT_EQ(begin("plain", false), "none") << "as over HTTP";
  EXPECT_EQ(begin("whole", true), R"({"phase":"Done"})");
  allow("[{apiGroups: [example.com], resources: [widgets], verbs: ['*']}]");
  EXPECT_EQ(begin("forbidden", true), "none") << "only who may write the status";
  allow("[{apiGroups: ['*'], resources: ['*'], verbs: ['*']}]");
  Bystander reviewer;
  objects.use(reviewer);
  reviewer.set_idle(false);
  EXPECT_EQ(begin("reviewed", true), "none") << "as others know a create";
}

TEST_F(LocalApiTest, WhereOthersAreAskedAnObjectAndItsStatusAreTwoWrites) {
  Bystander reviewer;
  objects.use(reviewer);
  EXPECT_TRUE(api.writer().writes_both()) << "nobody is configured";
  reviewer.set_idle(false);
  EXPECT_FALSE(api.writer().writes_both());
}

TEST_F(LocalApiTest, AnUpdateMayLieInAnyMemory) {
  allow("[{apiGroups: ['*'], resources: ['*'], verbs: ['*']}]");
  const struct {
    const char* reason;
    bool in_pieces;
    bool pinned;
  } rows[] = {
      {"as most objects are", false, true},
      {"as drafts are: handed on as it is", true, true},
      {"may be tried again by the store's thread, so it is given memory of its own", true, false},
      {"the same from the heap", false, false},
  };
  Write first = make(Write::Verb::kCreate, "a", yaml("{apiVersion: v1, kind: Note, metadata: {name: a}}"));
  first.kind = kNotes;
  ASSERT_TRUE(write(first).ok());
  int number = 0;
  for (const auto& row : rows) {
    const auto text = "text-" + std::to_string(++number);
    auto object = json::Value(api.state().get(kNotes, "ns", "a").value(), json::Storage());
    object.as_object()["text"] = text;
    if (!row.pinned) object.at("metadata").as_object().erase("resourceVersion");
    auto storage = row.in_pieces ? boost::json::make_shared_resource<boost::json::monotonic_resource>(64)
                                 : boost::json::storage_ptr();
    const auto written = write({.verb = Write::Verb::kUpdate,
                                .kind = kNotes,
                                .ns = "ns",
                                .name = "a",
                                .object = json::Value(std::move(object), std::move(storage)),
                                .uid = {},
                                .resource_version = {}});
    ASSERT_TRUE(written.ok()) << row.reason << ": " << written.error().message;
    EXPECT_EQ(json::string_or(written->value(), "text"), text) << row.reason;
  }
}

TEST_F(LocalApiTest, BurstsAreToldToTheStore) {
  allow("[{apiGroups: ['*'], resources: ['*'], verbs: ['*']}]");
  BurstNotes store(over.store);
  registry::Objects over_notes{store, over.cache, nullptr, admission, clock};
  LocalApi bursts{kinds, over.cache, over_notes, policy, service_account("kube-system", "catalog")};
  int number = 0;
  const auto write_note = [&](Write::Verb verb, bool more_follows) {
    std::promise<bool> ok;
    auto note =
        make(verb, "a",
             yaml("{apiVersion: v1, kind: Note, metadata: {name: a}, text: now-" + std::to_string(++number) + "}"));
    note.kind = kNotes;
    note.more_follows = more_follows;
    bursts.writer().write(std::move(note), [&](const Result<Object>& done) { ok.set_value(done.ok()); });
    EXPECT_TRUE(ok.get_future().get());
    return std::exchange(store.told, {});
  };
  using Told = std::vector<std::string>;
  EXPECT_EQ(write_note(Write::Verb::kCreate, true), (Told{"more follows"}));
  EXPECT_EQ(write_note(Write::Verb::kUpdate, false), (Told{"one"}));
  store.race = true;
  EXPECT_EQ(write_note(Write::Verb::kUpdate, true), (Told{"more follows", "one"})) << "the second try is late";
  Bystander reviewer;
  reviewer.asks = true;
  reviewer.set_idle(false);
  over_notes.use(reviewer);
  EXPECT_EQ(write_note(Write::Verb::kUpdate, true), (Told{"one"})) << "others were asked meanwhile";
  bursts.writer().end_burst();
  EXPECT_EQ(store.told, (Told{"end"}));
}

TEST_F(LocalApiTest, StatusIsWrittenByItself) {
  auto object = create("a").value();
  object.at("spec").as_object()["color"] = "blue";
  object.as_object()["status"] = json::Object{{"phase", "Ready"}};
  const auto written = write(make(Write::Verb::kUpdateStatus, "a", object));
  ASSERT_TRUE(written.ok()) << written.error().message;
  EXPECT_EQ(json::string_or(written->value().at("spec"), "color"), "red");
  EXPECT_EQ(json::string_or(written->value().at("status"), "phase"), "Ready");
}

TEST_F(LocalApiTest, DeletesHonourPreconditions) {
  const auto made = create("a");
  auto other = make(Write::Verb::kDelete, "a");
  other.uid = "another";
  EXPECT_EQ(write(other).error().reason, Reason::kConflict);
  other.uid = made.uid();
  other.resource_version = "1000000";
  EXPECT_EQ(write(other).error().reason, Reason::kConflict);
  other.resource_version = made.resource_version();
  const auto gone = write(other);
  ASSERT_TRUE(gone.ok());
  EXPECT_EQ(gone->uid(), made.uid());
  const auto again = write(make(Write::Verb::kDelete, "a"));
  ASSERT_TRUE(again.ok()) << "what is gone is gone";
  EXPECT_FALSE(*again);
}

TEST_F(LocalApiTest, EveryWriteNeedsTheRight) {
  const auto object = create("a").value();
  const struct {
    const char* reason;
    const char* rules;
    Write::Verb verb;
    const char* message;
  } rows[] = {
      {"no right to update", "[{apiGroups: [example.com], resources: [widgets], verbs: [create, delete]}]",
       Write::Verb::kUpdate, "cannot update resource \"widgets\""},
      {"the status is a right of its own", "[{apiGroups: [example.com], resources: [widgets], verbs: ['*']}]",
       Write::Verb::kUpdateStatus, "cannot update resource \"widgets/status\""},
      {"no right to delete", "[{apiGroups: [example.com], resources: [widgets], verbs: [update]}]",
       Write::Verb::kDelete, "cannot delete resource \"widgets\""},
      {"a right for one name does not allow to create",
       "[{apiGroups: [example.com], resources: [widgets], verbs: [create], resourceNames: [a]}]", Write::Verb::kCreate,
       "cannot create resource \"widgets\""},
  };
  for (const auto& row : rows) {
    allow(row.rules);
    const auto refused = write(make(row.verb, "a", object));
    ASSERT_FALSE(refused.ok()) << row.reason;
    EXPECT_EQ(refused.error().reason, Reason::kForbidden) << row.reason;
    EXPECT_NE(refused.error().message.find(row.message), std::string::npos)
        << row.reason << ": " << refused.error().message;
  }
  EXPECT_TRUE(api.state().get(kWidgets, "ns", "a"));
}

// Events are written like that: whether the store still has one is not known before.
TEST_F(LocalApiTest, AnUpdateThatCreatesNeedsTheRightToCreate) {
  const auto note = [] {
    auto out = make(Write::Verb::kUpdate, "note", yaml("{metadata: {name: note}, text: one}"));
    out.kind = kNotes;
    return out;
  };
  allow("[{apiGroups: [''], resources: [notes], verbs: [update]}]");
  EXPECT_EQ(write(note()).error().reason, Reason::kForbidden);
  EXPECT_FALSE(api.state().get(kNotes, "ns", "note"));
  allow("[{apiGroups: [''], resources: [notes], verbs: [create, update]}]");
  const auto made = write(note());
  EXPECT_TRUE(made.ok()) << made.error().message;
  EXPECT_TRUE(api.state().get(kNotes, "ns", "note"));
}

TEST_F(LocalApiTest, WhatCannotBeWrittenIsAnError) {
  const auto object = create("a").value();
  Write unknown = make(Write::Verb::kCreate, "a", object);
  unknown.kind = {"no.such", "things"};
  EXPECT_EQ(write(unknown).error().reason, Reason::kNotFound);
  EXPECT_EQ(write(make(Write::Verb::kUpdate, "b", object)).error().reason, Reason::kBadRequest);
  auto elsewhere = make(Write::Verb::kUpdate, "a", object);
  elsewhere.ns = "other";
  EXPECT_EQ(write(elsewhere).error().reason, Reason::kBadRequest);
  elsewhere.ns = "";
  EXPECT_EQ(write(elsewhere).error().reason, Reason::kBadRequest) << "a namespace is needed";
  EXPECT_EQ(write(make(Write::Verb::kUpdate, "a", "text")).error().reason, Reason::kBadRequest);
  allow("[{apiGroups: ['*'], resources: ['*'], verbs: ['*']}]");
  Write status = make(Write::Verb::kUpdateStatus, "n", json::Object{});
  status.kind = kNotes;
  EXPECT_EQ(write(status).error().reason, Reason::kNotFound) << "notes have no status";
}

TEST_F(LocalApiTest, AccessIsDecidedByTheRulesOfNow) {
  const auto user = service_account("kube-system", "catalog");
  auth::Attributes attributes;
  attributes.user = &user;
  attributes.verb = "create";
  attributes.group = "example.com";
  attributes.resource = "widgets";
  attributes.namespace_ = "ns";
  EXPECT_EQ(api.access().may(attributes), Access::Decision::kAllowed);
  auto of_itself = attributes;
  of_itself.user = nullptr;
  EXPECT_EQ(api.access().may(of_itself), Access::Decision::kAllowed);
  allow("[]");
  EXPECT_EQ(api.access().may(attributes), Access::Decision::kDenied);
  EXPECT_EQ(api.access().may(of_itself), Access::Decision::kDenied);
}

TEST(Object, IsTheSameWhenItIsTheSameStateOfTheSameObject) {
  const auto read = [](std::string_view name, registry::Revision revision) {
    return Object(*registry::Document::from_stored(registry::testing::stored_widget("ns", name), revision, {}));
  };
  EXPECT_EQ(read("a", 5), read("a", 5));
  EXPECT_FALSE(read("a", 5) == read("a", 6));
  EXPECT_FALSE(read("a", 5) == read("b", 5));
  EXPECT_FALSE(read("a", 5) == Object());
  EXPECT_EQ(Object(), Object());
}

}  // namespace
}  // namespace chandler::client
