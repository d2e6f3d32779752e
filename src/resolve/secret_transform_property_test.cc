// Random transforms over random credentials.
#include <gtest/gtest.h>

#include "json/writer.h"
#include "resolve/random_json.h"
#include "resolve/secret_transform.h"

namespace chandler::resolve {
namespace {

constexpr uint64_t kRounds = 1000;
using Kind = SecretTransform::Kind;

// `distinct`: no two of the same kind and subject.
SecretTransforms random_transforms(RandomJson& random, bool distinct) {
  SecretTransforms list;
  for (size_t i = random.below(6); i > 0; --i) {
    SecretTransform transform;
    transform.kind = static_cast<Kind>(random.below(4));
    const std::string key(1, static_cast<char>('a' + random.below(4)));
    if (transform.kind == Kind::kAddKeysFrom) {
      transform.secret.name = key;
    } else {
      transform.key = key;
    }
    if (transform.kind == Kind::kRenameKey) transform.to = std::string(1, static_cast<char>('a' + random.below(4)));
    if (transform.kind == Kind::kAddKey) transform.string_value = std::to_string(random.below(9));
    if (transform.kind == Kind::kAddKey && random.below(3) == 0) transform.json_path = "{.a}";
    const bool repeated = std::any_of(list.begin(), list.end(), [&](const auto& t) {
      return t.kind == transform.kind && t.key == transform.key && t.secret == transform.secret;
    });
    if (!distinct || !repeated) list.push_back(std::move(transform));
  }
  return list;
}

SecretTransforms merged(const SecretTransforms& lower, const SecretTransforms& higher) {
  return merge_secret_transforms({lower}, {higher}, std::nullopt, "dev");
}

TEST(SecretTransformProperty, MergingIsIdempotentAndAssociative) {
  for (uint64_t seed = 0; seed < kRounds; ++seed) {
    RandomJson random(seed);
    const auto a = random_transforms(random, true), b = random_transforms(random, true),
               c = random_transforms(random, true);
    EXPECT_EQ(merged(a, a), a) << seed;
    EXPECT_EQ(merged(merged(a, b), b), merged(a, b)) << seed;
    EXPECT_EQ(merged(merged(a, b), c), merged(a, merged(b, c))) << seed;
  }
}

TEST(SecretTransformProperty, WhatIsStoredReadsBackAndAppliesTheSame) {
  const SecretEntries entries = {{"a", "1"}, {"z", "2"}};
  const SecretLookup lookup = [&](const SecretName& name) { return name.name == "d" ? nullptr : &entries; };
  for (uint64_t seed = 0; seed < kRounds; ++seed) {
    RandomJson random(seed);
    const auto list = random_transforms(random, false);
    meta::FieldErrors errors;
    const auto again = parse_secret_transforms(to_json(list), meta::Path("t"), errors);
    ASSERT_TRUE(errors.empty()) << seed;
    ASSERT_EQ(again, list) << seed;
    EXPECT_EQ(describe_transforms(list).size(), list.size()) << seed;
    const json::Value credentials = random.value(3);
    const auto one = apply_secret_transforms(credentials, list, "dev", lookup);
    const auto two = apply_secret_transforms(credentials, again, "dev", lookup);
    ASSERT_EQ(one.ok(), two.ok()) << seed;
    if (one.ok()) {
      EXPECT_EQ(json::write(*one), json::write(*two)) << seed;
    }
    if (one.ok()) (void)encode_secret_data(*one);
  }
}

TEST(SecretTransformProperty, AnyJsonIsReadOrRefused) {
  for (uint64_t seed = 0; seed < kRounds; ++seed) {
    RandomJson random(seed);
    json::Array list;
    for (size_t i = random.below(4); i > 0; --i) {
      const char* name = std::array<const char*, 4>{"renameKey", "addKey", "addKeysFrom", "removeKey"}[random.below(4)];
      json::Object entry;
      entry.emplace(name, random.value(3));
      list.push_back(std::move(entry));
    }
    const size_t count = list.size();
    meta::FieldErrors errors;
    const auto parsed = parse_secret_transforms(list, meta::Path("t"), errors);
    EXPECT_EQ(parsed.size() == count, errors.empty()) << seed;
  }
}

}  // namespace
}  // namespace chandler::resolve
