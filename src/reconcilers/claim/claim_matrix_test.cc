// Every order of events, deaths in between, and many claims at once.
#include <random>
#include <set>

#include "reconcilers/claim/claim_world_fixture.h"

namespace chandler::reconcilers::claims {
namespace {

using testing::kPostgres;
using testing::kServers;

enum class Wish { kExplicit, kSelector, kNone };
enum class When { kBefore, kAfter, kDeletedMeanwhile };

struct Row {
  int defaults;
  Wish wish;
  When when;
  std::string_view expected;  // the class that serves the claim, or why none does
  std::string_view why;
};

constexpr Row kRows[] = {
    {0, Wish::kExplicit, When::kBefore, "named", "a name is enough"},
    {0, Wish::kExplicit, When::kAfter, "named", "the class is picked up when it comes"},
    {0, Wish::kExplicit, When::kDeletedMeanwhile, "ClassNotFound", "the user named it, nobody replaces it"},
    {0, Wish::kSelector, When::kBefore, "picked", "a selector is enough"},
    {0, Wish::kSelector, When::kAfter, "picked", "the class is picked up when it comes"},
    {0, Wish::kSelector, When::kDeletedMeanwhile, "NoMatchingClass", "nothing was made yet, so it is chosen anew"},
    {0, Wish::kNone, When::kBefore, "NoDefaultClass", "there is none"},
    {0, Wish::kNone, When::kAfter, "NoDefaultClass", "there is none"},
    {0, Wish::kNone, When::kDeletedMeanwhile, "NoDefaultClass", "there never was one"},
    {1, Wish::kExplicit, When::kBefore, "named", "a default does not outrank a name"},
    {1, Wish::kExplicit, When::kAfter, "named", "a default does not outrank a name"},
    {1, Wish::kExplicit, When::kDeletedMeanwhile, "ClassNotFound", "a default does not replace a name"},
    {1, Wish::kSelector, When::kBefore, "picked", "a default does not outrank a selector"},
    {1, Wish::kSelector, When::kAfter, "picked", "a default does not outrank a selector"},
    {1, Wish::kSelector, When::kDeletedMeanwhile, "NoMatchingClass", "a default does not replace a selector"},
    {1, Wish::kNone, When::kBefore, "default-1", "the default"},
    {1, Wish::kNone, When::kAfter, "default-1", "the default is picked up when it comes"},
    {1, Wish::kNone, When::kDeletedMeanwhile, "NoDefaultClass", "nothing was made yet"},
    {2, Wish::kExplicit, When::kBefore, "named", "defaults do not matter"},
    {2, Wish::kExplicit, When::kAfter, "named", "defaults do not matter"},
    {2, Wish::kExplicit, When::kDeletedMeanwhile, "ClassNotFound", "defaults do not matter"},
    {2, Wish::kSelector, When::kBefore, "picked", "defaults do not matter"},
    {2, Wish::kSelector, When::kAfter, "picked", "defaults do not matter"},
    {2, Wish::kSelector, When::kDeletedMeanwhile, "NoMatchingClass", "defaults do not matter"},
    {2, Wish::kNone, When::kBefore, "SeveralDefaultClasses", "nobody says which"},
    {2, Wish::kNone, When::kAfter, "SeveralDefaultClasses", "nobody says which"},
    {2, Wish::kNone, When::kDeletedMeanwhile, "default-2", "one is left"},
};

class ClaimMatrix : public testing::ClaimWorld {
 protected:
  void create_classes(const Row& row) {
    create_class("named", kServerClass);
    create_class("picked", kServerClass, "crossplane-system", "pick: me");
    for (int i = 1; i <= row.defaults; ++i) {
      create_class(fmt::format("default-{}", i), kServerClass, "crossplane-system", kIsDefault);
    }
  }
  // The one that matters for the wish; of several defaults the first.
  void delete_class(const Row& row) {
    if (row.wish == Wish::kNone && row.defaults == 0) return;
    remove(kResourceClasses, "crossplane-system",
           row.wish == Wish::kExplicit   ? "named"
           : row.wish == Wish::kSelector ? "picked"
                                         : "default-1");
  }
  void create_wish(Wish wish) {
    create_claim("db", wish == Wish::kExplicit   ? "{classReference: {name: named, namespace: crossplane-system}}"
                       : wish == Wish::kSelector ? "{classSelector: {matchLabels: {pick: me}}}"
                                                 : "{}");
  }
};

class ClaimMatrixRow : public ClaimMatrix, public ::testing::WithParamInterface<std::tuple<Row, bool>> {};

TEST_P(ClaimMatrixRow, EndsAsItMust) {
  const auto& [row, restarts] = GetParam();
  SCOPED_TRACE(row.why);
  const auto pause = [&] {
    settle();
    if (restarts) restart();
  };
  if (row.when != When::kDeletedMeanwhile) install_servers();
  if (row.when != When::kAfter) create_classes(row);
  create_wish(row.wish);
  pause();
  if (row.when == When::kAfter) create_classes(row);
  if (row.when == When::kDeletedMeanwhile) {
    delete_class(row);
    pause();
    install_servers();
  }
  settle();

  const auto now = claim();
  if (row.expected.find("Class") == std::string_view::npos) {
    EXPECT_EQ(at(now, "spec.classReference.name"), row.expected) << conditions(now);
    EXPECT_EQ(at(now, "status.bindingPhase"), "Bound") << conditions(now);
    EXPECT_EQ(servers().size(), 1u);
    EXPECT_EQ(password(), "s3cret");
  } else {
    EXPECT_EQ(condition_reason(status_of(now), kClassResolved), row.expected) << conditions(now);
    EXPECT_EQ(condition_reason(status_of(now), kReady), row.expected);
    if (row.wish != Wish::kExplicit) {
      EXPECT_EQ(at(now, "spec.classReference"), "null");
    }
    EXPECT_TRUE(servers().empty());
    EXPECT_EQ(processes.front()->engine->next_due(), std::nullopt);
  }
  // Nobody holds a class that is to go and serves nothing.
  if (row.when == When::kDeletedMeanwhile) {
    for (const auto& each : world.state().list(kResourceClasses, {})) EXPECT_FALSE(each.deleting()) << each.name();
  }
  // Whatever the state, it ends.
  remove(kPostgres, "demo", "db");
  settle();
  EXPECT_FALSE(claim());
  EXPECT_TRUE(servers().empty());
}

INSTANTIATE_TEST_SUITE_P(All, ClaimMatrixRow, ::testing::Combine(::testing::ValuesIn(kRows), ::testing::Bool()));

// By an outside controller, or (true) by the service catalog.
class ClaimDeath : public ClaimMatrix, public ::testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    catalog_works = GetParam();
    install_servers();
    create_class("cloud",
                 GetParam()
                     ? "provisioner: serviceinstance.servicecatalog.k8s.io/v1beta1, parameters: {serviceType: sql}"
                     : kServerClass,
                 "crossplane-system", kIsDefault);
    settle();
  }
  size_t resources() { return world.state().list(GetParam() ? kInstances : kServers, {}).size(); }
  size_t bindings() { return world.state().list(kBindings, {}).size(); }
};

TEST_P(ClaimDeath, BetweenAnyTwoWritesLeavesExactlyOneResource) {
  size_t points = 0;
  for (bool died = true; died; ++points) {
    const auto name = fmt::format("db-{}", points);
    SCOPED_TRACE(name);
    restart(points + 1);
    const std::string uid(create_claim(name).uid());
    died = !settle();
    restart();
    settle();
    EXPECT_EQ(conditions(claim(name)), kBoundConditions);
    EXPECT_TRUE(get(GetParam() ? kInstances : kServers, "crossplane-system", "postgresqlinstance-" + uid));
    EXPECT_EQ(resources(), points + 1);
    EXPECT_EQ(bindings(), GetParam() ? points + 1 : 0);
    EXPECT_EQ(password(name), "s3cret");
  }
  EXPECT_GT(points, 6u) << "writes: class, intent, resource, secrets, status";

  for (size_t point = 0; point < points; ++point) {
    const auto name = fmt::format("db-{}", point);
    SCOPED_TRACE(name);
    restart(point + 1);
    remove(kPostgres, "demo", name);
    settle();
    restart();
    settle();
    EXPECT_FALSE(claim(name));
    EXPECT_EQ(resources(), points - point - 1);
    EXPECT_EQ(bindings(), GetParam() ? points - point - 1 : 0);
    EXPECT_EQ(password(name), "no secret");
  }
}

// A claim that is deleted at any point of its making leaves nothing behind, though its process died.
TEST_P(ClaimDeath, ThenDeletionLeavesNothing) {
  bool died = true;
  for (size_t point = 1; died; ++point) {
    const auto name = fmt::format("db-{}", point);
    SCOPED_TRACE(name);
    restart(point);
    create_claim(name);
    died = !settle();
    remove(kPostgres, "demo", name);
    restart();
    settle();
    advance(std::chrono::seconds(11));
    EXPECT_FALSE(claim(name)) << conditions(claim(name));
    EXPECT_EQ(resources(), 0u);
    EXPECT_EQ(bindings(), 0u);
    EXPECT_EQ(password(name), "no secret");
  }
}

INSTANTIATE_TEST_SUITE_P(All, ClaimDeath, ::testing::Bool());

class ClaimRace : public ClaimMatrix {};

TEST_F(ClaimRace, AChoiceThatIsTakenBackIsNoWishOfTheUser) {
  bool died = true;
  for (size_t point = 1; died; ++point) {
    SCOPED_TRACE(point);
    create_class("cloud", kServerClass, "crossplane-system", kIsDefault);
    create_claim();
    restart();
    settle();
    ASSERT_EQ(at(claim(), "spec.classReference.name"), "cloud");
    restart(point);
    remove(kResourceClasses, "crossplane-system", "cloud");
    died = !settle();
    restart();
    settle();
    EXPECT_EQ(condition_reason(status_of(claim()), kClassResolved), "NoDefaultClass");
    EXPECT_EQ(at(claim(), "spec.classReference"), "null");
    EXPECT_FALSE(get(kResourceClasses, "crossplane-system", "cloud"));
    remove(kPostgres, "demo", "db");
    settle();
  }
}

// Two processes at once, writes of one overtaking those of the other.
TEST_F(ClaimRace, OfTwoControllersMakesOneResourcePerClaim) {
  constexpr size_t kClaims = 50;
  install_servers();
  std::mt19937 random(3);
  for (size_t i = 0; i < 2; ++i) start_process().api.holds = true;
  for (size_t i = 0; i < kClaims; ++i) create_claim(fmt::format("db-{}", i));
  create_class("cloud", kServerClass, "crossplane-system", kIsDefault);
  for (int idle = 0; idle < 200;) {
    auto& process = *processes[random() % 2];
    const bool did = random() % 2 == 0 ? process.engine->turn() : process.api.release_one();
    idle = did || provide() ? 0 : idle + 1;
    // A write that lost its race is tried again after a moment.
    if (idle == 100) clock.advance(std::chrono::milliseconds(100));
  }
  std::set<std::string> served;
  for (const auto& server : servers()) served.emplace(server.document().label(kClaimUidLabel).value_or("none"));
  EXPECT_EQ(servers().size(), kClaims);
  EXPECT_EQ(served.size(), kClaims);
  for (size_t i = 0; i < kClaims; ++i) {
    const auto name = fmt::format("db-{}", i);
    EXPECT_EQ(conditions(claim(name)), kBoundConditions) << name;
    EXPECT_EQ(password(name), "s3cret") << name;
  }
}

class ManyClaims : public testing::ClaimWorld {
 protected:
  struct Cost {
    size_t looked_at = 0;
    size_t writes = 0;
  };
  // What it costs to serve so many claims when the default that they wait for appears.
  Cost serve(size_t count, std::string_view class_name) {
    for (size_t i = 0; i < count; ++i) create_claim(fmt::format("{}-{}", class_name, i), "{engineVersion: '9.6'}");
    settle();
    auto& api = processes.front()->api;
    const Cost before{api.seen.looked_at, api.writes};
    create_class(class_name, "provisioner: postgresqlserver.database.example.org/v1", "crossplane-system", kIsDefault);
    settle();
    for (const size_t i : {size_t{0}, count - 1}) {
      EXPECT_EQ(at(claim(fmt::format("{}-{}", class_name, i)), "spec.classReference.name"), class_name);
    }
    return {api.seen.looked_at - before.looked_at, api.writes - before.writes};
  }
};

#ifdef NDEBUG
constexpr size_t kMany = 10'000;
#else
constexpr size_t kMany = 500;  // a build with sanitizers takes long for more, and proportion shows in these
#endif

TEST_F(ManyClaims, AreServedInProportionToTheirNumber) {
  constexpr size_t kFew = 100;
  const auto few = serve(kFew, "few");
  update(kResourceClasses, "crossplane-system", "few",
         [](json::Object& root) { object_in(root, "metadata").erase("labels"); });
  // Classes that do not matter cost nothing.
  for (int i = 0; i < 200; ++i) create_class(fmt::format("other-{}", i), kServerClass);
  settle();
  const auto many = serve(kMany, "many");
  EXPECT_EQ(many.writes, few.writes / kFew * kMany);
  EXPECT_LE(many.looked_at / kMany, few.looked_at / kFew) << "each looks at as much as if it were alone";
  EXPECT_LE(few.looked_at / kFew, 60u);

  // A default for another kind wakes none of them.
  auto& api = processes.front()->api;
  const auto before = api.seen.looked_at;
  create_class("buckets", kServerClass, "crossplane-system", "bucket.storage.crossplane.io/default: 'true'");
  settle();
  EXPECT_LE(api.seen.looked_at - before, 100u);
}

}  // namespace
}  // namespace chandler::reconcilers::claims
