#include "apiserver/lanes/lanes.h"

#include <algorithm>
#include <future>

#include <gmock/gmock.h>

#include "apiserver/whole_server_fixture.h"

namespace chandler::apiserver {
namespace {

using ::chandler::testing::eventually;
using ::testing::HasSubstr;

TEST(LaneOf, GoesByWhoAsks) {
  struct Row {
    const char* reason;
    const char* name;
    std::vector<std::string> groups;
    const char* target;
    const char* expected;
  };
  const char* pods = "/api/v1/namespaces/a/pods";
  const Row rows[] = {
      {"the masters", "admin", {"system:masters", "system:authenticated"}, pods, "exempt"},
      {"our controllers",
       "system:serviceaccount:kube-system:claims-controller",
       {"system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"},
       pods,
       "system"},
      {"others' accounts",
       "system:serviceaccount:shop:robot",
       {"system:serviceaccounts", "system:serviceaccounts:shop", "system:authenticated"},
       pods,
       "workload"},
      {"parts of the system", "system:kube-controller-manager", {"system:authenticated"}, pods, "system"},
      {"an ordinary user", "ann", {"system:authenticated"}, pods, "workload"},
      {"leader election",
       "ann",
       {"system:authenticated"},
       "/apis/coordination.k8s.io/v1/namespaces/a/leases/l",
       "system"},
      {"strangers", "system:anonymous", {"system:unauthenticated"}, pods, "catch-all"},
  };
  for (const auto& row : rows) {
    auth::User user;
    user.name = row.name;
    user.groups = row.groups;
    const auto info = parse_request_info(http::Method::kGet, row.target);
    EXPECT_EQ(lane_name(lane_of(user, *info)), row.expected) << row.reason;
  }
}

TEST(Lanes, EachHasItsShareAndTheExemptNoneBeforeTheStore) {
  metrics::Registry metrics;
  Lanes lanes({.writes = 600, .heavy = 1}, metrics);
  EXPECT_EQ(lanes.gate(Lane::kExempt, LaneWork::kWrite), nullptr);
  EXPECT_EQ(lanes.gate(Lane::kSystem, LaneWork::kWrite)->limits().seats, 180U);
  EXPECT_EQ(lanes.gate(Lane::kWorkload, LaneWork::kWrite)->limits().seats, 360U);
  EXPECT_EQ(lanes.gate(Lane::kCatchAll, LaneWork::kWrite)->limits().seats, 60U);
  EXPECT_EQ(lanes.gate(Lane::kSystem, LaneWork::kHeavy)->limits().seats, 1U) << "never none";
}

TEST(ListWidth, GrowsWithWhatIsLookedAt) {
  EXPECT_EQ(list_width(0), 1U);
  EXPECT_EQ(list_width(25'000), 3U);
  EXPECT_EQ(list_width(100'000'000), 10U);
}

TEST(BodyWidth, GrowsWithTheBytes) {
  EXPECT_EQ(body_width(10'000), 1U);
  EXPECT_EQ(body_width(size_t{1024} * 1024), 5U);
  EXPECT_EQ(body_width(size_t{3} * 1024 * 1024), 13U);
}

// A whole server whose only worker is busy until told otherwise; tables need it.
class LanesTest : public ::testing::Test {
 protected:
  LanesTest() {
    server_.services.lanes = &lanes_;
    const auto all = json::parse_yaml(R"(
- {kind: ClusterRole, metadata: {name: all}, rules: [{apiGroups: ['*'], resources: ['*'], verbs: ['*']}]}
- {kind: ClusterRoleBinding, metadata: {name: all}, roleRef: {kind: ClusterRole, name: all}, subjects: [
    {kind: Group, name: people}, {kind: Group, name: 'system:serviceaccounts'},
    {kind: Group, name: 'system:serviceaccounts:kube-system'}]}
)");
    for (const auto& object : all->as_array()) server_.world.policy().apply(object);
    occupy_worker();
  }
  ~LanesTest() override { let_go(); }

  void occupy_worker() {
    free_.emplace();
    auto freed = std::make_shared<std::future<void>>(free_->get_future());
    EXPECT_TRUE(server_.pool.submit([freed] { freed->wait(); }));
  }
  void let_go() {
    if (free_) free_->set_value();
    free_.reset();
  }
  void ask_for_table(const std::string& id, const std::string& user, const std::string& group) {
    http::Headers headers;
    headers.add("Audit-ID", id);
    headers.add("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io");
    server_.send(http::Method::kGet, "/api/v1/namespaces", "", user, group, headers);
  }
  // A body that is checked in full and not stored.
  void send_body(const std::string& id, const std::string& user, size_t bytes) {
    http::Headers headers;
    headers.add("Audit-ID", id);
    const auto body = R"({"metadata":{"name":"n","annotations":{"a":")" + std::string(bytes, 'x') + R"("}}})";
    server_.send(http::Method::kPost, "/api/v1/namespaces?dryRun=All", body, user, "people", headers);
  }
  std::vector<std::string> answered() {
    MutexLock lock(server_.answers.mutex);
    std::vector<std::string> out;
    for (const auto& answer : server_.answers.all) {
      out.push_back(std::to_string(answer.status) + " " + std::string(answer.headers.get("Audit-Id")));
    }
    return out;
  }
  size_t count(const std::string& text) {
    const auto all = answered();
    return static_cast<size_t>(std::count(all.begin(), all.end(), text));
  }

  metrics::Registry metrics_;
  Lanes lanes_{{.writes = 10, .heavy = 4, .bodies = 8, .queue_per_user = 100}, metrics_};
  std::optional<std::promise<void>> free_;  // what the worker waits for
  testing::WholeServer server_;
};

TEST_F(LanesTest, AFloodIsRefusedBeyondItsQueueAndOthersTakeTheirTurn) {
  constexpr size_t kFlood = 256;
  const size_t seats = lanes_.gate(Lane::kWorkload, LaneWork::kHeavy)->limits().seats;
  for (size_t i = 0; i < kFlood; ++i) ask_for_table("flood", "mallory", "people");
  EXPECT_EQ(count("429 flood"), kFlood - 100 - seats);
  {
    MutexLock lock(server_.answers.mutex);
    EXPECT_EQ(server_.answers.all.front().headers.get("Retry-After"), "1");
  }
  ask_for_table("quiet", "ann", "people");
  ask_for_table("controller", "system:serviceaccount:kube-system:c", "system:serviceaccounts:kube-system");
  EXPECT_EQ(answered().size(), kFlood - 100 - seats) << "nobody else is refused";
  let_go();
  ASSERT_TRUE(eventually([&] { return count("200 flood") == 100 + seats; }));
  std::vector<std::string> served;
  for (const auto& answer : answered()) {
    if (answer.starts_with("200 ")) served.push_back(answer);
  }
  const auto place = [&](const char* who) { return std::find(served.begin(), served.end(), who) - served.begin(); };
  // What was under way, and one of the flood whose turn it was.
  EXPECT_LE(place("200 controller"), static_cast<ptrdiff_t>(seats));
  EXPECT_LE(place("200 quiet"), static_cast<ptrdiff_t>(seats) + 2);
  lanes_.tick(server_.world.clock.mono());
  EXPECT_THAT(metrics_.text(),
              HasSubstr("apiserver_flowcontrol_rejected_requests_total{priority_level=\"workload\",work=\"heavy\","
                        "reason=\"queue-full\"} " +
                        std::to_string(kFlood - 100 - seats)));
  EXPECT_EQ(lanes_.gate(Lane::kWorkload, LaneWork::kHeavy)->used(), 0U);
}

// A tenant can act as a thousand accounts of its namespace, and each with a queue and a turn of its own would leave
// nothing to others.
TEST_F(LanesTest, TheServiceAccountsOfANamespaceTakeOneTurn) {
  constexpr size_t kFlood = 1'200;
  const size_t seats = lanes_.gate(Lane::kWorkload, LaneWork::kHeavy)->limits().seats;
  for (size_t i = 0; i < kFlood; ++i) {
    ask_for_table("flood", "system:serviceaccount:attic:robot-" + std::to_string(i), "system:serviceaccounts");
  }
  EXPECT_EQ(count("429 flood"), kFlood - 100 - seats) << "one queue for all of them";
  ask_for_table("quiet", "ann", "people");
  ask_for_table("robot", "system:serviceaccount:shop:robot", "system:serviceaccounts");
  EXPECT_EQ(count("429 quiet") + count("429 robot"), 0U) << "nobody else is refused";
  let_go();
  ASSERT_TRUE(eventually([&] { return answered().size() == kFlood + 2; }));
  std::vector<std::string> served;
  for (const auto& answer : answered()) {
    if (answer.starts_with("200 ")) served.push_back(answer);
  }
  for (const auto* who : {"200 quiet", "200 robot"}) {
    EXPECT_LE(std::find(served.begin(), served.end(), who) - served.begin(), static_cast<ptrdiff_t>(seats) + 3) << who;
  }
}

TEST_F(LanesTest, WhoWaitsTooLongGets429) {
  const size_t seats = lanes_.gate(Lane::kWorkload, LaneWork::kHeavy)->limits().seats;
  for (size_t i = 0; i < seats + 1; ++i) ask_for_table("a" + std::to_string(i), "ann", "people");
  EXPECT_TRUE(answered().empty());
  server_.world.clock.advance(std::chrono::seconds(16));
  lanes_.tick(server_.world.clock.mono());
  EXPECT_EQ(answered(), std::vector<std::string>{"429 a" + std::to_string(seats)});
}

// What workers have before them from one user is bounded by bytes, so others' reads and bodies are served between.
TEST_F(LanesTest, BodiesOfOneUserHoldNeitherReadsNorBodiesOfOthers) {
  constexpr size_t kFlood = 60;
  constexpr size_t kPiece = 200 * 1024;  // a seat each
  auto* gate = lanes_.gate(Lane::kWorkload, LaneWork::kBody);
  const size_t seats = gate->limits().seats;
  for (size_t i = 0; i < kFlood; ++i) send_body("flood", "mallory", kPiece);
  EXPECT_EQ(gate->used(), seats);
  ask_for_table("read", "ann", "people");
  send_body("body", "ann", kPiece);
  EXPECT_TRUE(answered().empty());
  let_go();
  ASSERT_TRUE(eventually([&] { return answered().size() == kFlood + 2; }));
  const auto all = answered();
  const auto place = [&](const char* who) { return std::find(all.begin(), all.end(), who) - all.begin(); };
  EXPECT_EQ(count("201 flood"), kFlood);
  EXPECT_LE(place("200 read"), static_cast<ptrdiff_t>(seats));
  EXPECT_LE(place("201 body"), static_cast<ptrdiff_t>(seats) + 3);
  EXPECT_TRUE(eventually([&] { return gate->used() == 0; }));
}

TEST_F(LanesTest, ALargeBodyTakesMoreSeatsAndMoreOfItsUsersQueue) {
  constexpr size_t kLarge = 2 * 1024 * 1024;
  auto* gate = lanes_.gate(Lane::kWorkload, LaneWork::kBody);
  for (size_t i = 0; i < 20; ++i) send_body("large", "mallory", kLarge);
  EXPECT_EQ(gate->used(), gate->limits().seats) << "one has them all";
  EXPECT_EQ(gate->waiting(), 100 / body_width(kLarge + 100));
  EXPECT_EQ(count("429 large"), 20 - 1 - gate->waiting());
  send_body("small", "mallory", 100);
  EXPECT_EQ(count("201 small"), 1U) << "small bodies need no seat";
}

// A few bytes can make the server parse a large object, so the object takes the seats.
TEST_F(LanesTest, RequestsTakeSeatsByTheObjectsThatTheyMakeTheServerParse) {
  constexpr size_t kLarge = 600 * 1024;
  server_.world.create_namespace("ns");
  server_.world.create(server_.world.kind("configmaps"), "ns",
                       R"({"metadata":{"name":"large"},"data":{"a":")" + std::string(kLarge, 'x') + "\"}}");
  const std::string maps = "/api/v1/namespaces/ns/configmaps";
  const std::string patch = "application/merge-patch+json";
  const std::string table = "application/json;as=Table;v=v1;g=meta.k8s.io";
  struct Row {
    const char* reason;
    http::Method method;
    std::string target;
    std::string body;
    std::string accept;
    uint32_t seats;
  };
  const uint32_t of_object = body_width(kLarge);
  const std::string body = R"({"data":{"b":"v"}})";
  const Row rows[] = {
      {"a patch is applied to all of it", http::Method::kPatch, maps + "/large", body, "", of_object},
      {"a deletion reads it", http::Method::kDelete, maps + "/large?dryRun=All", "", "", of_object},
      {"another notation is made of it", http::Method::kGet, maps + "/large", "", "application/yaml", of_object},
      {"cells are taken out of it", http::Method::kGet, maps + "/large", "", table, of_object},
      {"it is sent as it is stored", http::Method::kGet, maps + "/large", "", "", 0},
      {"nobody reads the body of a GET", http::Method::kGet, maps + "/large", std::string(kLarge, 'x'), "", 0},
      {"nor that of a list", http::Method::kGet, maps, std::string(kLarge, 'x'), "", 0},
      {"there is no such object", http::Method::kPatch, maps + "/none", body, "", 0},
  };
  const auto* gate = lanes_.gate(Lane::kWorkload, LaneWork::kBody);
  for (const auto& row : rows) {
    SCOPED_TRACE(row.reason);
    const auto before = gate->used();
    http::Headers headers;
    if (row.method == http::Method::kPatch) headers.add("Content-Type", patch);
    if (!row.accept.empty()) headers.add("Accept", row.accept);
    server_.send(row.method, row.target, row.body, "ann", "people", headers);
    EXPECT_EQ(gate->used() - before, row.seats);
    if (row.seats == 0) continue;
    let_go();
    EXPECT_TRUE(eventually([&] { return gate->used() == 0; }));
    occupy_worker();
  }
}

TEST_F(LanesTest, ABodyThatWaitsForAWriteSeatHoldsUpNoOtherBody) {
  let_go();
  auto* writes = lanes_.gate(Lane::kWorkload, LaneWork::kWrite);
  auto* bodies = lanes_.gate(Lane::kWorkload, LaneWork::kBody);
  FairGate::Seat all_writes;
  ASSERT_TRUE(writes->try_enter(all_writes, writes->limits().seats));
  constexpr size_t kSome = 20;
  for (size_t i = 0; i < kSome; ++i) send_body("write", "mallory", 200 * 1024);
  EXPECT_TRUE(eventually([&] { return writes->waiting() == kSome; }));
  EXPECT_EQ(bodies->used(), 0U);
  all_writes.leave();
  EXPECT_TRUE(eventually([&] { return count("201 write") == kSome; }));
  EXPECT_EQ(bodies->used(), 0U);
}

TEST_F(LanesTest, ATableThatNobodyWaitsForAnyMoreIsNotMade) {
  server_.world.create_namespace("a");
  ask_for_table("late", "ann", "people");
  server_.world.clock.advance(std::chrono::seconds(60));
  let_go();
  EXPECT_TRUE(eventually([&] { return count("504 late") == 1; }));
}

TEST_F(LanesTest, ReadsOfSingleObjectsAndWatchesNeedNoSeat) {
  for (size_t i = 0; i < 50; ++i) ask_for_table("flood", "mallory", "people");
  EXPECT_THAT(server_.ask(http::Method::kGet, "/api/v1/namespaces/none", "", "mallory", "people"), HasSubstr("404 "));
  EXPECT_THAT(server_.ask(http::Method::kGet, "/api/v1/namespaces?watch=1", "", "mallory", "people"),
              HasSubstr("200 "));
  EXPECT_THAT(server_.ask(http::Method::kGet, "/readyz", "", "mallory", "people"), HasSubstr("403 "));
}

TEST_F(LanesTest, AWatchThatBeginsWithMuchTakesSeatsOnlyWhileItStarts) {
  server_.world.create_namespace("ns");
  for (int i = 0; i <= 2000; ++i) server_.world.create_config("c" + std::to_string(i));
  auto* gate = lanes_.gate(Lane::kWorkload, LaneWork::kHeavy);
  server_.send(http::Method::kGet, "/api/v1/namespaces/ns/configmaps?watch=1", "", "ann", "people");
  EXPECT_TRUE(answered().empty()) << "it waits for the worker";
  EXPECT_EQ(gate->used(), 1U);
  let_go();
  ASSERT_TRUE(eventually([&] { return answered().size() == 1; }));
  EXPECT_EQ(gate->used(), 0U) << "the stream is open and costs nothing";
}

TEST_F(LanesTest, WritesGiveTheirSeatsBack) {
  for (int i = 0; i < 30; ++i) {
    const auto body = R"({"metadata":{"name":"n)" + std::to_string(i) + R"("}})";
    EXPECT_THAT(server_.ask(http::Method::kPost, "/api/v1/namespaces", body, "ann", "people"), HasSubstr("201 "));
  }
  EXPECT_EQ(lanes_.gate(Lane::kWorkload, LaneWork::kWrite)->used(), 0U);
}

// More at once than there are seats: those that wait go on when others are answered, on the store's time.
TEST_F(LanesTest, WritesThatWaitAreDoneInTheEnd) {
  constexpr size_t kWrites = 60;
  for (size_t i = 0; i < kWrites; ++i) {
    server_.send(http::Method::kPost, "/api/v1/namespaces", R"({"metadata":{"generateName":"n"}})", "ann", "people");
  }
  EXPECT_TRUE(eventually([&] { return answered().size() == kWrites; }));
  for (const auto& answer : answered()) EXPECT_TRUE(answer.starts_with("201 ")) << answer;
  server_.answers.clear();
  EXPECT_EQ(lanes_.gate(Lane::kWorkload, LaneWork::kWrite)->used(), 0U);
}

}  // namespace
}  // namespace chandler::apiserver
