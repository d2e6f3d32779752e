#include "meta/selector.h"

#include <map>

#include <gtest/gtest.h>

#include "meta/schema_fixture.h"

namespace chandler::meta {
namespace {

using Labels = std::map<std::string, std::string, std::less<>>;

bool selects(const LabelSelector& selector, const Labels& labels) {
  return selector.matches([&](std::string_view key) -> std::optional<std::string_view> {
    const auto found = labels.find(key);
    if (found == labels.end()) return std::nullopt;
    return found->second;
  });
}

TEST(LabelSelector, ParsesWhatTheApiParses) {
  struct Row {
    const char* reason;
    const char* input;
    const char* canonical;
  };
  const Row rows[] = {
      {"nothing", "", ""},
      {"only blanks", "  ", ""},
      {"exists", "a", "a"},
      {"not exists", "!a", "!a"},
      {"not exists with blanks", " ! a ", "!a"},
      {"equals", "a=b", "a=b"},
      {"double equals", "a==b", "a=b"},
      {"not equals", "a != b", "a!=b"},
      {"empty value at the end", "a=", "a="},
      {"empty value before a comma", "a=,b", "a=,b"},
      {"set", "a in (y, x)", "a in (x,y)"},
      {"set with doubles", "a in (x,x)", "a in (x)"},
      {"not in", "a notin (x)", "a notin (x)"},
      {"set of the empty value", "a in ()", "a in ()"},
      {"empty value first", "a in (,b)", "a in (,b)"},
      {"empty value last", "a in (b,)", "a in (,b)"},
      {"greater", "a>1", "a>1"},
      {"less", "a < 5", "a<5"},
      {"terms are sorted", "b,a=1", "a=1,b"},
      {"words of the grammar as keys", "in,notin=x", "in,notin=x"},
      {"words of the grammar as values", "a in (in,notin)", "a in (in,notin)"},
      {"prefix", "x.io/a=b", "x.io/a=b"},
      {"lines", "a\n,\tb", "a,b"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.reason);
    const auto selector = LabelSelector::parse(row.input);
    ASSERT_TRUE(selector.ok()) << row.input << ": " << selector.error().message;
    EXPECT_EQ(selector->str(), row.canonical);
    const auto again = LabelSelector::parse(selector->str());
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(again->str(), row.canonical) << "canonical form is stable";
  }
}

TEST(LabelSelector, RefusesWhatTheApiRefuses) {
  for (const char* text : {",",     "a,",      ",a",       "a,,b",       "a=1=2", "a>x",  "a>",   "a in 1",
                           "a b=c", "a in (b", "a=b c",    "a in (b c)", "!a=b",  "!",    "!!a",  "=b",
                           "a in",  "a notin", "a(b)",     "(a)",        "a)",    "a=b)", "a=/x", "/a=b",
                           "a===b", "a=!b",    "a in (=)", "a in (b))",  "-a",    "a!b",  "a<1.5"}) {
    const auto selector = LabelSelector::parse(text);
    ASSERT_FALSE(selector.ok()) << text;
    EXPECT_EQ(selector.error().reason, Reason::kBadRequest) << text;
    EXPECT_TRUE(selector.error().message.starts_with("unable to parse requirement: ")) << selector.error().message;
  }
  EXPECT_FALSE(LabelSelector::parse("t=" + std::string(64, 'x')).ok()) << "value too long";
}

TEST(LabelSelector, MatchesAsTheApiDoes) {
  struct Row {
    const char* reason;
    const char* selector;
    Labels labels;
    bool want;
  };
  const Row rows[] = {
      {"everything", "", {}, true},
      {"equal", "a=b", {{"a", "b"}}, true},
      {"other value", "a=b", {{"a", "c"}}, false},
      {"equal needs the key", "a=", {}, false},
      {"empty value", "a=", {{"a", ""}}, true},
      {"not equal takes objects without the key", "a!=b", {}, true},
      {"not equal", "a!=b", {{"a", "b"}}, false},
      {"in", "a in (x,y)", {{"a", "y"}}, true},
      {"in needs the key", "a in (x)", {}, false},
      {"the empty set is the empty value", "a in ()", {{"a", ""}}, true},
      {"not in takes objects without the key", "a notin (x)", {}, true},
      {"not in", "a notin (x)", {{"a", "x"}}, false},
      {"exists", "a", {{"a", ""}}, true},
      {"not exists", "!a", {{"a", ""}}, false},
      {"greater", "a>1", {{"a", "2"}}, true},
      {"greater is strict", "a>1", {{"a", "1"}}, false},
      {"greater needs a number", "a>1", {{"a", "x"}}, false},
      {"greater needs the key", "a>1", {}, false},
      {"less", "a<10", {{"a", "9"}}, true},
      {"and", "a,b", {{"a", ""}}, false},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(selects(*LabelSelector::parse(row.selector), row.labels), row.want) << row.reason << ": " << row.selector;
  }
}

TEST(LabelSelector, ReadsTheBodyForm) {
  const auto selector = LabelSelector::from_json(doc(
      R"({"matchLabels":{"a":"b"},"matchExpressions":[{"key":"c","operator":"In","values":["y","x"]},
          {"key":"d","operator":"NotIn","values":["z"]},{"key":"e","operator":"Exists"},
          {"key":"f","operator":"DoesNotExist","values":[]}]})"));
  ASSERT_TRUE(selector.ok()) << selector.error().message;
  EXPECT_EQ(selector->str(), "!f,a=b,c in (x,y),d notin (z),e");
  EXPECT_TRUE(LabelSelector::from_json(doc("{}"))->empty());
}

TEST(LabelSelector, NamesEveryFaultOfABody) {
  const auto selector =
      LabelSelector::from_json(doc(R"({"matchLabels":{"a b":"c"},"matchExpressions":[{"key":"c","operator":"In"},
              {"key":"d","operator":"Exists","values":["z"]},{"key":"","operator":"Like","values":[1,"b c"]},7]})"),
                               "spec.selector");
  ASSERT_FALSE(selector.ok());
  std::vector<std::string> found;
  for (const auto& cause : selector.error().causes) found.push_back(cause.field + " " + cause.reason);
  EXPECT_EQ(found, (std::vector<std::string>{"spec.selector.matchLabels FieldValueInvalid",
                                             "spec.selector.matchExpressions[0].values FieldValueRequired",
                                             "spec.selector.matchExpressions[1].values FieldValueForbidden",
                                             "spec.selector.matchExpressions[2].key FieldValueInvalid",
                                             "spec.selector.matchExpressions[2].values[0] FieldValueTypeInvalid",
                                             "spec.selector.matchExpressions[2].values[1] FieldValueInvalid",
                                             "spec.selector.matchExpressions[2].operator FieldValueInvalid",
                                             "spec.selector.matchExpressions[3] FieldValueTypeInvalid"}));
  EXPECT_FALSE(LabelSelector::from_json(doc("[]")).ok());
}

TEST(FieldSelector, ParsesTermsAndEscapes) {
  struct Row {
    const char* reason;
    const char* input;
    const char* canonical;
  };
  const Row rows[] = {
      {"nothing", "", ""},
      {"equal", "metadata.name=a", "metadata.name=a"},
      {"double equal", "metadata.name==a", "metadata.name=a"},
      {"not equal", "metadata.name!=a", "metadata.name!=a"},
      {"empty value", "spec.nodeName=", "spec.nodeName="},
      {"two terms", "a=1,b!=2", "a=1,b!=2"},
      {"empty terms are skipped", ",a=1,,", "a=1"},
      {"escapes", R"(a=x\,y\=z\\)", R"(a=x\,y\=z\\)"},
      {"blanks count", "a= b", "a= b"},
  };
  for (const auto& row : rows) {
    const auto selector = FieldSelector::parse(row.input);
    ASSERT_TRUE(selector.ok()) << row.reason << ": " << selector.error().message;
    EXPECT_EQ(selector->str(), row.canonical) << row.reason;
  }
  EXPECT_EQ(FieldSelector::parse(R"(a=x\,y\=z\\)")->terms()[0].value, R"(x,y=z\)");
}

TEST(FieldSelector, RefusesWhatItCannotUnderstand) {
  for (const char* text : {"a", "a,b=1", R"(a=b\)", R"(a=\x)", "a=b=c", "a in (b)", R"(a\=b)"}) {
    const auto selector = FieldSelector::parse(text);
    ASSERT_FALSE(selector.ok()) << text;
    EXPECT_EQ(selector.error().reason, Reason::kBadRequest);
  }
}

TEST(FieldSelector, TellsTheValueAFieldMustHave) {
  const auto selector = FieldSelector::parse("a!=1,b=2,metadata.name=x");
  EXPECT_EQ(selector->required_value("metadata.name"), "x");
  EXPECT_EQ(selector->required_value("a"), std::nullopt);
  EXPECT_EQ(selector->required_value("c"), std::nullopt);
}

}  // namespace
}  // namespace chandler::meta
