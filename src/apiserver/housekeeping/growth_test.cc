// What a duty does about n objects costs in proportion to n. Objects are put into the store as they are: they are the
// occasion, not what is measured.
#include <fmt/format.h>

#include "apiserver/housekeeping/claim_protection.h"
#include "apiserver/housekeeping/garbage_collector.h"
#include "apiserver/housekeeping/world_fixture.h"
#include "json/reader.h"
#include "json/writer.h"
#include "support/growth.h"

namespace chandler::apiserver {
namespace {

using ::chandler::testing::eventually;
using ::chandler::testing::Growth;
using ::chandler::testing::is_linear;
using Propagation = registry::DeleteOptions::Propagation;

class HousekeepingGrowth : public ::testing::Test {
 protected:
  HousekeepingGrowth() {
    world_.follow();
    world_.create_namespace("ns");
  }
  // `more` follows the members of metadata that every object has.
  void store(const registry::KindPtr& kind, std::string_view ns, std::string_view name, std::string_view more,
             std::string_view content) {
    const auto text = fmt::format(R"({{"apiVersion":"v1","kind":"{}","metadata":{{"name":"{}","namespace":"{}",)"
                                  R"("uid":"uid-{}","creationTimestamp":"2020-01-01T00:00:00Z"{}}}{}}})",
                                  kind->kind, name, ns, ++made_, more, content);
    const auto object = json::parse(text);
    ASSERT_TRUE(object.ok()) << text;
    const auto done = world_.store.commit_and_wait({kind->key(ns, name), json::write(*object), storage::Write::kAny});
    ASSERT_TRUE(done.ok() && done->committed);
  }
  bool are_gone(const registry::KindPtr& kind) {
    return eventually([&] { return world_.cache.count(*kind) == 0; });
  }

  testing::World world_;
  size_t made_ = 0;
};

TEST_F(HousekeepingGrowth, AnOwnerInTheForegroundCostsItsDependents) {
  struct Row {
    const char* name;
    const char* reason;
    size_t largest;
    size_t name_size;  // of the dependents
    bool large_owner;  // its size grows with the number of dependents
  };
  const Row rows[] = {
      {"dependents", "they are looked at together, not all whenever one has gone", 2'000, 240, false},
      {"a large owner", "it is not read for each dependent", 2'000, 10, true},
  };
  GarbageCollector collector(world_.kinds, world_.cache, world_.objects);
  collector.start();
  const auto configs = world_.kind("configmaps");
  for (const auto& row : rows) {
    SCOPED_TRACE(fmt::format("{}: {}", row.name, row.reason));
    EXPECT_TRUE(is_linear(row.largest, [&](size_t size) -> Growth::Work {
      return [&, size] {
        std::string data;
        for (size_t i = 0; row.large_owner && i < size; ++i) data += fmt::format(R"({}"k{}":"v")", i > 0 ? "," : "", i);
        store(configs, "ns", "owner", "", R"(,"data":{)" + data + "}");
        const auto owner = fmt::format(R"(,"ownerReferences":[{{"apiVersion":"v1","kind":"ConfigMap","name":"owner",)"
                                       R"("uid":"uid-{}","blockOwnerDeletion":true}}])",
                                       made_);
        const std::string filling(row.name_size, 'x');
        for (size_t i = 0; i < size; ++i) store(configs, "ns", fmt::format("{}-{}", filling, i), owner, "");
        world_.remove(configs, "ns", "owner", Propagation::kForeground);
        EXPECT_TRUE(are_gone(configs));
      };
    }));
  }
  collector.stop();
}

TEST_F(HousekeepingGrowth, ProtectedClaimsCostClaimsAndPodsNotTheirProduct) {
  ClaimProtection protection(world_.kinds, world_.cache, world_.objects);
  protection.start();
  const auto claims = world_.kind("persistentvolumeclaims");
  const auto pods = world_.kind("pods");
  EXPECT_TRUE(is_linear(800, [&](size_t size) -> Growth::Work {
    const auto ns = fmt::format("ns-{}", size);
    for (size_t i = 0; i < size; ++i) {
      store(pods, ns, fmt::format("p{}", i), "",
            fmt::format(R"(,"spec":{{"volumes":[{{"name":"v","persistentVolumeClaim":{{"claimName":"c{}"}}}}]}},)"
                        R"("status":{{"phase":"Succeeded"}})",
                        i));
    }
    return [&, ns, size] {
      for (size_t i = 0; i < size; ++i) {
        store(claims, ns, fmt::format("c{}", i), R"(,"finalizers":["kubernetes.io/pvc-protection"])",
              R"(,"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}},)"
              R"("volumeMode":"Filesystem"},"status":{"phase":"Pending"})");
      }
      for (size_t i = 0; i < size; ++i) world_.remove(claims, ns, fmt::format("c{}", i));
      EXPECT_TRUE(are_gone(claims));
    };
  }));
  protection.stop();
}

}  // namespace
}  // namespace chandler::apiserver
