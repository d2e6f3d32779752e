// Writes that find another write was faster.
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "registry/objects.h"
#include "registry/objects_fixture.h"
#include "registry/passing_store.h"

namespace chandler::registry {
namespace {

using testing::notes;
using testing::widgets;
using testing::yaml;

TEST_F(ObjectsTest, APatchThatLosesARaceIsMadeAgain) {
  ASSERT_TRUE(create(widgets(), "{metadata: {name: a}}").ok());
  int calls = 0;
  const auto patched = patch(widgets(), "a", [&](json::Value& object) {
    if (++calls == 1) {
      ASSERT_TRUE(patch(widgets(), "a", [](json::Value& other) { paint(other, "red"); }).ok());
    }
    object.at("metadata").as_object()["labels"] = json::Object{{"x", "y"}};
    object.at("metadata").as_object().erase("resourceVersion");
  });
  ASSERT_TRUE(patched.ok()) << patched.error().message;
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(json::string_or(get(widgets(), "a").at("spec"), "color"), "red") << "the other's change stays";
  EXPECT_EQ(world_.cache.get(*widgets(), "ns", "a")->label("x"), "y");
}

TEST_F(ObjectsTest, APutThatCreatesAndLosesTheRaceIsAnUpdate) {
  admission_.on_mutate = [&](AdmissionRequest& asked) -> Result<void> {
    if (asked.operation != Operation::kCreate || world_.store.revision() > 0) return {};
    world_.commit({notes()->key("ns", "a"),
                   testing::canonical("{apiVersion: v1, kind: Note, metadata: {name: a, "
                                      "namespace: ns, uid: u-1}, text: theirs}"),
                   storage::Write::kAbsent});
    return {};
  };
  const auto done = put(notes(), "a", yaml("{metadata: {name: a}, text: ours}"));
  ASSERT_TRUE(done.ok()) << done.error().message;
  EXPECT_FALSE(done->created);
  EXPECT_EQ(done->uid, "u-1") << "the object that the other one made";
  EXPECT_EQ(get(notes(), "a").at("text"), json::Value("ours"));
}

TEST_F(ObjectsTest, APinnedPutThatLosesARaceIsAConflict) {
  ASSERT_TRUE(create(widgets(), "{metadata: {name: a}}").ok());
  auto body = get(widgets(), "a");
  paint(body, "blue");
  int calls = 0;
  std::promise<Result<WriteResult>> promise;
  objects_.update(
      request(widgets(), "a"),
      [&](const Document&) -> Result<json::Value> {
        if (++calls == 1) {
          EXPECT_TRUE(patch(widgets(), "a", [](json::Value& other) { paint(other, "red"); }).ok());
        }
        return body;
      },
      &body, [&](Result<WriteResult> result) { promise.set_value(std::move(result)); });
  const auto outcome = promise.get_future().get();
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().reason, Reason::kConflict);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(json::string_or(get(widgets(), "a").at("spec"), "color"), "red");
}

// The store's thread serves all writers, so another one prepares a large object again.
TEST_F(ObjectsTest, AWriteOfALargeObjectThatLosesARaceIsMadeAgainElsewhere) {
  struct Row {
    const char* reason;
    size_t bytes;
    int elsewhere;
  };
  const Row rows[] = {{"a small object takes less time than handing it over", 100, 0},
                      {"a large one would hold up all writes", 100'000, 1}};
  int elsewhere = 0;
  objects_.retry_large_objects([&](const std::function<void()>& work) {
    ++elsewhere;
    work();
  });
  const auto set_label = [](json::Value& object, std::string_view key) {
    object.at("metadata").as_object()["labels"].emplace_object()[key] = "y";
    object.at("metadata").as_object().erase("resourceVersion");
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.reason);
    const auto name = fmt::format("w{}", row.bytes);
    const auto text = std::string(row.bytes, 'x');
    ASSERT_TRUE(create(widgets(), fmt::format("{{metadata: {{name: {}}}, spec: {{color: {}}}}}", name, text)).ok());
    elsewhere = 0;
    int calls = 0;
    const auto patched = patch(widgets(), name, [&](json::Value& object) {
      if (++calls == 1) {
        ASSERT_TRUE(patch(widgets(), name, [&](json::Value& other) { set_label(other, "theirs"); }).ok());
      }
      set_label(object, "ours");
    });
    ASSERT_TRUE(patched.ok()) << patched.error().message;
    EXPECT_EQ(calls, 2);
    EXPECT_EQ(elsewhere, row.elsewhere);
    EXPECT_EQ(world_.cache.get(*widgets(), "ns", name)->label("ours"), "y");
  }
}

// Takes its time with each commit.
class SlowStore final : public testing::PassingStore {
 public:
  SlowStore(storage::Store& behind, std::function<void()> pass_time)
      : PassingStore(behind), pass_time_(std::move(pass_time)) {}
  void commit(storage::Write write, Callback done) override {
    pass_time_();
    PassingStore::commit(std::move(write), std::move(done));
  }

 private:
  const std::function<void()> pass_time_;
};

TEST_F(ObjectsTest, AWriteThatLosesARaceWhenItsTimeIsOverIsNotMadeAgain) {
  ASSERT_TRUE(create(widgets(), "{metadata: {name: a}}").ok());
  SlowStore store(world_.store, [&] { clock_.advance(std::chrono::seconds(5)); });
  Objects objects(store, world_.cache, nullptr, admission_, clock_);
  const auto late = request(widgets(), "a");
  late->due = clock_.mono() + std::chrono::seconds(5);
  int calls = 0;
  const auto done = objects.update_and_wait(late, [&](const Document& current) -> Result<json::Value> {
    if (++calls == 1) {
      EXPECT_TRUE(patch(widgets(), "a", [](json::Value& other) { paint(other, "red"); }).ok());
    }
    json::Value object = current.parse();
    paint(object, "blue");
    object.at("metadata").as_object().erase("resourceVersion");
    return object;
  });
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().reason, Reason::kTimeout);
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace chandler::registry
