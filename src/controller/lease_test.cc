#include "controller/lease.h"

#include <gmock/gmock.h>

#include "controller/fake_api.h"
#include "support/fake_clock.h"

namespace chandler::controller {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr client::KindName kLeases{"coordination.k8s.io", "leases"};

TEST(DecideLease, Table) {
  const MonoTime seen_at(seconds(100));
  const auto held = [&](std::string holder) {
    return SeenLease{{std::move(holder), seconds(15), "t", "t", 3}, seen_at};
  };
  const auto mine = held("me");
  const auto other = held("other");
  const auto nobody = held("");
  struct Row {
    const char* name;
    const char* reason;
    const SeenLease* seen;
    int after;
    LeaseAction action;
  };
  for (const auto& row : {
           Row{"none", "nobody ever had it", nullptr, 0, LeaseAction::kCreate},
           Row{"mine", "it is ours to renew, also after a restart", &mine, 0, LeaseAction::kRenew},
           Row{"mine, old", "nobody took it", &mine, 100, LeaseAction::kRenew},
           Row{"other", "it was seen alive", &other, 14, LeaseAction::kWait},
           Row{"other, old", "no sign of life for its duration", &other, 15, LeaseAction::kTake},
           Row{"released", "no need to wait", &nobody, 0, LeaseAction::kTake},
       }) {
    EXPECT_EQ(decide_lease(row.seen, "me", seen_at + seconds(row.after)), row.action) << row.name << ": " << row.reason;
  }
}

TEST(NextLease, CountsHandsNotRenewals) {
  LeaseOptions options;
  options.identity = "me";
  const WallTime now(seconds(1'700'000'000));
  const LeaseRecord old{"me", seconds(15), "then", "later", 3};
  const auto renewed = next_lease(LeaseAction::kRenew, &old, options, now);
  EXPECT_EQ(renewed, (LeaseRecord{"me", seconds(15), "then", "2023-11-14T22:13:20.000000Z", 3}));
  EXPECT_EQ(next_lease(LeaseAction::kTake, &old, options, now).transitions, 4);
  EXPECT_EQ(next_lease(LeaseAction::kCreate, nullptr, options, now).transitions, 0);
}

class LeaseTest : public ::testing::Test {
 protected:
  struct Candidate {
    Candidate(LeaseTest& test, std::string identity)
        : election(test.api, test.clock, options(identity),
                   {[&test, identity] { test.log.push_back(identity + " leads"); },
                    [&test, identity] { test.log.push_back(identity + " lost"); }}) {}
    static LeaseOptions options(std::string identity) {
      LeaseOptions out;
      out.identity = std::move(identity);
      return out;
    }
    void settle() {
      for (int i = 0; i < 1'000 && election.turn(); ++i) continue;
    }
    LeaderElection election;
  };
  json::Value spec() const {
    return api.get(kLeases, "kube-system", "service-catalog-controller-manager").value().at("spec");
  }
  // In steps of 100 ms.
  void pass(milliseconds time, std::initializer_list<Candidate*> candidates) {
    for (; time > milliseconds(0); time -= milliseconds(100)) {
      clock.advance(milliseconds(100));
      for (auto* candidate : candidates) candidate->settle();
    }
  }

  FakeApi api;
  ::chandler::testing::FakeClock clock;
  std::vector<std::string> log;
};

TEST_F(LeaseTest, TheFirstLeadsTheSecondWaits) {
  Candidate a(*this, "a");
  Candidate b(*this, "b");
  a.settle();
  b.settle();
  EXPECT_THAT(log, ElementsAre("a leads"));
  pass(seconds(60), {&a, &b});
  EXPECT_THAT(log, ElementsAre("a leads"));
  EXPECT_TRUE(a.election.is_leader());
  EXPECT_EQ(json::string_or(spec(), "holderIdentity"), "a");
  EXPECT_EQ(spec().at("leaseDurationSeconds").as_int64(), 15);
  EXPECT_EQ(json::string_or(spec(), "acquireTime"), "2023-11-14T22:13:20.000000Z");
  EXPECT_GT(json::string_or(spec(), "renewTime"), "2023-11-14T22:14:16");
  EXPECT_EQ(spec().at("leaseTransitions").as_int64(), 0);
}

TEST_F(LeaseTest, ASilentLeaderIsReplacedAfterTheDuration) {
  Candidate a(*this, "a");
  Candidate b(*this, "b");
  a.settle();
  b.settle();
  pass(seconds(14), {&b});
  EXPECT_THAT(log, ElementsAre("a leads"));
  pass(seconds(5), {&b});
  EXPECT_THAT(log, ElementsAre("a leads", "b leads"));
  EXPECT_EQ(spec().at("leaseTransitions").as_int64(), 1);
  a.settle();  // wakes up
  EXPECT_FALSE(a.election.is_leader());
  EXPECT_THAT(log, ElementsAre("a leads", "b leads", "a lost"));
}

TEST_F(LeaseTest, ALeaderThatCannotRenewStepsDownBeforeOthersTakeOver) {
  Candidate a(*this, "a");
  a.settle();
  api.fail_before = [](const client::Write&) -> std::optional<Error> { return unavailable("no"); };
  pass(milliseconds(9'900), {&a});
  EXPECT_TRUE(a.election.is_leader());
  pass(milliseconds(200), {&a});
  EXPECT_THAT(log, ElementsAre("a leads", "a lost"));
  api.fail_before = nullptr;
  pass(seconds(5), {&a});
  EXPECT_TRUE(a.election.is_leader());
}

TEST_F(LeaseTest, AWriteThatHangsDoesNotKeepALeader) {
  Candidate a(*this, "a");
  a.settle();
  api.hold_writes = true;
  pass(seconds(11), {&a});
  EXPECT_THAT(log, ElementsAre("a leads", "a lost"));
}

TEST_F(LeaseTest, WhatIsReleasedIsTakenAtOnce) {
  Candidate a(*this, "a");
  Candidate b(*this, "b");
  a.settle();
  b.settle();
  pass(seconds(3), {&a, &b});
  a.election.release();
  EXPECT_EQ(json::string_or(spec(), "holderIdentity"), "");
  b.settle();
  EXPECT_TRUE(b.election.is_leader());
}

TEST_F(LeaseTest, ReleasingWaitsForTheWriteButNotForEver) {
  Candidate a(*this, "a");
  a.settle();
  api.hold_writes = true;
  a.election.release(milliseconds(1));
  EXPECT_EQ(api.held.size(), 1u);
  EXPECT_EQ(json::string_or(spec(), "holderIdentity"), "a");
  api.release();
  EXPECT_EQ(json::string_or(spec(), "holderIdentity"), "");
}

TEST_F(LeaseTest, WhoComesSecondInARaceWaits) {
  Candidate a(*this, "a");
  Candidate b(*this, "b");
  api.hold_writes = true;
  a.settle();
  b.settle();  // sees no lease either
  api.hold_writes = false;
  api.release();
  a.settle();
  b.settle();
  EXPECT_THAT(log, ElementsAre("a leads"));
}

TEST_F(LeaseTest, SaysWhenItIsDue) {
  Candidate a(*this, "a");
  a.settle();
  ASSERT_TRUE(a.election.next_due().has_value());
  const auto wait = *a.election.next_due() - clock.now();
  EXPECT_GT(wait, milliseconds(1'000));
  EXPECT_LE(wait, milliseconds(2'600));
}

}  // namespace
}  // namespace chandler::controller
