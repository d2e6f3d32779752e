#include "resolve/combine_parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/reader.h"
#include "json/writer.h"
#include "resolve/parameter_checksum.h"

namespace chandler::resolve {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

json::Value doc(std::string_view text) { return json::parse(text).value(); }

TEST(CombineParameters, SecretsStandBesideTheSpecAndAreRedacted) {
  const json::Value inline_parameters = doc(R"({"size":1,"o":{"x":[1]}})");
  const SecretParameters secrets[] = {{"secret a", doc(R"({"password":"hunter2"})")},
                                      {"secret b", doc(R"({"keys":{"k":"v"}})")}};
  const auto combined = combine_parameters(&inline_parameters, secrets);
  ASSERT_TRUE(combined.ok());
  EXPECT_EQ(json::write(combined->value), R"({"keys":{"k":"v"},"o":{"x":[1]},"password":"hunter2","size":1})");
  EXPECT_EQ(json::write(combined->redacted), R"({"keys":"<redacted>","o":{"x":[1]},"password":"<redacted>","size":1})");
  EXPECT_EQ(combined->secret_keys, keys_of(secrets));
  EXPECT_EQ(keys_of(secrets), (std::set<std::string, std::less<>>{"keys", "password"}));
}

TEST(CombineParameters, NothingGivesAnEmptyObject) {
  const auto combined = combine_parameters(nullptr, {});
  ASSERT_TRUE(combined.ok());
  EXPECT_EQ(json::write(combined->value), "{}");
  EXPECT_EQ(parameters_digest(combined->value), "");
}

TEST(CombineParameters, AKeyOfTwoSourcesIsAnErrorWithoutValues) {
  const json::Value inline_parameters = doc(R"({"user":"hunter1"})");
  const SecretParameters one[] = {{"key \"p\" of secret \"a\"", doc(R"({"user":"hunter2"})")}};
  const auto refused = combine_parameters(&inline_parameters, one);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(
      refused.error().message,
      R"(the parameter "user" is given twice, by spec.parameters and by key "p" of secret "a"; remove it from one of them)");
  const SecretParameters two[] = {{"secret a", doc(R"({"k":"hunter2"})")}, {"secret b", doc(R"({"k":"hunter3"})")}};
  const auto both = combine_parameters(nullptr, two);
  ASSERT_FALSE(both.ok());
  EXPECT_THAT(both.error().message, HasSubstr("by secret a and by secret b"));
  EXPECT_THAT(both.error().message, Not(HasSubstr("hunter")));
}

TEST(CombineParameters, WhatIsNoObjectIsRefused) {
  const json::Value list = doc("[1]");
  EXPECT_THAT(combine_parameters(&list, {}).error().message, HasSubstr("spec.parameters must be an object, not array"));
  const SecretParameters secrets[] = {{"secret a", "hunter2"}};
  EXPECT_EQ(combine_parameters(nullptr, secrets).error().message, "secret a must be an object, not string");
}

TEST(ReadSecretParameters, TakesAJsonObjectOnly) {
  EXPECT_EQ(json::write(read_secret_parameters("s", R"({"a":1})")->value), R"({"a":1})");
  for (std::string_view bytes :
       {"", "hunter2", "[\"hunter2\"]", "{\"a\":hunter2}", "{\"hunter2\":1,\"hunter2\":2}", "\xFF"}) {
    const auto refused = read_secret_parameters("key \"p\" of secret \"a\"", bytes);
    ASSERT_FALSE(refused.ok()) << bytes;
    EXPECT_THAT(refused.error().message, HasSubstr("secret \"a\""));
    EXPECT_THAT(refused.error().message, Not(HasSubstr("hunter2")));
  }
}

}  // namespace
}  // namespace chandler::resolve
