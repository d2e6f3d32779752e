// Random layers: what must hold for whatever they say.
#include <set>

#include <gtest/gtest.h>

#include "json/patch.h"
#include "json/writer.h"
#include "resolve/merge_parameters.h"
#include "resolve/random_json.h"

namespace chandler::resolve {
namespace {

constexpr uint64_t kRounds = 2000;

json::Value merged(const json::Value& lower, const json::Value& higher) {
  const ParameterLayer layers[] = {{"Plan", &lower}, {"Instance", &higher}};
  return merge_parameters(layers).value().value;
}

// The leaves as the contract defines them, found independently of the merge.
void collect_leaves(const json::Value& value, const std::string& pointer,
                    std::map<std::string, const json::Value*>& out) {
  const auto* object = value.if_object();
  if (object == nullptr || object->empty()) {
    if (!pointer.empty()) out.emplace(pointer, &value);
    return;
  }
  for (const auto& member : *object) {
    std::string below = pointer;
    append_pointer(below, member.key());
    collect_leaves(member.value(), below, out);
  }
}

bool has_null_member(const json::Value& value) {
  const auto* object = value.if_object();
  if (object == nullptr) return false;
  for (const auto& member : *object) {
    if (member.value().is_null() || has_null_member(member.value())) return true;
  }
  return false;
}

TEST(MergeParametersProperty, EveryLeafHasOneSourceThatSaysIt) {
  for (uint64_t seed = 0; seed < kRounds; ++seed) {
    RandomJson random(seed);
    const json::Value of_class = random.object(4), of_plan = random.object(4), of_instance = random.object(4);
    const ParameterLayer layers[] = {{"Class", &of_class}, {"Plan", &of_plan}, {"Instance", &of_instance}};
    const auto result = merge_parameters(layers);
    ASSERT_TRUE(result.ok()) << seed;
    ASSERT_TRUE(result->value.is_object()) << seed;
    EXPECT_FALSE(has_null_member(result->value)) << seed;

    std::map<std::string, const json::Value*> leaves;
    collect_leaves(result->value, "", leaves);
    ASSERT_EQ(leaves.size(), result->sources.size()) << seed;
    for (const auto& [pointer, leaf] : leaves) {
      const auto source = result->sources.find(pointer);
      ASSERT_NE(source, result->sources.end()) << seed << " " << pointer;
      const json::Value& layer = source->second == "Class"  ? of_class
                                 : source->second == "Plan" ? of_plan
                                                            : of_instance;
      boost::system::error_code missing;
      const json::Value* said = layer.find_pointer(pointer, missing);
      ASSERT_NE(said, nullptr) << seed << " " << pointer << " " << source->second;
      // An object left without members need not be written that way by the layer that touched it last.
      if (!leaf->is_object()) {
        EXPECT_TRUE(json::equal(*said, *leaf)) << seed << " " << pointer;
      }
    }
  }
}

TEST(MergeParametersProperty, IsAChainOfMergePatches) {
  for (uint64_t seed = 0; seed < kRounds; ++seed) {
    RandomJson random(seed);
    const json::Value of_class = random.object(4), of_plan = random.object(4), of_instance = random.object(4);
    const ParameterLayer layers[] = {{"Class", &of_class}, {"Plan", &of_plan}, {"Instance", &of_instance}};
    const auto result = merge_parameters(layers);
    json::Value expected = json::Object();
    json::merge_patch(expected, of_class);
    json::merge_patch(expected, of_plan);
    EXPECT_EQ(json::write(result->defaults), json::write(expected)) << seed;
    json::merge_patch(expected, of_instance);
    EXPECT_EQ(json::write(result->value), json::write(expected)) << seed;
  }
}

TEST(MergeParametersProperty, TwiceIsAsOnce) {
  for (uint64_t seed = 0; seed < kRounds; ++seed) {
    RandomJson random(seed);
    const json::Value lower = random.object(4), higher = random.object(4);
    const json::Value once = merged(lower, higher);
    EXPECT_TRUE(json::equal(merged(once, higher), once)) << seed;
    // The persisted result, merged again with the same defaults, stays itself unless a null had removed a default.
    if (!has_null_member(higher)) {
      EXPECT_TRUE(json::equal(merged(lower, once), once)) << seed;
    }
  }
}

TEST(MergeParametersProperty, EmptyLayersAreNeutral) {
  const json::Value nothing = json::Object();
  for (uint64_t seed = 0; seed < kRounds; ++seed) {
    RandomJson random(seed);
    const json::Value value = random.shaped_object(4);
    EXPECT_TRUE(json::equal(merged(nothing, value), value)) << seed;
    EXPECT_TRUE(json::equal(merged(value, nothing), value)) << seed;
  }
}

TEST(MergeParametersProperty, IsAssociativeWhereLayersAgreeOnShapes) {
  for (uint64_t seed = 0; seed < kRounds; ++seed) {
    RandomJson random(seed);
    const json::Value a = random.shaped_object(4), b = random.shaped_object(4), c = random.shaped_object(4);
    EXPECT_TRUE(json::equal(merged(merged(a, b), c), merged(a, merged(b, c)))) << seed;
  }
}

TEST(MergeParametersProperty, SuppressedKeysComeFromTheLastLayerOnly) {
  const std::set<std::string, std::less<>> suppressed = {"a", "o"};
  for (uint64_t seed = 0; seed < kRounds; ++seed) {
    RandomJson random(seed);
    const json::Value lower = random.object(3), higher = random.object(3);
    const ParameterLayer layers[] = {{"Class", &lower}, {"Plan", &lower}, {"Instance", &higher}};
    const auto result = merge_parameters(layers, suppressed);
    for (const auto& key : suppressed) {
      EXPECT_EQ(json::find(result->defaults, key), nullptr) << seed;
      const json::Value* own = json::find(higher, key);
      EXPECT_EQ(json::find(result->value, key) != nullptr, own != nullptr && !own->is_null()) << seed;
    }
  }
}

TEST(MergeParametersProperty, AnyJsonIsTakenOrRefused) {
  for (uint64_t seed = 0; seed < kRounds; ++seed) {
    RandomJson random(seed);
    const json::Value any = random.value(5), other = random.value(5);
    const ParameterLayer layers[] = {{"Class", &any}, {"Instance", &other}};
    const bool sound = (any.is_null() || any.is_object()) && (other.is_null() || other.is_object());
    EXPECT_EQ(merge_parameters(layers).ok(), sound) << seed;
  }
}

}  // namespace
}  // namespace chandler::resolve
