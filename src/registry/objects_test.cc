#include "registry/objects.h"

#include <regex>

#include "base/text.h"
#include "registry/objects_fixture.h"
#include "storage/temp_directory.h"

namespace chandler::registry {
namespace {

using testing::CacheOverMemory;
using testing::FakeAdmission;
using testing::notes;
using testing::widgets;
using testing::yaml;

TEST_F(ObjectsTest, CreateStoresTheObjectWithDefaultsAndSystemFields) {
  const auto made =
      create(widgets(), "{metadata: {name: a, namespace: other}, spec: {color: red}, status: {phase: x}}");
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_TRUE(made->created);
  EXPECT_EQ(made->document, world_.cache.get(*widgets(), "ns", "a")) << "the answer is the document itself";
  EXPECT_EQ(made->document->revision(), world_.store.revision());
  EXPECT_EQ(made->uid, made->document->uid());
  auto object = made->document->parse();
  auto& metadata = object.at("metadata").as_object();
  EXPECT_EQ(metadata["creationTimestamp"], json::Value("2023-11-14T22:13:20Z"));
  metadata.erase("creationTimestamp");
  metadata.erase("uid");
  EXPECT_EQ(
      json::write(object),
      json::write(yaml("{apiVersion: example.com/v1, kind: Widget, metadata: {name: a, namespace: ns, generation: 1, "
                       "resourceVersion: '1'}, spec: {color: red, size: 1}}")));
}

TEST_F(ObjectsTest, CreateRefusesWhatIsThere) {
  ASSERT_TRUE(create(widgets(), "{metadata: {name: a}}").ok());
  const auto again = create(widgets(), "{metadata: {name: a}, spec: {color: red}}");
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().reason, Reason::kAlreadyExists);
  EXPECT_EQ(again.error().about.kind, "widgets");
  EXPECT_EQ(world_.store.revision(), 1);
}

TEST_F(ObjectsTest, APutThatNamesAUidDoesNotMakeAnotherObject) {
  const auto refused = put(notes(), "a", yaml("{metadata: {name: a, uid: gone, resourceVersion: '5'}, text: x}"));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().reason, Reason::kConflict);
  EXPECT_TRUE(put(notes(), "a", yaml("{metadata: {name: a}, text: x}")).ok());
}

TEST_F(ObjectsTest, CreateRefusesAResourceVersion) {
  const auto refused = create(widgets(), "{metadata: {name: a, resourceVersion: '5'}}");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().reason, Reason::kBadRequest);
  EXPECT_TRUE(create(widgets(), "{metadata: {name: a, resourceVersion: ''}}").ok());
}

TEST_F(ObjectsTest, CreateTellsAllFaultsAtOnce) {
  admission_.on_validate = [](const AdmissionRequest&, meta::FieldErrors& errors) -> Result<void> {
    errors.forbidden(meta::Path("spec.color"), "not this one");
    return {};
  };
  const auto refused = create(widgets(), "{metadata: {name: A}, spec: {size: big, color: red}}");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().reason, Reason::kInvalid);
  std::vector<std::string> fields;
  for (const auto& cause : refused.error().causes) fields.push_back(cause.field);
  EXPECT_EQ(fields, (std::vector<std::string>{"metadata.name", "spec.size", "spec.color"}));
  EXPECT_EQ(world_.store.revision(), 0);
}

TEST_F(ObjectsTest, AdmissionChangesWhatIsStoredAndMayRefuse) {
  admission_.on_mutate = [](AdmissionRequest& asked) -> Result<void> {
    EXPECT_EQ(asked.operation, Operation::kCreate);
    EXPECT_EQ(asked.old, nullptr);
    paint(*asked.object, "green");
    asked.warnings->emplace_back("painted");
    return {};
  };
  const auto made = create(widgets(), "{metadata: {name: a}}");
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(json::string_or(get(widgets(), "a").at("spec"), "color"), "green");
  EXPECT_EQ(made->warnings, std::vector<std::string>{"painted"});

  admission_.on_mutate = nullptr;
  admission_.on_validate = [](const AdmissionRequest& asked, meta::FieldErrors&) -> Result<void> {
    return fail(forbidden(asked.kind->ref(asked.name), "closed"));
  };
  EXPECT_EQ(create(widgets(), "{metadata: {name: b}}").error().reason, Reason::kForbidden);
  EXPECT_EQ(remove(widgets(), "a").error().reason, Reason::kForbidden);
  EXPECT_EQ(world_.store.revision(), 1);
}

TEST_F(ObjectsTest, GeneratedNamesAreTriedAgainWhenTaken) {
  std::vector<std::string> tried;
  admission_.on_mutate = [&](AdmissionRequest& asked) -> Result<void> {
    tried.push_back(asked.name);
    EXPECT_EQ(json::string_or(asked.object->at("metadata"), "name"), asked.name);
    if (tried.size() < 3) {
      // Somebody else takes the name at the last moment. On the store's thread nothing can be waited for.
      world_.store.commit({widgets()->key("ns", asked.name), testing::stored_widget("ns", asked.name), 0},
                          [](const Result<storage::WriteOutcome>&) {});
    }
    return {};
  };
  const auto made = create(widgets(), "{metadata: {generateName: box-}}");
  ASSERT_TRUE(made.ok()) << made.error().message;
  ASSERT_EQ(tried.size(), 3u);
  EXPECT_NE(tried[0], tried[1]);
  EXPECT_EQ(made->document->name(), tried[2]);
  EXPECT_TRUE(std::regex_match(tried[2], std::regex("box-[a-z0-9]{5}"))) << tried[2];
  EXPECT_EQ(json::string_or(made->document->parse().at("metadata"), "generateName"), "box-");
}

TEST_F(ObjectsTest, GeneratingANameEndsWhenEveryOneIsTaken) {
  int tries = 0;
  admission_.on_mutate = [&](AdmissionRequest& asked) -> Result<void> {
    ++tries;
    world_.store.commit({widgets()->key("ns", asked.name), testing::stored_widget("ns", asked.name), 0},
                        [](const Result<storage::WriteOutcome>&) {});
    return {};
  };
  const auto refused = create(widgets(), "{metadata: {generateName: box-}}");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().reason, Reason::kAlreadyExists);
  EXPECT_TRUE(refused.error().retry_after_seconds.has_value());
  EXPECT_GT(tries, 1);
}

TEST_F(ObjectsTest, LongGenerateNamesAreCut) {
  const auto made = create(widgets(), "{metadata: {generateName: " + std::string(100, 'x') + "}}");
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_EQ(made->document->name().size(), 63u);
}

TEST_F(ObjectsTest, AnUpdateThatChangesNothingKeepsTheRevision) {
  ASSERT_TRUE(create(widgets(), "{metadata: {name: a}, spec: {color: red}}").ok());
  const auto same = put(widgets(), "a", get(widgets(), "a"));
  ASSERT_TRUE(same.ok());
  EXPECT_EQ(same->document->revision(), 1);
  EXPECT_EQ(world_.store.revision(), 1);
  const auto patched = patch(widgets(), "a", [](json::Value& object) {
    object.at("spec").as_object()["size"] = 1.0;                   // as stored, in another spelling
    object.at("metadata").as_object()["labels"] = json::Object();  // says nothing
  });
  ASSERT_TRUE(patched.ok());
  EXPECT_EQ(patched->document->revision(), 1);
}

TEST_F(ObjectsTest, AStaleResourceVersionIsAConflict) {
  ASSERT_TRUE(create(widgets(), "{metadata: {name: a}}").ok());
  auto stale = get(widgets(), "a");
  ASSERT_TRUE(patch(widgets(), "a", [](json::Value& object) { paint(object, "red"); }).ok());
  paint(stale, "blue");
  const auto refused = put(widgets(), "a", stale);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().reason, Reason::kConflict);
  EXPECT_EQ(json::string_or(get(widgets(), "a").at("spec"), "color"), "red");

  const auto patched =
      patch(widgets(), "a", [](json::Value& object) { object.at("metadata").as_object()["resourceVersion"] = "1"; });
  ASSERT_FALSE(patched.ok());
  EXPECT_EQ(patched.error().reason, Reason::kConflict) << "a patch may pin a version too";
  const auto garbage =
      patch(widgets(), "a", [](json::Value& object) { object.at("metadata").as_object()["resourceVersion"] = "x"; });
  EXPECT_EQ(garbage.error().reason, Reason::kBadRequest);
}

TEST_F(ObjectsTest, APutOfAnotherUidIsAConflict) {
  ASSERT_TRUE(create(widgets(), "{metadata: {name: a}}").ok());
  auto other = get(widgets(), "a");
  other.at("metadata").as_object()["uid"] = "another";
  EXPECT_EQ(put(widgets(), "a", other).error().reason, Reason::kConflict);
}

TEST_F(ObjectsTest, OnlySomeKindsTakeABarePut) {
  ASSERT_TRUE(create(widgets(), "{metadata: {name: a}}").ok());
  const auto refused = put(widgets(), "a", yaml("{metadata: {name: a}}"));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().reason, Reason::kInvalid);
  ASSERT_EQ(refused.error().causes.size(), 1u);
  EXPECT_EQ(refused.error().causes[0].field, "metadata.resourceVersion");

  ASSERT_TRUE(create(notes(), "{metadata: {name: a}, text: one}").ok());
  ASSERT_TRUE(put(notes(), "a", yaml("{metadata: {name: a}, text: two}")).ok());
  EXPECT_EQ(json::string_or(get(notes(), "a"), "text"), "two");
}

TEST_F(ObjectsTest, APutCreatesWhereTheKindAllowsIt) {
  const auto made = put(notes(), "a", yaml("{metadata: {name: a, resourceVersion: '77'}, text: one}"));
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_TRUE(made->created);
  const auto refused = put(widgets(), "a", yaml("{metadata: {name: a}}"));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().reason, Reason::kNotFound);
  EXPECT_EQ(patch(notes(), "b", [](json::Value&) {}).error().reason, Reason::kNotFound) << "a patch needs an object";
}

TEST_F(ObjectsTest, APutThatWouldCreateIsAskedAbout) {
  const auto body = yaml("{metadata: {name: a}, text: one}");
  for (const bool dry_run : {false, true}) {
    auto asked = request(notes(), "a");
    asked->dry_run = dry_run;
    asked->may_create = []() -> Result<void> { return forbidden({}, "not you"); };
    EXPECT_EQ(put(asked, body).error().reason, Reason::kForbidden);
    asked->may_create = nullptr;
    EXPECT_EQ(put(asked, body).error().reason, Reason::kNotFound) << "a writer that does not create finds nothing";
  }
  ASSERT_TRUE(create(notes(), "{metadata: {name: a}, text: one}").ok());
  auto asked = request(notes(), "a");
  asked->may_create = []() -> Result<void> { return forbidden({}, "not you"); };
  EXPECT_TRUE(put(asked, yaml("{metadata: {name: a}, text: two}")).ok()) << "an update is not a creation";
}

TEST_F(ObjectsTest, StatusAndTheRestDoNotTouchEachOther) {
  ASSERT_TRUE(create(widgets(), "{metadata: {name: a}, spec: {color: red}}").ok());
  const auto everything = [](json::Value& object) {
    paint(object, "blue");
    object.as_object()["status"] = json::Object{{"phase", "Ready"}};
    object.at("metadata").as_object()["labels"] = json::Object{{"x", "y"}};
  };
  ASSERT_TRUE(patch(widgets(), "a", everything, "status").ok());
  auto object = get(widgets(), "a");
  EXPECT_EQ(json::string_or(object.at("spec"), "color"), "red");
  EXPECT_EQ(json::string_or(object.at("status"), "phase"), "Ready");
  EXPECT_EQ(json::find(object.at("metadata"), "labels"), nullptr);

  ASSERT_TRUE(patch(widgets(), "a", [&](json::Value& o) {
                everything(o);
                o.as_object()["status"] = json::Object{{"phase", "Lost"}};
              }).ok());
  object = get(widgets(), "a");
  EXPECT_EQ(json::string_or(object.at("spec"), "color"), "blue");
  EXPECT_EQ(json::string_or(object.at("status"), "phase"), "Ready");
}

TEST_F(ObjectsTest, GenerationCountsChangesOfTheDesiredState) {
  ASSERT_TRUE(create(widgets(), "{metadata: {name: a, generation: 50}}").ok());
  EXPECT_EQ(generation("a"), 1);
  ASSERT_TRUE(patch(widgets(), "a", [](json::Value& object) { paint(object, "red"); }).ok());
  EXPECT_EQ(generation("a"), 2);
  ASSERT_TRUE(patch(widgets(), "a", [](json::Value& object) {
                object.at("metadata").as_object()["labels"] = json::Object{{"x", "y"}};
                object.at("metadata").as_object()["generation"] = 99;
              }).ok());
  EXPECT_EQ(generation("a"), 2) << "labels are no desired state";
  ASSERT_TRUE(patch(
                  widgets(), "a",
                  [](json::Value& object) {
                    object.as_object()["status"] = json::Object{{"phase", "Ready"}};
                  },
                  "status")
                  .ok());
  EXPECT_EQ(generation("a"), 2) << "nor is the status";
}

TEST_F(ObjectsTest, ADryRunStoresNothing) {
  const auto dry = [](const KindPtr& kind, std::string_view name) {
    auto out = request(kind, name);
    out->dry_run = true;
    return out;
  };
  const auto created = objects_.create_and_wait(dry(widgets(), ""), yaml("{metadata: {name: a}, spec: {color: red}}"));
  ASSERT_TRUE(created.ok());
  EXPECT_EQ(created->document, nullptr);
  EXPECT_TRUE(created->created);
  EXPECT_EQ(json::int_at(json::parse(created->json())->at("spec"), "size"), 1) << "the answer is what would be stored";
  EXPECT_EQ(world_.store.revision(), 0);

  ASSERT_TRUE(create(widgets(), "{metadata: {name: a}}").ok());
  EXPECT_EQ(objects_.create_and_wait(dry(widgets(), ""), yaml("{metadata: {name: a}}")).error().reason,
            Reason::kAlreadyExists);
  auto body = get(widgets(), "a");
  paint(body, "blue");
  const auto updated = put(dry(widgets(), "a"), body);
  ASSERT_TRUE(updated.ok());
  EXPECT_EQ(json::string_or(json::parse(updated->json())->at("metadata"), "resourceVersion"), "1");
  EXPECT_EQ(json::string_or(json::parse(updated->json())->at("spec"), "color"), "blue");
  EXPECT_TRUE(objects_.remove_and_wait(dry(widgets(), "a"), {}).ok());
  EXPECT_EQ(world_.store.revision(), 1);
  EXPECT_EQ(json::find(get(widgets(), "a"), "spec"), nullptr);
}

TEST_F(ObjectsTest, RevisionsThatGainADigitAreToldAsTheyAre) {
  for (int i = 1; i <= 101; ++i) {
    const auto made = create(notes(), "{metadata: {name: n" + std::to_string(i) + "}}");
    ASSERT_TRUE(made.ok()) << made.error().message;
    ASSERT_EQ(made->document->revision(), i);
    ASSERT_EQ(json::string_or(made->document->parse().at("metadata"), "resourceVersion"), std::to_string(i));
    ASSERT_EQ(made->document, world_.cache.get(*notes(), "ns", "n" + std::to_string(i)));
  }
}

TEST_F(ObjectsTest, AFailedTransformEndsTheUpdate) {
  ASSERT_TRUE(create(widgets(), "{metadata: {name: a}}").ok());
  const auto failed = objects_.update_and_wait(request(widgets(), "a"), [](const Document&) -> Result<json::Value> {
    return fail(bad_request("no such patch"));
  });
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().message, "no such patch");
}

TEST_F(ObjectsTest, AStoppedStoreIsSaidToBe) {
  world_.store.stop();
  const auto refused = create(widgets(), "{metadata: {name: a}}");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().reason, Reason::kServiceUnavailable);
}

TEST(EncryptedObjects, AreSealedInTheStoreAndPlainInTheCache) {
  storage::TempDirectory folder;
  const auto keyring = storage::Keyring::open(folder.path() + "/keys");
  ASSERT_TRUE(keyring.ok());
  const auto secret_widgets = testing::new_widgets();
  secret_widgets->encrypted = true;
  metrics::Registry metrics;
  Cache cache(&*keyring, metrics);
  storage::MemoryStore store;
  ASSERT_TRUE(cache.serve(*secret_widgets).ok());
  ASSERT_TRUE(cache.follow(store).ok());
  FakeAdmission admission;
  ::chandler::testing::FakeClock clock;
  Objects objects(store, cache, &*keyring, admission, clock);
  auto request = std::make_shared<WriteRequest>();
  request->kind = secret_widgets;
  request->version = &secret_widgets->storage_version();
  request->ns = "ns";
  ASSERT_TRUE(objects.create_and_wait(request, yaml("{metadata: {name: a}, spec: {color: infrared}}")).ok());
  const auto entry = store.get(secret_widgets->key("ns", "a"), 0);
  ASSERT_TRUE(entry.ok() && entry->has_value());
  EXPECT_TRUE(storage::Keyring::is_sealed((*entry)->value));
  EXPECT_EQ((*entry)->value.find("infrared"), std::string::npos);
  EXPECT_NE(cache.get(*secret_widgets, "ns", "a")->bytes().find("infrared"), std::string_view::npos);
}

}  // namespace
}  // namespace chandler::registry
