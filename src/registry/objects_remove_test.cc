#include "registry/objects.h"
#include "registry/objects_fixture.h"

namespace chandler::registry {
namespace {

using testing::widgets;

TEST_F(ObjectsTest, DeleteWithoutFinalizersRemovesAtOnce) {
  ASSERT_TRUE(create(widgets(), "{metadata: {name: a}}").ok());
  const auto removed = remove(widgets(), "a");
  ASSERT_TRUE(removed.ok());
  EXPECT_TRUE(removed->removed);
  EXPECT_EQ(removed->document->revision(), 2);
  EXPECT_FALSE(removed->document->deleting()) << "told about as it was";
  EXPECT_EQ(world_.cache.get(*widgets(), "ns", "a"), nullptr);
  EXPECT_EQ(remove(widgets(), "a").error().reason, Reason::kNotFound);
}

TEST_F(ObjectsTest, FinalizersHoldADeletedObjectUntilTheLastIsGone) {
  ASSERT_TRUE(create(widgets(), "{metadata: {name: a, finalizers: [example.com/one, example.com/two]}}").ok());
  const auto marked = remove(widgets(), "a");
  ASSERT_TRUE(marked.ok());
  EXPECT_FALSE(marked->removed);
  EXPECT_TRUE(marked->document->deleting());
  EXPECT_EQ(generation("a"), 2);
  const auto revision = world_.store.revision();
  ASSERT_TRUE(remove(widgets(), "a").ok());
  EXPECT_EQ(world_.store.revision(), revision) << "a second delete changes nothing";
  EXPECT_EQ(create(widgets(), "{metadata: {name: a}}").error().reason, Reason::kAlreadyExists);

  const auto more = patch(widgets(), "a", [](json::Value& object) {
    object.at("metadata").as_object()["finalizers"] =
        json::Array{"example.com/one", "example.com/two", "example.com/3"};
  });
  EXPECT_EQ(more.error().reason, Reason::kInvalid) << "nothing new may hold it";

  const auto one = patch(widgets(), "a", [](json::Value& object) {
    object.at("metadata").as_object()["finalizers"] = json::Array{"example.com/two"};
  });
  ASSERT_TRUE(one.ok());
  EXPECT_FALSE(one->removed);
  const auto last = patch(widgets(), "a",
                          [](json::Value& object) { object.at("metadata").as_object()["finalizers"] = json::Array(); });
  ASSERT_TRUE(last.ok()) << last.error().message;
  EXPECT_TRUE(last->removed);
  EXPECT_EQ(world_.cache.get(*widgets(), "ns", "a"), nullptr);
}

TEST_F(ObjectsTest, DeletePreconditionsMustHold) {
  ASSERT_TRUE(create(widgets(), "{metadata: {name: a}}").ok());
  const std::string uid(world_.cache.get(*widgets(), "ns", "a")->uid());
  const auto refused = [&](std::string_view with_uid, std::string_view version) {
    DeleteOptions options;
    options.uid = with_uid;
    options.resource_version = version;
    const auto outcome = remove(widgets(), "a", options);
    return !outcome.ok() && outcome.error().reason == Reason::kConflict;
  };
  EXPECT_TRUE(refused("another", ""));
  EXPECT_TRUE(refused("", "7"));
  EXPECT_TRUE(refused(uid, "7"));
  EXPECT_NE(world_.cache.get(*widgets(), "ns", "a"), nullptr);
  EXPECT_FALSE(refused(uid, "1"));
  EXPECT_EQ(world_.cache.get(*widgets(), "ns", "a"), nullptr);
}

TEST_F(ObjectsTest, ADeleteThatLosesARaceChecksItsPreconditionsAgain) {
  ASSERT_TRUE(create(widgets(), "{metadata: {name: a}}").ok());
  int calls = 0;
  std::string color = "red";
  admission_.on_validate = [&](const AdmissionRequest& asked, meta::FieldErrors&) -> Result<void> {
    if (asked.operation == Operation::kDelete && ++calls == 1) {
      EXPECT_TRUE(patch(widgets(), "a", [&](json::Value& other) { paint(other, color); }).ok());
    }
    return {};
  };
  DeleteOptions pinned;
  pinned.resource_version = "1";
  EXPECT_EQ(remove(widgets(), "a", pinned).error().reason, Reason::kConflict);
  calls = 0;
  color = "blue";
  EXPECT_TRUE(remove(widgets(), "a").ok()) << "without preconditions it is simply made again";
  EXPECT_EQ(calls, 2);
}

}  // namespace
}  // namespace chandler::registry
