#include "resolve/catalog_restrictions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace chandler::resolve {
namespace {

using ::testing::HasSubstr;

struct MatchRow {
  std::string_view name, reason;
  std::vector<std::string> texts;
  RestrictedKind kind;
  bool matches;
  std::string_view canonical;
};

TEST(CatalogRestrictions, Match) {
  const CatalogEntry entry{"id-1", "My \"big\" plan, (new)", "ID-1", true, "class-1"};
  const auto plan = RestrictedKind::kClusterPlan;
  const MatchRow rows[] = {
      {"none", "no restriction", {}, plan, true, ""},
      {"empty", "an empty string", {"", "  "}, plan, true, ""},
      {"equal", "=", {"name=id-1"}, plan, true, "name=id-1"},
      {"equal-equal", "==, blanks", {" name == id-1 "}, plan, true, "name=id-1"},
      {"not-equal", "!=", {"name!=id-1"}, plan, false, "name!=id-1"},
      {"in", "one of them", {"name in (x, id-1,x)"}, plan, true, "name in (id-1,x)"},
      {"notin", "none of them", {"name notin (x,id-1)"}, plan, false, "name notin (id-1,x)"},
      {"in-close", "no blank before the parenthesis", {"name in(id-1)"}, plan, true, "name=id-1"},
      {"and",
       "all parts of a string",
       {"name=id-1,spec.externalID=other"},
       plan,
       false,
       "name=id-1,spec.externalID=other"},
      {"and-strings",
       "all strings",
       {"name=id-1", "spec.externalID=ID-1"},
       plan,
       true,
       "name=id-1,spec.externalID=ID-1"},
      {"free", "true", {"spec.free=true"}, plan, true, "spec.free=true"},
      {"paid", "false", {"spec.free=false"}, plan, false, "spec.free=false"},
      {"class",
       "of a cluster plan",
       {"spec.clusterServiceClass.name=class-1"},
       plan,
       true,
       "spec.clusterServiceClass.name=class-1"},
      {"class-here",
       "of a plan in a namespace",
       {"spec.serviceClass.name in (class-2)"},
       RestrictedKind::kPlan,
       false,
       "spec.serviceClass.name=class-2"},
      {"quoted",
       "any value in quotes",
       {R"x(spec.externalName="My \"big\" plan, (new)")x"},
       plan,
       true,
       R"x(spec.externalName="My \"big\" plan, (new)")x"},
      {"quoted-single",
       "either quote",
       {R"x(spec.externalName in ('My "big" plan, (new)','it\'s'))x"},
       plan,
       true,
       R"x(spec.externalName in ("My \"big\" plan, (new)","it's"))x"},
      {"empty-value", "nothing is a value", {"spec.externalName="}, plan, false, R"(spec.externalName="")"},
      {"empty-set", "as in a label selector", {"name notin ()"}, plan, true, R"(name!="")"},
      {"word", "more than label values", {"spec.externalName!=a:b/c+d"}, plan, true, "spec.externalName!=a:b/c+d"},
  };
  for (const MatchRow& row : rows) {
    meta::FieldErrors errors;
    const auto parsed = CatalogRestrictions::parse(row.texts, row.kind, meta::Path("r"), errors);
    ASSERT_TRUE(parsed.has_value()) << row.name << ": " << errors.causes()[0].message;
    EXPECT_EQ(parsed->matches(entry), row.matches) << row.name << ": " << row.reason;
    EXPECT_EQ(parsed->str(), row.canonical) << row.name << ": " << row.reason;
    const std::vector<std::string> again = {parsed->str()};
    const auto reparsed = CatalogRestrictions::parse(again, row.kind, meta::Path("r"), errors);
    ASSERT_TRUE(reparsed.has_value()) << row.name;
    EXPECT_EQ(reparsed->str(), row.canonical) << row.name;
  }
}

struct FaultRow {
  std::string_view name, reason;
  std::string text;
  RestrictedKind kind;
  std::string message;
};

TEST(CatalogRestrictions, FaultsHaveAPosition) {
  const auto of_class = RestrictedKind::kClass;
  const auto of_plan = RestrictedKind::kPlan;
  const FaultRow rows[] = {
      {"unknown", "a property that does not exist", "spec.free=true", of_class,
       "at position 1: \"spec.free\" is not a property that can be restricted; use one of name, spec.externalName"},
      {"smuggled", "every key is checked, not only the first", "name=a,spec.tags=b", of_class, "at position 8"},
      {"cluster-key", "the other scope's key", "spec.clusterServiceClass.name=a", of_plan, "spec.serviceClass.name"},
      {"ref-key", "without Ref", "spec.serviceClassRef.name=a", of_plan, "at position 1"},
      {"exists", "no such operator", "name", of_class, "at position 5: expected =, ==, !=, in or notin"},
      {"not-exists", "no such operator", "!name", of_class, "at position 1: expected a property"},
      {"greater", "no such operator", "name>1", of_class, "at position 5"},
      {"free", "only true and false", "spec.free=yes", of_plan, "true or false only"},
      {"blank", "blanks need quotes", "name=a b", of_class, "at position 8: expected ',' or the end"},
      {"open", "a set in parentheses", "name in a", of_class, "at position 9: expected '('"},
      {"close", "that end", "name in (a", of_class, "at position 11: expected ',' or ')'"},
      {"quote", "quotes end", "name=\"a", of_class, "at position 6: the quote has no end"},
      {"comma", "nothing after the comma", "name=a,", of_class, "at position 8: expected a property"},
      {"after-quote", "nothing after the quote", "name=\"a\"b", of_class, "at position 9"},
  };
  for (const FaultRow& row : rows) {
    meta::FieldErrors errors;
    const std::vector<std::string> texts = {"name=fine", row.text};
    EXPECT_FALSE(CatalogRestrictions::parse(texts, row.kind, meta::Path("r"), errors)) << row.name;
    ASSERT_EQ(errors.size(), 1u) << row.name << ": " << row.reason;
    EXPECT_EQ(errors.causes()[0].field, "r[1]") << row.name;
    EXPECT_THAT(errors.causes()[0].message, HasSubstr(row.message)) << row.name << ": " << row.reason;
  }
}

TEST(CatalogRestrictions, AreBounded) {
  meta::FieldErrors errors;
  EXPECT_FALSE(CatalogRestrictions::parse(std::vector<std::string>(1001, "name=a"), RestrictedKind::kClass,
                                          meta::Path("r"), errors));
  EXPECT_FALSE(CatalogRestrictions::parse(std::vector<std::string>{std::string(65 * 1024, 'a')}, RestrictedKind::kClass,
                                          meta::Path("r"), errors));
  EXPECT_EQ(errors.size(), 2u);
}

}  // namespace
}  // namespace chandler::resolve
