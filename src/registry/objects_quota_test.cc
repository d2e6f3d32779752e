// Writes beside the storage quota.
#include <atomic>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "auth/system_users.h"
#include "registry/objects.h"
#include "registry/objects_fixture.h"

namespace chandler::registry {
namespace {

using ::testing::HasSubstr;
using testing::notes;
using testing::widgets;

class ObjectsQuotaTest : public ObjectsTest {
 protected:
  Quota& quota() { return world_.cache.quota(); }

  size_t recount(const Kind& kind) {
    size_t bytes = 0;
    const auto page = world_.cache.list(kind, Query());
    for (const auto& document : page.value().items) bytes += document->memory();
    return bytes;
  }
  void limit_to_what_is_used() { quota().set_limit(quota().used()); }

  static std::string note(std::string_view name, size_t text, std::string_view finalizers = "") {
    return fmt::format("{{metadata: {{name: {}, finalizers: [{}]}}, text: {}}}", name, finalizers,
                       std::string(text, 'x'));
  }
  Result<WriteResult> write_text(std::string_view name, size_t text, const auth::User& user = {}) {
    auto asked = request(notes(), name);
    asked->user = std::make_shared<const auth::User>(user);
    return objects_.update_and_wait(asked, [text](const Document& current) -> Result<json::Value> {
      json::Value object = current.parse();
      object.as_object()["text"] = std::string(text, 'y');
      return object;
    });
  }
  static auth::User controller() {
    return {.name = "system:serviceaccount:kube-system:c",
            .uid = {},
            .groups = {std::string(auth::kSystemAccounts)},
            .extra = {}};
  }
};

TEST_F(ObjectsQuotaTest, CreatesAndGrowingUpdatesAreRefusedAndWhatShrinksIsNot) {
  ASSERT_TRUE(create(notes(), note("a", 1000)).ok());
  limit_to_what_is_used();
  const auto revision = world_.store.revision();
  const auto refused = create(notes(), note("b", 1));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().http(), 503);
  EXPECT_THAT(refused.error().message, HasSubstr("storage quota"));
  EXPECT_FALSE(write_text("a", 1001).ok());
  EXPECT_EQ(world_.store.revision(), revision) << "nothing has reached the store";
  EXPECT_EQ(quota().claimed(), 0u);

  EXPECT_TRUE(write_text("a", 1000).ok()) << "another text of the same length";
  EXPECT_TRUE(write_text("a", 10).ok());
  EXPECT_TRUE(write_text("a", 900).ok()) << "there is room now";
  EXPECT_TRUE(remove(notes(), "a").ok());
  EXPECT_EQ(quota().used(), 0u);
  EXPECT_TRUE(create(notes(), note("b", 1)).ok());
}

TEST_F(ObjectsQuotaTest, ADeletionThatHasToWaitAndItsEndAlwaysGoThrough) {
  ASSERT_TRUE(create(notes(), note("a", 5000, "example.com/one")).ok());
  quota().set_limit(1);
  const auto before = quota().used();
  const auto marked = remove(notes(), "a");
  ASSERT_TRUE(marked.ok()) << marked.error().message;
  EXPECT_FALSE(marked->removed);
  EXPECT_GT(quota().used(), before) << "the mark takes room, and is counted";
  const auto released =
      patch(notes(), "a", [](json::Value& object) { object.at("metadata").as_object()["finalizers"] = json::Array(); });
  ASSERT_TRUE(released.ok()) << released.error().message;
  EXPECT_TRUE(released->removed);
  EXPECT_EQ(quota().used(), 0u);
}

TEST_F(ObjectsQuotaTest, TheReserveIsForControllersAndForWhatIsBeingDeleted) {
  ASSERT_TRUE(create(notes(), note("a", 16'000)).ok());
  ASSERT_TRUE(create(notes(), note("going", 16'000, "example.com/one")).ok());
  ASSERT_TRUE(remove(notes(), "going").ok());
  limit_to_what_is_used();
  EXPECT_FALSE(write_text("a", 16'100).ok());
  EXPECT_TRUE(write_text("a", 16'100, controller()).ok());
  EXPECT_TRUE(write_text("going", 16'100).ok()) << "whoever finishes it may have something to note";
  EXPECT_FALSE(write_text("a", 40'000, controller()).ok()) << "the reserve has an end";
  EXPECT_FALSE(write_text("going", 40'000).ok());
}

TEST_F(ObjectsQuotaTest, ADryRunTakesNothing) {
  auto asked = request(notes());
  asked->dry_run = true;
  ASSERT_TRUE(objects_.create_and_wait(asked, testing::yaml(note("a", 1000))).ok());
  EXPECT_EQ(quota().used() + quota().claimed(), 0u);
}

// Widgets are read through their schema here, so what is held is not what the writer had at hand.
TEST_F(ObjectsQuotaTest, TheCounterIsTheSumOfWhatIsHeldAfterAnyHistory) {
  auto custom = testing::new_widgets();
  custom->crd_uid = "of a custom resource: reading follows its schema";
  ASSERT_TRUE(world_.cache.serve(*custom).ok());
  quota().set_limit(60'000);
  std::mt19937 random(20'261'119);
  const auto any = [&](unsigned below) { return static_cast<unsigned>(random() % below); };
  int refused = 0;
  int stored = 0;
  for (int step = 0; step < 3'000; ++step) {
    const auto name = fmt::format("n{}", any(40));
    const bool is_note = any(2) == 0;
    const KindPtr kind = is_note ? notes() : KindPtr(custom);
    const auto text = std::string(any(4'000), 'x');
    Result<WriteResult> done = [&] {
      switch (any(4)) {
        case 0:
          return remove(kind, name);
        case 1: {
          const auto* holds = any(3) == 0 ? "example.com/one" : "";
          return create(kind, is_note
                                  ? note(name, text.size(), holds)
                                  : fmt::format("{{metadata: {{name: {}, finalizers: [{}]}}, spec: {{color: '{}'}}}}",
                                                name, holds, text));
        }
        case 2:
          return patch(kind, name,
                       [](json::Value& object) { object.at("metadata").as_object()["finalizers"] = json::Array(); });
        default:
          return patch(kind, name, [&](json::Value& object) {
            if (is_note) {
              object.as_object()["text"] = text;
            } else {
              paint(object, text);
            }
          });
      }
    }();
    if (!done.ok() && done.error().http() == 503) ++refused;
    if (done.ok()) ++stored;
    if (step == 1'500) {  // another way of reading: other fields are read off
      ASSERT_TRUE(world_.cache.serve(*widgets()).ok());
      ASSERT_EQ(quota().used(), recount(*notes()) + recount(*custom));
      ASSERT_TRUE(world_.cache.serve(*custom).ok());
    }
    if (step % 50 == 0) {
      ASSERT_EQ(quota().used(), recount(*notes()) + recount(*custom)) << "step " << step;
    }
    ASSERT_EQ(quota().claimed(), 0u) << "step " << step;
  }
  EXPECT_EQ(quota().used(), recount(*notes()) + recount(*custom));
  EXPECT_GT(refused, 50);
  EXPECT_GT(stored, 500);

  metrics::Registry metrics;
  Cache again(nullptr, metrics);
  ASSERT_TRUE(again.serve(*notes()).ok() && again.serve(*custom).ok());
  ASSERT_TRUE(again.follow(world_.store).ok());
  EXPECT_EQ(again.quota().used(), quota().used()) << "after a restart";
  world_.store.detach(again);
}

TEST_F(ObjectsQuotaTest, ManyWritersAtOnceStayWithinItAndFillIt) {
  ASSERT_TRUE(create(notes(), note("first", 1000)).ok());
  const size_t one = quota().used();
  constexpr size_t kFit = 50;
  quota().set_limit(kFit * one + one / 2);
  std::atomic<size_t> stored{1};
  std::atomic<size_t> refused{0};
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 4; ++writer) {
    writers.emplace_back([&, writer] {
      for (int i = 10; i < 40; ++i) {  // names as long as the first one's
        const auto done = create(notes(), note(fmt::format("w{}-{}", writer, i), 1000));
        ++(done.ok() ? stored : refused);
        EXPECT_TRUE(done.ok() || done.error().http() == 503) << done.error().message;
      }
    });
  }
  for (auto& writer : writers) writer.join();
  EXPECT_EQ(stored, kFit);
  EXPECT_EQ(refused, 4u * 30u + 1u - kFit);
  EXPECT_EQ(quota().used(), recount(*notes()));
}

}  // namespace
}  // namespace chandler::registry
