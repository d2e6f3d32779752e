// From the answer that an instance or a binding gets to the broker whose catalog is read again.
#include "reconcilers/catalog/broker_doubt.h"

#include "base/time_text.h"
#include "reconcilers/answer_rows.h"

namespace chandler::reconcilers::testing {
namespace {

class BrokerDoubt : public AnswerStory {
 protected:
  BrokerDoubt() {
    register_catalog();
    read_catalog(clock.now() - std::chrono::minutes(10));
  }
  void read_catalog(WallTime at, Truth ready = Truth::kTrue) {
    edit(
        kClusterBrokers, "azure",
        [&](json::Object& root) {
          auto& status = object_in(root, "status");
          status.erase("catalogDoubtTime");
          status["lastCatalogRetrievalTime"] = text(rfc3339(at));
          set_condition(status, kReady, ready, "FetchedCatalog", "m", at);
        },
        "");
  }
  bool is_doubted() const {
    return !member(status_of(get(kClusterBrokers, "azure", "")), "catalogDoubtTime").is_null();
  }
  void provision(std::string_view name = "mydb") {
    apply_instance("{clusterServiceClassExternalName: mysql, clusterServicePlanExternalName: small}", name);
    settle();
  }
};

struct DoubtWorld : BrokerDoubt {
  void TestBody() override {}
  using BrokerDoubt::answer;
  using BrokerDoubt::apply_binding;
  using BrokerDoubt::is_doubted;
  using BrokerDoubt::provision;
  using BrokerDoubt::settle;
};

TEST(BrokerDoubtTable, IsRaisedByWhatConcernsTheBroker) {
  struct Row {
    std::string name;
    osb::Answer answer;
    bool want;
  };
  const auto word = [](std::string_view error) { return answer_of(422, fmt::format("{{error: {}}}", error)); };
  for (const Row& row : std::vector<Row>{
           {"credentials refused", answer_of(401), true},
           {"forbidden", answer_of(403), true},
           {"version refused", answer_of(412), true},
           {"an address that must not be called", no_answer(http::ClientFailure::Kind::kRefused, false), true},
           {"the catalog is out of date", word("MaintenanceInfoConflict"), true},
           {"only this request is wrong", answer_of(400), false},
           {"busy", word("ConcurrencyError"), false},
           {"too many", answer_of(429), false},
           {"a fault", answer_of(500), false},
           {"not there", no_answer(http::ClientFailure::Kind::kConnect, false), false},
           {"well", answer_of(201), false}}) {
    DoubtWorld of_instance;
    of_instance.answer(osb::Method::kProvision, row.answer);
    of_instance.provision();
    EXPECT_EQ(of_instance.is_doubted(), row.want) << "provision: " << row.name;

    DoubtWorld of_binding;
    of_binding.provision();
    of_binding.answer(osb::Method::kBind, row.answer);
    of_binding.apply_binding();
    of_binding.settle();
    EXPECT_EQ(of_binding.is_doubted(), row.want) << "bind: " << row.name;
  }
}

TEST_F(BrokerDoubt, IsRaisedOnceForMany) {
  broker.script = [](const osb::Call&) { return answer_of(401); };
  for (const auto* name : {"a", "b", "c"}) provision(name);
  ASSERT_TRUE(is_doubted());
  EXPECT_EQ(std::count(objects.log.begin(), objects.log.end(), "status clusterservicebrokers azure"), 1);
  // The catalog could be read, so it is not read for every one that hears the same.
  read_catalog(clock.now());
  objects.log.clear();
  advance(std::chrono::seconds(20));
  EXPECT_FALSE(is_doubted());
  advance(std::chrono::minutes(5));
  EXPECT_TRUE(is_doubted()) << "later it is tried again";
}

TEST_F(BrokerDoubt, IsNotRaisedAgainstABrokerThatShowsItsTrouble) {
  read_catalog(clock.now() - std::chrono::minutes(10), Truth::kFalse);
  broker.script = [](const osb::Call&) { return answer_of(401); };
  provision();
  EXPECT_FALSE(is_doubted());
  EXPECT_EQ(conditions(), "Ready=False:ProvisionCallFailed");
}

}  // namespace
}  // namespace chandler::reconcilers::testing
