#include "meta/names.h"

#include <gtest/gtest.h>

namespace chandler::meta {
namespace {

struct Row {
  const char* reason;
  std::string input;
  bool fine;
};

void expect_all(std::string (*check)(std::string_view), const std::vector<Row>& rows) {
  for (const auto& row : rows) {
    EXPECT_EQ(check(row.input).empty(), row.fine) << row.reason << ": " << row.input << ": " << check(row.input);
  }
}

TEST(Names, SubdomainsFollowRfc1123) {
  expect_all(check_dns1123_subdomain, {{"one label", "a", true},
                                       {"digits first", "1a", true},
                                       {"dots", "a.b-c.d", true},
                                       {"longest", std::string(253, 'a'), true},
                                       {"too long", std::string(254, 'a'), false},
                                       {"empty", "", false},
                                       {"upper case", "Upper", false},
                                       {"underscore", "a_b", false},
                                       {"dash at the end", "a-", false},
                                       {"leading dot", ".a", false},
                                       {"trailing dot", "a.", false},
                                       {"empty label", "a..b", false},
                                       {"percent", "a%b", false}});
}

TEST(Names, LabelsHaveNoDotsAnd63Characters) {
  expect_all(check_dns1123_label, {{"digit first", "1a", true},
                                   {"longest", std::string(63, 'a'), true},
                                   {"too long", std::string(64, 'a'), false},
                                   {"dot", "a.b", false},
                                   {"upper", "A", false}});
  expect_all(check_dns1035_label, {{"letter first", "a1", true}, {"digit first", "1a", false}, {"empty", "", false}});
}

TEST(Names, PathSegmentsTakeAlmostAnything) {
  expect_all(check_path_segment, {{"system names", "system:admin", true},
                                  {"upper and blanks", "A b", true},
                                  {"dot", ".", false},
                                  {"two dots", "..", false},
                                  {"three dots", "...", true},
                                  {"slash", "a/b", false},
                                  {"percent", "a%b", false}});
}

TEST(Names, QualifiedNamesHaveAnOptionalSubdomainPrefix) {
  expect_all(check_qualified_name, {{"no prefix", "A_b.c", true},
                                    {"prefix", "ok.io/A_b.c", true},
                                    {"longest name", "x.io/" + std::string(63, 'a'), true},
                                    {"name too long", std::string(64, 'a'), false},
                                    {"empty", "", false},
                                    {"empty prefix", "/a", false},
                                    {"empty name", "a/", false},
                                    {"two slashes", "a/b/c", false},
                                    {"upper prefix", "UPPER.io/a", false},
                                    {"blank", "a b", false},
                                    {"dash at the end", "a-", false}});
}

TEST(Names, LabelValuesMayBeEmpty) {
  expect_all(check_label_value, {{"empty", "", true},
                                 {"mixed", "A_b-1.c", true},
                                 {"longest", std::string(63, 'x'), true},
                                 {"too long", std::string(64, 'x'), false},
                                 {"leading dash", "-b", false},
                                 {"blank", "b c", false},
                                 {"slash", "a/b", false}});
}

TEST(Names, ConfigKeysAreFileNames) {
  expect_all(check_config_key, {{"mixed", "A_b-c.1", true},
                                {"leading dot", ".a", true},
                                {"longest", std::string(253, 'x'), true},
                                {"too long", std::string(254, 'x'), false},
                                {"empty", "", false},
                                {"dot", ".", false},
                                {"two dots", "..", false},
                                {"two dots first", "..a", false},
                                {"slash", "a/b", false},
                                {"blank", "a b", false}});
}

TEST(Names, ARuleSelectsItsCheck) {
  EXPECT_EQ(check_name(NameRule::kDns1123Subdomain, "a.b"), "");
  EXPECT_NE(check_name(NameRule::kDns1123Label, "a.b"), "");
  EXPECT_NE(check_name(NameRule::kDns1035Label, "1a"), "");
  EXPECT_EQ(check_name(NameRule::kPathSegment, "system:x"), "");
}

}  // namespace
}  // namespace chandler::meta
