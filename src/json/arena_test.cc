#include "json/arena.h"

#include <gtest/gtest.h>

#include <thread>

#include "json/reader.h"
#include "json/writer.h"

namespace chandler::json {
namespace {

Value parsed_in_arena(std::string_view text) {
  ReadOptions options;
  options.storage = arena();
  auto value = parse(text, options);
  EXPECT_TRUE(value.ok());
  return std::move(value).value();
}

TEST(Arena, ValuesOutliveEachOther) {
  // Each in its own arena: one that ends gives its block to the next, and must not take values of others along.
  std::vector<Value> values;
  for (int i = 0; i < 20; ++i) {
    values.push_back(parsed_in_arena(R"({"a long enough name": "and a text that is not kept in place"})"));
    if (i % 3 == 0) values.erase(values.begin());
  }
  for (const auto& value : values) {
    EXPECT_EQ(write(value), R"({"a long enough name":"and a text that is not kept in place"})");
  }
}

TEST(Arena, APartKeepsTheWholeAlive) {
  Value part;
  {
    auto whole = parsed_in_arena(R"({"part": ["one text that is not kept in place"]})");
    Value copy(whole.at("part"));
    part.~value();
    new (&part) Value(std::move(copy));
  }
  for (int i = 0; i < 8; ++i) parsed_in_arena(R"({"other": "texts that come to lie where the first one was"})");
  EXPECT_EQ(write(part), R"(["one text that is not kept in place"])");
}

TEST(Arena, GrowsBeyondItsBlock) {
  std::string text = "[";
  for (int i = 0; i < 5000; ++i) text += R"("an item that is not kept in place",)";
  text.back() = ']';
  EXPECT_EQ(write(parsed_in_arena(text)).size(), text.size());
}

TEST(Arena, MayEndOnAnotherThread) {
  for (int i = 0; i < 50; ++i) {
    auto value = parsed_in_arena(R"({"made": "here, to be read and dropped elsewhere"})");
    std::thread([moved = std::move(value)] { EXPECT_EQ(moved.as_object().size(), 1U); }).join();
  }
}

}  // namespace
}  // namespace chandler::json
