#include <gtest/gtest.h>

#include "cel/expression.h"

namespace chandler::cel {
namespace {

std::string printed(std::string_view source) {
  const auto parsed = parse(source);
  return parsed.ok() ? print(**parsed) : "error " + parsed.error().message;
}

TEST(CelParser, ReadsTheGrammar) {
  struct Row {
    std::string source;
    std::string reason;
    std::string printed;
  };
  const std::vector<Row> rows = {
      {"1 + 2 * 3", "products bind closer", "(1 + (2 * 3))"},
      {"a - b - c", "to the left", "((a - b) - c)"},
      {"a || b && c", "and before or", "(a || (b && c))"},
      {"a && b && c", "a chain is one node", "(a && b && c)"},
      {"!a == b", "not before equality", "((!a) == b)"},
      {"a ? b : c ? d : e", "conditions to the right", "(a ? b : (c ? d : e))"},
      {"-9223372036854775808", "the smallest number is one literal", "-9223372036854775808"},
      {"-a", "minus of a name", "(-(a))"},
      {"0xff + 1u", "hexadecimal and unsigned", "(255 + 1u)"},
      {".5e1", "a fraction without a whole part", "5.0"},
      {R"('a\n\u00e4' + r'\n')", "escapes, and none in raw texts", "(\"a\\x0a\xc3\xa4\" + \"\\\\n\")"},
      {R"(b'\xff')", "bytes", R"(b"\xff")"},
      {"'''a'b'''", "three quotes", "\"a'b\""},
      {"self.a.b[0]['x']", "selections and indexes", R"(self.a.b[0]["x"])"},
      {"has(self.a.b)", "a test of presence", "has(self.a.b)"},
      {"self.all(x, x > 0)", "a macro", "self.all(x, (x > 0))"},
      {"self.map(x, x > 0, x * 2)", "a macro with a filter", "self.map(x, (x > 0), (x * 2))"},
      {"self.map(x)", "the name of a macro in another shape is a call", "self.map(x)"},
      {"[1, 2,]", "a comma at the end of a list", "[1, 2]"},
      {"{'a': 1, 'b': 2}", "a map", R"({"a": 1, "b": 2})"},
      {"x in [1] // why", "in, and a comment", "(x in [1])"},
      {"self.?a[?0]", "optional selections", "self.?a[?0]"},
      {"self.namespace", "a reserved word may stand after a dot", "self.namespace"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(printed(row.source), row.printed) << row.reason;
    EXPECT_EQ(printed(row.printed), row.printed) << "printed again: " << row.reason;
  }
}

TEST(CelParser, SaysWhereItFailed) {
  struct Row {
    std::string source;
    std::string reason;
    std::string begins;
  };
  const std::vector<Row> rows = {
      {"", "nothing", "error 1:1: "},
      {"self ===", "an unknown operator", "error 1:8: "},
      {"a\n&& ", "in the second line", "error 2:4: "},
      {"(a", "an open parenthesis", "error 1:3: "},
      {"'a", "an open text", "error 1:1: "},
      {"'\\q'", "an unknown escape", "error 1:2: "},
      {"9223372036854775808", "a number beyond 64 bits", "error 1:1: "},
      {"Foo{a: 1}", "messages are not made", "error 1:4: messages"},
      {"has(self)", "has() wants a field", "error 1:1: has()"},
      {"self.all(1, true)", "a macro's variable is a name", "error 1:10: "},
      {"f(1,)", "a missing argument", "error 1:5: "},
      {"a b", "two expressions", "error 1:3: "},
      {"in", "a word of the language", "error 1:1: "},
      {"1a", "a letter after a number", "error 1:1: "},
      {"\xff", "no character of the language", "error 1:1: "},
  };
  for (const auto& row : rows) {
    const auto got = printed(row.source);
    EXPECT_EQ(got.substr(0, row.begins.size()), row.begins) << row.reason << ": " << got;
  }
}

TEST(CelParser, IsBoundedInDepthAndLength) {
  const auto nested = [](std::string_view open, std::string_view close, size_t n) {
    std::string out;
    for (size_t i = 0; i < n; ++i) out += open;
    out += "1";
    for (size_t i = 0; i < n; ++i) out += close;
    return out;
  };
  EXPECT_TRUE(parse(nested("(", ")", 40)).ok());
  for (const auto& source : {nested("(", ")", 10000), nested("[", "]", 10000), nested("-", "", 10000),
                             nested("!", "", 10000), nested("true ? ", " : 1", 5000), nested("1 + ", "", 10000),
                             nested("f(", ")", 10000), std::string(kMaxSource + 1, ' ')}) {
    EXPECT_FALSE(parse(source).ok()) << source.substr(0, 20);
  }
  std::string chain = "true";
  for (int i = 0; i < 5000; ++i) chain += " && true";
  EXPECT_TRUE(parse(chain).ok()) << "a long chain does not nest";
}

}  // namespace
}  // namespace chandler::cel
