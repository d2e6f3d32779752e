#include "osb/mask.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "json/writer.h"
#include "support/growth.h"

namespace chandler::osb {
namespace {

using Values = std::vector<std::string>;

std::string masked(const Values& values, std::string_view text) { return Mask(values).apply(text); }

std::string json_string(std::string_view text) {
  std::string out;
  json::write_string(out, text);
  return out;
}

TEST(Mask, HidesEachSpelling) {
  const std::string value = "p\"a/s\\s&w\xC3\xB6rd=1?\n";
  const auto spelled = [&](const std::string& spelling) { return masked({value}, "before " + spelling + " behind"); };
  const auto inside = [](const std::string& quoted) { return quoted.substr(1, quoted.size() - 2); };
  EXPECT_EQ(spelled(value), "before <redacted> behind");
  EXPECT_EQ(spelled(inside(json_string(value))), "before <redacted> behind") << "as JSON";
  EXPECT_EQ(spelled(inside(json_string(json_string(value)))).find("word"), std::string::npos) << "as JSON in JSON";
  EXPECT_EQ(spelled(R"(p\u0022a\/s\\s\u0026w\u00f6rd\u003D1?\n)"), "before <redacted> behind") << "escaped otherwise";
  EXPECT_EQ(spelled(percent_encode(value)), "before <redacted> behind");
  EXPECT_EQ(spelled("p%22a/s%5cs&w%c3%b6rd=1%3F%0a"), "before <redacted> behind") << "partly, in small letters";
  EXPECT_EQ(spelled(percent_encode(percent_encode(value))), "before <redacted> behind") << "twice";
  EXPECT_EQ(spelled(base64_encode(value)).find(base64_encode(value).substr(0, 6)), std::string::npos);
  EXPECT_EQ(spelled(base64url_encode(value)).find(base64url_encode(value).substr(0, 6)), std::string::npos);
  EXPECT_EQ(spelled(std::string(trim(value))), "before <redacted> behind") << "without the line end";
}

// A login as it stands in a header: the value begins anywhere in what was encoded.
TEST(Mask, HidesWhatIsInsideOfBase64) {
  const std::string value = "correct horse battery staple";
  for (const std::string before : {"", "u", "us", "use", "user"}) {
    for (const std::string behind : {"", "!", "!!", "!!!"}) {
      const auto shown = masked({value}, "Basic " + base64_encode(before + value + behind));
      // What is left are the ends, in which the value has less than one character each.
      EXPECT_LE(shown.size(), std::string("Basic <redacted>").size() + 2 * before.size() + 2 * behind.size() + 6)
          << shown;
      EXPECT_NE(shown.find("<redacted>"), std::string::npos) << shown;
    }
  }
}

TEST(Mask, LeavesWhatIsInEveryText) {
  EXPECT_EQ(masked({"1", "abc", "true", "false", "null", ""}, "abc: true is 1, false is null"),
            "abc: true is 1, false is null");
  EXPECT_EQ(masked({"test"}, "the latest test of 'test' fails, contest too"),
            "the latest <redacted> of '<redacted>' fails, contest too");
  EXPECT_EQ(masked({"s3cret"}, "s3cret,s3cret! s3cretly"), "<redacted>,<redacted>! s3cretly");
  EXPECT_EQ(masked({"swordfish"}, "anyswordfishes"), "any<redacted>es") << "long enough to be told anywhere";
}

TEST(Mask, HidesWhatOverlapsAsOne) {
  EXPECT_EQ(masked({"alphabeta", "betagamma"}, "x alphabetagamma y"), "x <redacted> y");
  EXPECT_EQ(masked({"alphabeta", "alphabetagamma"}, "x alphabetagamma y"), "x <redacted> y");
  EXPECT_EQ(masked({"alphabeta", "alphabet%20gamma"}, "alphabet%20gamma"), "<redacted>") << "two spellings, one place";
}

TEST(Mask, HidesTheLinesOfAKey) {
  const std::string key = "-----BEGIN KEY-----\nMIIEvQIBADANBgkq\nhkiG9w0BAQEFAASC\n-----END KEY-----\n";
  EXPECT_EQ(masked({key}, "cannot read MIIEvQIBADANBgkq hkiG9w0BAQEFAASC"), "cannot read <redacted> <redacted>");
  EXPECT_EQ(masked({key}, key + "!"), "<redacted>!");
}

// Random values in random spellings between random words: none of them is left.
TEST(Mask, LeavesNoValueInAnySpelling) {
  uint64_t state = 3;
  const auto dice = [&](size_t sides) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<size_t>((state >> 33U) % sides);
  };
  constexpr std::string_view kAlphabet = "ab9/+=%\\\"& :";
  for (int round = 0; round < 3000; ++round) {
    Values values;
    for (size_t i = dice(4) + 1; i > 0; --i) {
      std::string value;
      for (size_t length = 8 + dice(12); length > 0; --length) value += kAlphabet[dice(kAlphabet.size())];
      values.push_back("k" + value + "k");
    }
    std::string text;
    for (int i = 0; i < 4; ++i) {
      const auto& value = values[dice(values.size())];
      const auto quoted = json_string(value);
      switch (dice(5)) {
        case 0:
          text += value;
          break;
        case 1:
          text += quoted.substr(1, quoted.size() - 2);
          break;
        case 2:
          text += percent_encode(value);
          break;
        case 3:
          text += percent_encode(quoted);
          break;
        default:
          text += base64_encode(value);
      }
      text += dice(2) == 0 ? " " : "";
    }
    const auto shown = masked(values, text);
    for (const auto& value : values) {
      const auto quoted = json_string(value);
      ASSERT_EQ(shown.find(value), std::string::npos) << text;
      ASSERT_EQ(shown.find(quoted.substr(1, quoted.size() - 2)), std::string::npos) << text;
      ASSERT_EQ(shown.find(percent_encode(value)), std::string::npos) << text;
      ASSERT_EQ(shown.find(base64_encode(value)), std::string::npos) << text;
    }
  }
}

TEST(Mask, CostsInProportion) {
  const auto work = [](size_t size, std::string_view filling) -> testing::Growth::Work {
    Values values;
    for (size_t i = 0; i < size / 128; ++i) values.push_back(std::string(24, 'a') + fmt::format("{:08}", i));
    std::string text;
    while (text.size() < size) text += filling;
    return [values, text] { EXPECT_EQ(Mask(values).apply(text).size(), text.size()); };
  };
  constexpr size_t kMost = 128 * 1024;
  for (const std::string_view filling : {"aaaaaaaa", "\\u0061", "%61%2561", "\\\\\\u005cu0061"}) {
    EXPECT_TRUE(testing::is_linear(kMost, [&](size_t size) { return work(size, filling); })) << filling;
  }
}

}  // namespace
}  // namespace chandler::osb
