#include "app/duties.h"

#include <gtest/gtest.h>

namespace chandler::app {
namespace {

using Names = std::set<std::string, std::less<>>;

Names all_but(std::string_view left_out) {
  Names names(all_duties().begin(), all_duties().end());
  names.erase(names.find(left_out));
  return names;
}

TEST(ChooseDuties, ReadsTheFlag) {
  struct Row {
    std::string name;
    std::string reason;
    std::string text;
    Names want;
  };
  const std::vector<Row> rows = {
      {"all", "a star", "*", Names(all_duties().begin(), all_duties().end())},
      {"none", "nothing", "", {}},
      {"blank", "nothing", "  ", {}},
      {"one", "by name", "namespaces", {"namespaces"}},
      {"two", "with blanks", " namespaces , event-expiry ", {"event-expiry", "namespaces"}},
      {"all but one", "a minus", "*,-namespaces", all_but("namespaces")},
      {"twice", "says nothing new", "namespaces,namespaces", {"namespaces"}},
      {"taken back", "the last word counts", "namespaces,-namespaces", {}},
      {"given back", "the last word counts", "-namespaces,namespaces", {"namespaces"}},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name + ": " + row.reason);
    const auto chosen = choose_duties(row.text);
    ASSERT_TRUE(chosen.ok()) << chosen.error().message;
    EXPECT_EQ(*chosen, row.want);
  }
}

TEST(ChooseDuties, AnUnknownNameIsAnErrorThatHelps) {
  const auto typo = choose_duties("*,-namespace");
  ASSERT_FALSE(typo.ok());
  EXPECT_NE(typo.error().message.find("did you mean namespaces?"), std::string::npos) << typo.error().message;
  const auto wrong = choose_duties("something");
  ASSERT_FALSE(wrong.ok());
  for (const auto name : all_duties()) {
    EXPECT_NE(wrong.error().message.find(name), std::string::npos) << "it lists what there is: " << name;
  }
  for (const std::string_view text : {",", "*,", "-", "--namespaces"}) EXPECT_FALSE(choose_duties(text).ok()) << text;
}

}  // namespace
}  // namespace chandler::app
