#include "apiserver/housekeeping/event_expiry.h"

#include "apiserver/housekeeping/world_fixture.h"
#include "base/time_text.h"

namespace chandler::apiserver {
namespace {

using ::chandler::testing::eventually;
using std::chrono::minutes;
using std::chrono::seconds;

class EventExpiryTest : public ::testing::Test {
 protected:
  ~EventExpiryTest() override { world_.store.stop(); }

  void create_event(const std::string& name, const std::string& more = "") {
    world_.create(world_.kind("events"), "ns",
                  "{metadata: {name: " + name +
                      "}, involvedObject: {kind: Pod, name: p, namespace: ns}, reason: Test, type: Normal" + more +
                      "}");
  }
  bool has(std::string_view name) { return world_.has(world_.kind("events"), "ns", name); }

  testing::World world_;
};

// The look at the start needs no waiting: what is old by the clock goes at once.
TEST_F(EventExpiryTest, RemovesEventsThatWereLastSeenTooLongAgo) {
  EventExpiry expiry(world_.kinds, world_.cache, world_.objects, world_.clock, minutes(60));
  world_.follow();
  world_.create_namespace("ns");
  create_event("old");
  const auto later = rfc3339(world_.clock.now() + minutes(30));
  create_event("repeated", ", lastTimestamp: '" + later + "'");
  create_event("series", ", series: {count: 2, lastObservedTime: '" + later.substr(0, later.size() - 1) + ".000000Z'}");
  world_.clock.advance(minutes(59));
  create_event("young");
  world_.clock.advance(minutes(2));
  expiry.start();
  EXPECT_TRUE(eventually([&] { return !has("old"); }));
  EXPECT_TRUE(has("repeated"));
  EXPECT_TRUE(has("series"));
  EXPECT_TRUE(has("young"));
  expiry.stop();
  world_.store.stop();
}

TEST_F(EventExpiryTest, FollowsEventsThatAreMadeLater) {
  EventExpiry expiry(world_.kinds, world_.cache, world_.objects, world_.clock, seconds(1));
  world_.follow();
  world_.create_namespace("ns");
  expiry.start();
  create_event("short");
  world_.create_config("no-event");
  world_.clock.advance(seconds(5));
  EXPECT_TRUE(eventually([&] { return !has("short"); }));
  EXPECT_TRUE(world_.has_config("no-event"));
  expiry.stop();
  world_.store.stop();
}

}  // namespace
}  // namespace chandler::apiserver
