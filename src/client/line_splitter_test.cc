#include "client/line_splitter.h"

#include <gtest/gtest.h>

#include <vector>

namespace chandler::client {
namespace {

TEST(LineSplitter, LinesAreTheSameHoweverTheStreamIsCut) {
  const std::string stream = "one\n\ntwo\nthree\nrest";
  for (size_t size = 1; size <= stream.size(); ++size) {
    LineSplitter splitter(100);
    std::vector<std::string> lines;
    for (size_t at = 0; at < stream.size(); at += size) {
      ASSERT_TRUE(splitter.add(std::string_view(stream).substr(at, size), [&](std::string_view line) {
        lines.emplace_back(line);
        return true;
      }));
    }
    EXPECT_EQ(lines, (std::vector<std::string>{"one", "two", "three"})) << size;
  }
}

TEST(LineSplitter, ALineThatIsTooLongEndsIt) {
  LineSplitter splitter(5);
  const auto take = [](std::string_view) { return true; };
  EXPECT_TRUE(splitter.add("12345\n123", take));
  EXPECT_TRUE(splitter.add("45", take));
  EXPECT_FALSE(splitter.add("6", take));
}

TEST(LineSplitter, TheTakerMayEndIt) {
  LineSplitter splitter(5);
  int count = 0;
  EXPECT_FALSE(splitter.add("a\nb\n", [&](std::string_view) { return ++count < 1; }));
  EXPECT_EQ(count, 1);
}

}  // namespace
}  // namespace chandler::client
