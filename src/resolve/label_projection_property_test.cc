// Any sequence of binding, editing and unbinding leaves the object as it was before, byte for byte.
#include <map>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "json/writer.h"
#include "resolve/label_projection.h"
#include "resolve/random_json.h"

namespace chandler::resolve {
namespace {

constexpr int kRounds = 200;
constexpr int kChanges = 24;
constexpr size_t kOwners = 5;

LabelPath random_path(RandomJson& random) {
  const char* const paths[] = {"spec.template.metadata.labels",
                               "spec.labels",
                               "spec.template.labels",
                               "a.o.p",
                               "o",
                               "metadata.labels",
                               "['x/y'].p",
                               "['~']"};
  return std::move(LabelPath::parse(paths[random.below(8)])).value();
}

json::Value random_object(RandomJson& random) {
  auto object = random.object(3);
  auto& members = object.as_object();
  json::Object metadata{{"name", "w"}};
  switch (random.below(4)) {
    case 0:
      metadata["annotations"] = nullptr;
      break;
    case 1:
      metadata["annotations"] = json::Object{};
      break;
    case 2:
      metadata["annotations"] = json::Object{{"a", "b"}};
      break;
    default:
      break;
  }
  if (random.below(2) == 0) metadata["labels"] = json::Object{{"app", "w"}, {"shared-0", "0"}};
  members["metadata"] = std::move(metadata);
  if (random.below(2) == 0) members["spec"] = random.below(3) == 0 ? json::Value() : random.shaped_object(2);
  return object;
}

LabelClaim random_claim(RandomJson& random, size_t owner) {
  LabelClaim claim{fmt::format("uid-{}", owner), random_path(random), {}, {}};
  claim.labels.push_back({fmt::format("use-{}", owner), fmt::format("{}", random.below(3)), ""});
  for (size_t i = random.below(3); i > 0; --i) {
    const auto key = random.below(2);
    claim.labels.push_back(
        {fmt::format("shared-{}", key), fmt::format("{}", random.below(2)), fmt::format("class-{}", random.below(2))});
    if (claim.labels.size() == 3 && claim.labels[1].key == claim.labels[2].key) claim.labels.pop_back();
  }
  claim.note["usage"] = fmt::format("u{}", owner);
  return claim;
}

TEST(LabelProjectionProperty, AnySequenceEndsWhereItBegan) {
  size_t obstacles = 0;
  size_t projected = 0;
  for (int round = 0; round < kRounds; ++round) {
    RandomJson random(static_cast<uint64_t>(round));
    auto object = random_object(random);
    const auto start = json::write(object);
    std::map<size_t, LabelClaim> claims;
    for (int change = 0; change < kChanges; ++change) {
      const auto owner = random.below(kOwners);
      if (random.below(3) == 0) {
        if (const auto found = claims.find(owner); found != claims.end()) {
          EXPECT_TRUE(withdraw_labels(object, found->second.owner, found->second.path, {}));
          claims.erase(found);
        }
        continue;
      }
      auto claim = random_claim(random, owner);
      const auto before = json::write(object);
      if (project_labels(object, claim)) {
        ++obstacles;
        ASSERT_EQ(json::write(object), before) << "an obstacle, and yet something was touched; round " << round;
        continue;
      }
      ++projected;
      const auto* labels = labels_at(object, claim.path);
      ASSERT_NE(labels, nullptr);
      for (const auto& label : claim.labels) {
        const auto* there = labels->if_contains(label.key);
        ASSERT_TRUE(there != nullptr && there->is_string() && json::view(there->get_string()) == label.value);
      }
      claims.insert_or_assign(owner, std::move(claim));
    }
    for (const auto& [owner, claim] : claims) withdraw_labels(object, claim.owner, claim.path, {});
    ASSERT_EQ(json::write(object), start) << "round " << round;
  }
  // Else the rounds above have shown nothing.
  EXPECT_GT(obstacles, 100U);
  EXPECT_GT(projected, 1'000U);
}

}  // namespace
}  // namespace chandler::resolve
