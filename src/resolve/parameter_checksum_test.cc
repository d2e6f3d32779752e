#include "resolve/parameter_checksum.h"

#include <set>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/reader.h"
#include "json/writer.h"
#include "resolve/digest.h"

namespace chandler::resolve {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

constexpr std::string_view kBytes = "0123456789abcdef0123456789abcdef";
constexpr std::string_view kOtherBytes = "another key of 32 bytes in length";
constexpr std::string_view kUid = "3f2c6a52-7a2f-4f7e-9d6d-8b8f0f3f9a11";

json::Value doc(std::string_view text) { return json::parse(text).value(); }

TEST(HmacSha256, IsThatOfTheStandard) {  // RFC 4231, test cases 1 and 2
  EXPECT_EQ(hmac_sha256_hex(std::string(20, '\x0b'), "Hi There"),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(hmac_sha256_hex("Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

TEST(ParametersDigest, IsThatOfTheCanonicalForm) {
  // SHA-256 of {"a":1,"b":"x"} and of {"a":"\u003c\u003e\u0026"}.
  const std::string plain = "ecf9e98ec0641e23113ff3ce8bdc78d0ddd249886517fd4a7f68cc83d4e65667";
  EXPECT_EQ(parameters_digest(doc(R"({"b":"x","a":1})")), plain);
  EXPECT_EQ(parameters_digest(doc(R"({"a":1.0,"b":"x"})")), plain) << "numbers by value";
  EXPECT_EQ(parameters_digest(doc(R"({"a":"<>&"})")),
            "e7831e1e89ae7e3d4c47b15d7055fd4df2a72289ea3c0a30c75ae5150b208774");
  EXPECT_EQ(parameters_digest(doc("{}")), "");
}

TEST(ChecksumKey, TheSameObjectAndParametersHaveTheSameChecksum) {
  const ChecksumKey key(kBytes);
  const auto checksum = key.checksum(kUid, doc(R"({"b":"x","a":1})"));
  EXPECT_THAT(checksum, MatchesRegex("[0-9a-f]{16}:[0-9a-f]{64}"));
  EXPECT_EQ(ChecksumKey(kBytes).checksum(kUid, doc(R"({"a":1.0,"b":"x"})")), checksum);
  EXPECT_EQ(key.checksum_of_digest(kUid, parameters_digest(doc(R"({"a":1,"b":"x"})"))), checksum);
  EXPECT_EQ(key.checksum(kUid, doc("{}")), "");
  EXPECT_EQ(key.checksum(kUid, json::Value()), "");
  EXPECT_EQ(ChecksumKey().checksum(kUid, doc("{}")), "") << "no key is needed for nothing";
}

TEST(ChecksumKey, EverythingElseHasAnother) {
  const ChecksumKey key(kBytes);
  const auto parameters = doc(R"({"password":"hunter2"})");
  const std::set<std::string> checksums{key.checksum(kUid, parameters), key.checksum("another uid", parameters),
                                        key.checksum("", parameters),
                                        key.checksum(kUid, doc(R"({"password":"hunter3"})")),
                                        ChecksumKey(kOtherBytes.substr(0, 32)).checksum(kUid, parameters)};
  EXPECT_EQ(checksums.size(), 5u);
}

// What somebody without the key would try for a guess that is right.
TEST(ChecksumKey, AGuessCannotBeTriedOut) {
  const ChecksumKey key(kBytes);
  const auto parameters = doc(R"({"password":"hunter2"})");
  const auto checksum = key.checksum(kUid, parameters);
  const auto digest = parameters_digest(parameters);
  const auto id = checksum.substr(0, 16);
  const std::string uid(kUid);
  std::vector<std::string> inputs;
  for (const auto& form : {json::write(parameters), digest, std::string("hunter2"), json::write(parameters) + "\n"}) {
    for (const auto& separator :
         {std::string(), std::string(":"), std::string("\n"), std::string("/"), std::string(1, '\0')}) {
      inputs.insert(inputs.end(), {form, uid + separator + form, form + separator + uid, id + separator + form,
                                   form + separator + id});
    }
  }
  for (const auto& input : inputs) {
    EXPECT_THAT(checksum, Not(HasSubstr(sha256_hex(input)))) << input;
    for (const auto& guess : {std::string(), uid, id, digest})
      EXPECT_THAT(checksum, Not(HasSubstr(hmac_sha256_hex(guess, input)))) << guess << " " << input;
  }
  EXPECT_THAT(checksum, Not(HasSubstr(std::string(kBytes.substr(0, 8)))));
}

TEST(ParameterChecksums, WhatIsStoredTellsWhatItIs) {
  const auto digest = parameters_digest(doc(R"({"a":1})"));
  const auto checksum = ChecksumKey(kBytes).checksum(kUid, doc(R"({"a":1})"));
  EXPECT_TRUE(is_bare_digest(digest));
  for (const std::string& other : {checksum, std::string(), digest.substr(1), digest + "0", "G" + digest.substr(1)})
    EXPECT_FALSE(is_bare_digest(other)) << other;
  EXPECT_TRUE(same_key(checksum, ChecksumKey(kBytes).checksum("other", doc(R"({"a":2})"))));
  EXPECT_FALSE(same_key(checksum, ChecksumKey(kOtherBytes.substr(0, 32)).checksum(kUid, doc(R"({"a":1})"))));
}

}  // namespace
}  // namespace chandler::resolve
