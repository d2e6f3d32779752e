#include "svcat/output/table.h"

#include <sstream>

#include <gtest/gtest.h>

namespace chandler::svcat {
namespace {

std::string drawn(std::vector<Column> columns, const std::vector<Row>& rows) {
  std::ostringstream out;
  Table table(out, std::move(columns));
  for (const auto& row : rows) table.add(row);
  table.flush();
  return out.str();
}

TEST(Table, CentresTitlesAndDrawsARule) {
  EXPECT_EQ(drawn({{"NAME"}, {"STATUS"}}, {{"mydb-admin", "Ready"}, {"x", "Failed"}}),
            "     NAME      STATUS  \n"
            "+------------+--------+\n"
            "  mydb-admin   Ready   \n"
            "  x            Failed  \n");
}

TEST(Table, OfNothingIsTitlesAndRule) {
  EXPECT_EQ(drawn({{"NAME"}, {"STATUS"}}, {}), "  NAME   STATUS  \n+------+--------+\n");
}

TEST(Table, WrapsCellsAtThirtyByWordsAndLeavesTheOthersBlank) {
  EXPECT_EQ(drawn({{"NAME"}, {"STATUS"}}, {{"a", "one two three four five six seven eight"}}),
            "  NAME             STATUS             \n"
            "+------+-----------------------------+\n"
            "  a      one two three four five six  \n"
            "         seven eight                  \n");
}

TEST(Table, LetsTheDescriptionGrowToALineOfEighty) {
  const std::string words = "word word word word word word word word word word word word word word word word word";
  const auto text = drawn({{"NAME"}, {"DESCRIPTION", true}}, {{"a", words}});
  size_t widest = 0, start = 0;
  while (start < text.size()) {
    const auto end = text.find('\n', start);
    widest = std::max(widest, end - start);
    start = end + 1;
  }
  EXPECT_LE(widest, 80u);
  EXPECT_GT(widest, 74u) << text;
}

TEST(Table, NeverCutsAWord) {
  const auto text = drawn({{"ID"}}, {{"997b8372-8dac-40ac-ae65-758b4a5075a5"}});
  EXPECT_NE(text.find("  997b8372-8dac-40ac-ae65-758b4a5075a5  \n"), std::string::npos) << text;
}

TEST(Table, WidensForLaterRowsWithoutPrintingTitlesAgain) {
  std::ostringstream out;
  Table table(out, {{"NAME"}, {"STATUS"}});
  table.add({"a", "Ready"});
  table.flush();
  table.add({"longer", "Ready"});
  table.add({"b", "Ready"});
  table.flush();
  EXPECT_EQ(out.str(),
            "  NAME   STATUS  \n"
            "+------+--------+\n"
            "  a      Ready   \n"
            "  longer   Ready   \n"
            "  b        Ready   \n");
}

TEST(Table, CountsCharactersNotBytes) { EXPECT_EQ(drawn({{"N"}}, {{"äöü"}}), "   N   \n+-----+\n  äöü  \n"); }

TEST(Wrap, TurnsControlCharactersIntoBlanks) {
  EXPECT_EQ(wrap("a\nb\x1b[31m", 30), (std::vector<std::string>{"a b [31m"}));
  EXPECT_EQ(wrap("", 30), (std::vector<std::string>{""}));
}

TEST(Printable, LeavesNothingThatSteersATerminal) {
  EXPECT_EQ(printable("a\x1b[2Jb\nc\xc2\x9b"
                      "1md\x7f"),
            "a [2Jb c 1md ");
  EXPECT_EQ(printable("a\nb\tc\x1b", true), "a\nb\tc ");
  EXPECT_EQ(printable("äö€"), "äö€");
}

TEST(Style, NeverPaintsForPipesAndNoColor) {
  const auto with = [](const char* name) -> std::optional<std::string> {
    return std::string_view(name) == "TERM" ? std::optional<std::string>("xterm") : std::nullopt;
  };
  const auto without = [](const char*) -> std::optional<std::string> { return "1"; };
  EXPECT_TRUE(Style(true, with).is_coloured());
  EXPECT_FALSE(Style(false, with).is_coloured());
  EXPECT_FALSE(Style(true, without).is_coloured()) << "NO_COLOR is set";
}

}  // namespace
}  // namespace chandler::svcat
