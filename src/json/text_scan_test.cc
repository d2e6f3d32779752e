#include "json/text_scan.h"

#include <gtest/gtest.h>

#include <random>

#include "json/reader.h"
#include "json/writer.h"

namespace chandler::json {
namespace {

std::vector<std::pair<std::string, std::string>> members_of(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> out;
  TextScan scan(text);
  TextScan::Member member;
  while (scan.next_member(member)) {
    EXPECT_EQ(text.substr(member.end - member.value.size(), member.value.size()), member.value);
    EXPECT_EQ(text[member.begin], '"');
    out.emplace_back(member.key, member.value);
  }
  return out;
}

std::vector<std::string> items_of(std::string_view text) {
  std::vector<std::string> out;
  TextScan scan(text);
  std::string_view item;
  while (scan.next_item(item)) out.emplace_back(item);
  return out;
}

TEST(TextScan, FindsMembersAndItems) {
  using Members = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(members_of(R"({"a":1,"b":{"c":[2,{}]},"d":"x","e":null})"),
            (Members{{"a", "1"}, {"b", R"({"c":[2,{}]})"}, {"d", R"("x")"}, {"e", "null"}}));
  EXPECT_EQ(members_of(R"({"a":"}]\",{","b\"":"\\"})"), (Members{{"a", R"("}]\",{")"}, {R"(b\")", R"("\\")"}}));
  EXPECT_EQ(members_of("{}"), Members());
  EXPECT_EQ(items_of(R"([{"a":[1]},2,"x,]",[]])"), (std::vector<std::string>{R"({"a":[1]})", "2", R"("x,]")", "[]"}));
  EXPECT_EQ(items_of("[]"), std::vector<std::string>());
}

TEST(TextScan, FindsOneMemberAndNotWhatIsNestedElsewhere) {
  constexpr std::string_view kText = R"({"a":{"c":1},"b":"\"c\":2","c":[3],"d":{"c":4}})";
  EXPECT_EQ(member_text(kText, "c"), "[3]");
  EXPECT_EQ(member_text(member_text(kText, "d"), "c"), "4");
  EXPECT_EQ(member_text(kText, "e"), "");
  EXPECT_EQ(member_text("", "c"), "");
}

TEST(TextScan, UnescapesWhatIsWritten) {
  EXPECT_EQ(unescaped("plain"), "plain");
  EXPECT_EQ(unescaped(R"(k:{\"type\":\"Ready\"}\\)"), R"(k:{"type":"Ready"}\)");
  EXPECT_EQ(unescaped(R"(\\\"\n\u00e9)"), "\\\"\n\xC3\xA9");
  EXPECT_EQ(unescaped(""), "");
  EXPECT_EQ(unescaped("\\"), "\\") << "what nobody writes stays as it is";
}

TEST(TextScan, TellsWhereTheWholeEnds) {
  for (const auto* text : {"{}", R"({"a":1})", R"({"a":{"b":"}"},"c":[]})"}) {
    const std::string_view whole = text;
    TextScan scan(text);
    TextScan::Member member;
    while (scan.next_member(member)) continue;
    EXPECT_EQ(scan.end(), whole.size()) << text;
    const auto followed = std::string(whole) + R"(,{"x":2}])";
    TextScan first(followed);
    while (first.next_member(member)) continue;
    EXPECT_EQ(first.end(), whole.size()) << text;
  }
}

TEST(TextScan, FindsTheEndOfAString) {
  const struct {
    std::string_view text;
    size_t quote;
    bool has_escapes;
  } rows[] = {
      {R"(")", 0, false},   {R"(abc":")", 3, false},
      {R"(a\\")", 3, true}, {R"(a\"b")", 4, true},
      {"no end", 6, false}, {R"(0123456789abcdef0")", 17, false},
      {R"(\)", 1, true},    {R"(0123456789abcd\"ef")", 18, true},
  };
  for (const auto& row : rows) {
    const auto end = find_string_end(row.text, 0);
    EXPECT_EQ(end.quote, row.quote) << row.text;
    EXPECT_EQ(end.has_escapes, row.has_escapes) << row.text;
  }
}

// Texts whose quotes, brackets and backslashes fall on every place of the blocks in which they are looked at.
class RandomText {
 public:
  Value value(int depth) {
    switch (random_() % (depth > 0 ? 4 : 2)) {
      case 0:
        return Value(static_cast<int64_t>(random_() % 1000));
      case 1:
        return Value(text());
      case 2: {
        Object out;
        for (auto count = random_() % 6; count > 0; --count) out[text()] = value(depth - 1);
        return out;
      }
      default: {
        Array out;
        for (auto count = random_() % 6; count > 0; --count) out.push_back(value(depth - 1));
        return out;
      }
    }
  }

 private:
  std::string text() {
    constexpr std::string_view kLetters = "abcdefgh\"\\{}[],:";
    // Half of them are plain: blocks without a backslash are looked at in another way.
    const size_t letters = random_() % 2 == 0 ? 8 : kLetters.size();
    std::string out;
    for (auto count = random_() % 40; count > 0; --count) out += kLetters[random_() % letters];
    return out;
  }

  std::mt19937 random_{4711};
};

TEST(TextScan, FindsWhatTheReaderFinds) {
  RandomText random;
  for (int i = 0; i < 3000; ++i) {
    const auto value = random.value(5);
    const auto text = write(value);
    if (const auto* object = value.if_object()) {
      const auto found = members_of(text);
      ASSERT_EQ(found.size(), object->size()) << text;
      for (const auto& [key, member] : found) {
        const auto* want = object->if_contains(unescaped(key));
        ASSERT_NE(want, nullptr) << text;
        ASSERT_EQ(member, write(*want)) << text;
      }
    } else if (const auto* list = value.if_array()) {
      const auto found = items_of(text);
      ASSERT_EQ(found.size(), list->size()) << text;
      for (size_t at = 0; at < found.size(); ++at) ASSERT_EQ(found[at], write((*list)[at])) << text;
    }
  }
}

TEST(TextScan, StaysInsideATextThatEndsTooEarly) {
  RandomText random;
  for (int i = 0; i < 200; ++i) {
    const auto text = write(random.value(4));
    for (size_t size = 0; size < text.size(); ++size) {
      const std::string piece = text.substr(0, size);  // with an end that sanitizers see
      TextScan members(piece);
      TextScan::Member member;
      while (members.next_member(member)) ASSERT_LE(member.end, size);
      TextScan items(piece);
      std::string_view item;
      while (items.next_item(item)) ASSERT_LE(item.data() + item.size(), piece.data() + size);
    }
  }
}

}  // namespace
}  // namespace chandler::json
