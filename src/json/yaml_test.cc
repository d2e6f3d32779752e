#include "json/yaml.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/writer.h"

namespace chandler::json {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string json_of(std::string_view yaml) {
  auto value = parse_yaml(yaml);
  return value.ok() ? write(*value) : value.error().message;
}

TEST(YamlReader, ResolvesPlainScalarsAsYaml11) {
  struct Row {
    std::string_view reason, scalar, want;
  };
  for (const Row& row : {
           Row{"boolean", "yes", "true"},
           Row{"boolean", "Y", "true"},
           Row{"boolean", "On", "true"},
           Row{"boolean", "TRUE", "true"},
           Row{"boolean", "n", "false"},
           Row{"boolean", "Off", "false"},
           Row{"mixed case is text", "yEs", R"("yEs")"},
           Row{"null", "~", "null"},
           Row{"null", "", "null"},
           Row{"null", "Null", "null"},
           Row{"decimal", "42", "42"},
           Row{"sign", "+42", "42"},
           Row{"negative", "-42", "-42"},
           Row{"underscores", "1_000", "1000"},
           Row{"hexadecimal", "0x1F", "31"},
           Row{"negative hexadecimal", "-0x1f", "-31"},
           Row{"octal by zero", "0755", "493"},
           Row{"octal", "0o17", "15"},
           Row{"binary", "0b101", "5"},
           Row{"zero", "0", "0"},
           Row{"no octal digit", "08", "8"},
           Row{"largest", "18446744073709551615", "18446744073709551615"},
           Row{"smallest", "-9223372036854775808", "-9223372036854775808"},
           Row{"beyond 64 bits", "18446744073709551616", "18446744073709552000"},
           Row{"float", "1.5", "1.5"},
           Row{"float", "-.5", "-0.5"},
           Row{"float", ".5", "0.5"},
           Row{"float", "1.", "1"},
           Row{"exponent", "1e3", "1000"},
           Row{"exponent", "1.5E-3", "0.0015"},
           Row{"whole float is an integer", "2.0", "2"},
           Row{"too large for a number", "1e999", R"("1e999")"},
           Row{"date", "2024-05-01", R"("2024-05-01")"},
           Row{"time", "2024-05-01T12:00:00Z", R"("2024-05-01T12:00:00Z")"},
           Row{"base 60", "1:20", R"("1:20")"},
           Row{"version", "1.2.3", R"("1.2.3")"},
           Row{"dash", "-", "[null]"},
           Row{"plus", "+", R"("+")"},
           Row{"dot", ".", R"(".")"},
           Row{"prefix alone", "0x", R"("0x")"},
           Row{"quantity", "100m", R"("100m")"},
           Row{"address", "10.0.0.1", R"("10.0.0.1")"},
           Row{"quoted", "'yes'", R"("yes")"},
           Row{"quoted", "\"12\"", R"("12")"},
           Row{"tagged", "!!str 12", R"("12")"},
           Row{"tagged", "!!int \"12\"", "12"},
           Row{"tagged", "!!float 1", "1"},
           Row{"tagged", "!!bool 'no'", "false"},
           Row{"own tag", "!color red", R"("red")"},
       }) {
    EXPECT_EQ(json_of(row.scalar), row.want) << row.scalar << ": " << row.reason;
  }
}

TEST(YamlReader, ReadsDocuments) {
  struct Row {
    std::string_view name, reason, input, want;
  };
  for (const Row& row : {
           Row{"block", "maps and lists", "a:\n  b: 1\nc:\n- x\n- v: 2\n  z: 3\n",
               R"({"a":{"b":1},"c":["x",{"v":2,"z":3}]})"},
           Row{"flow", "flow style", "{a: [1, {b: c}], d: }", R"({"a":[1,{"b":"c"}],"d":null})"},
           Row{"json", "JSON is YAML", R"({"a":"\ud83d\ude00\/","b":[1.5,null]})", R"({"a":"😀/","b":[1.5,null]})"},
           Row{"keys", "keys become strings", "1: a\ntrue: b\n1.5: c\n'~': d\n0x10: e\n",
               R"({"1":"a","1.5":"c","16":"e","true":"b","~":"d"})"},
           Row{"literal", "multi-line text", "a: |\n  x\n   y\nb: >-\n  p\n  q\n", R"({"a":"x\n y\n","b":"p q"})"},
           Row{"anchor", "aliases repeat", "a: &x {k: [1]}\nb: *x\nc: [*x, *x]\n",
               R"({"a":{"k":[1]},"b":{"k":[1]},"c":[{"k":[1]},{"k":[1]}]})"},
           Row{"again", "an anchor can be set again", "a: &x 1\nb: *x\nc: &x 2\nd: *x\n",
               R"({"a":1,"b":1,"c":2,"d":2})"},
           Row{"merge", "own members win", "base: &b {p: 1, q: 2}\nx:\n  <<: *b\n  q: 3\n",
               R"({"base":{"p":1,"q":2},"x":{"p":1,"q":3}})"},
           Row{"merge-late", "own members win wherever << stands", "x:\n  q: 3\n  <<: {p: 1, q: 2}\n",
               R"({"x":{"p":1,"q":3}})"},
           Row{"merge-list", "the first source wins", "x:\n  <<: [{p: 1}, {p: 2, q: 2}]\n", R"({"x":{"p":1,"q":2}})"},
           Row{"quoted-merge", "in quotes it is a key", "'<<': 1", R"({"<<":1})"},
           Row{"first", "the first document counts", "a: 1\n---\nb: 2\n", R"({"a":1})"},
           Row{"empty", "nothing at all", "", "null"},
           Row{"comment", "nothing but a comment", "# x\n", "null"},
           Row{"bom", "a byte order mark",
               "\xef\xbb\xbf"
               "a: 1\n",
               R"({"a":1})"},
       }) {
    EXPECT_EQ(json_of(row.input), row.want) << row.name << ": " << row.reason;
  }
}

TEST(YamlReader, RefusesWithTheLine) {
  struct Row {
    std::string_view name, reason, input, want;
  };
  for (const Row& row : {
           Row{"tab", "a tab cannot indent", "a:\n\tb: 1\n", "line 2"},
           Row{"indent", "bad indentation", "a:\n  b: 1\n c: 2\n", "line 3"},
           Row{"infinite", "JSON has no infinity", "a: 1\nb: .inf\n", "line 2: a number that is not finite"},
           Row{"nan", "JSON has no NaN", "a: .NaN\n", "line 1: a number that is not finite"},
           Row{"null-key", "a key needs text", "~: 1\n", "line 1: a key"},
           Row{"list-key", "a key is a scalar", "[a]: 1\n", "line 1: a key"},
           Row{"anchor", "unknown anchor", "a: *x\n", "line 1: unknown anchor"},
           Row{"self", "endless", "a: &x [*x]\n", "contains itself"},
           Row{"merge", "<< takes mappings", "<<: 1\n", "line 1: the value of <<"},
           Row{"merge-in-list", "<< takes mappings", "<<: [[{a: 1}]]\n", "line 1: the value of <<"},
           Row{"tag", "what the tag promises", "a: !!int x\n", "does not fit its tag"},
           Row{"binary", "no such type in JSON", "a: !!binary eA==\n", "does not fit its tag"},
           Row{"utf8", "invalid UTF-8", "a: \xff\n", "UTF-8"},
       }) {
    const auto result = parse_yaml(row.input);
    ASSERT_FALSE(result.ok()) << row.name << ": " << row.reason;
    EXPECT_EQ(result.error().reason, Reason::kBadRequest);
    EXPECT_THAT(result.error().message, HasSubstr(row.want)) << row.name << ": " << row.reason;
  }
}

TEST(YamlReader, NoErrorHoldsWhatMayBeASecretWithoutItsQuotes) {
  for (const std::string_view input :
       {"password: *swordfish\n", "password: !!swordfish\n", "password: !!int swordfish\n",
        "password: !!binary swordfish\n", "password: &swordfish [*swordfish]\n", "password: swordfish: x\n",
        "password: \"swordfish\n", "password: @swordfish\n", "password: %swordfish\n", "password: \"swordfish\\q\"\n",
        "password: `swordfish\n", "password: [swordfish\n", "<<: swordfish\n", "%swordfish\n"}) {
    const auto result = parse_yaml(input);
    ASSERT_FALSE(result.ok()) << input;
    EXPECT_THAT(result.error().message, Not(HasSubstr("swordfish"))) << input;
  }
}

TEST(YamlReader, BoundsDepthAndExpansion) {
  EXPECT_TRUE(parse_yaml("[[[1]]]", {.max_depth = 3}).ok());
  EXPECT_FALSE(parse_yaml("[[[[1]]]]", {.max_depth = 3}).ok());
  EXPECT_FALSE(parse_yaml("a: &a [[1]]\nb: [*a]\n", {.max_depth = 3}).ok()) << "an alias brings its depth along";
  EXPECT_FALSE(parse_yaml(std::string(5000, '[')).ok());

  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    bomb += fmt::format("a{0}: &a{0} [", i);
    for (int j = 0; j < 10; ++j) bomb += fmt::format("*a{}, ", i - 1);
    bomb += "]\n";
  }
  const auto result = parse_yaml(bomb);
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().message, HasSubstr("expand"));

  std::string keys = "a: &a {? &k " + std::string(100'000, 'k') + " : 1}\nb: [";
  for (int i = 0; i < 1000; ++i) keys += i % 2 == 0 ? "*a, " : "{? *k : 1}, ";
  EXPECT_FALSE(parse_yaml(keys + "]\n").ok()) << "keys count too";
}

TEST(YamlReader, ReportsDuplicates) {
  ReadReport report;
  const auto value = parse_yaml(
      "data:\n  a: 1\n  a: 2\nlist:\n- x\n- k: 1\n  k: 2\nref: &r {p: 1, p: 2}\nuse: [*r, {z: 1, z: 2}]\n"
      "merged:\n  <<: *r\n  p: 3\n1: x\n'1': y\n",
      {}, &report);
  ASSERT_TRUE(value.ok());
  EXPECT_THAT(report.duplicates, ElementsAre("data.a", "list[1].k", "ref.p", "use[1].z", "1"));
  EXPECT_EQ(find_path(*value, {"data", "a"})->get_int64(), 2) << "the last one wins";

  ReadReport json_report;
  ASSERT_TRUE(parse_yaml(R"({"a":1,"a":2})", {}, &json_report).ok());
  EXPECT_THAT(json_report.duplicates, ElementsAre("a"));
}

TEST(YamlReader, ReadsStreams) {
  const auto documents = parse_yaml_stream("---\n# none\n---\na: 1\n---\n---\n{\"b\": 2}\n...\n");
  ASSERT_TRUE(documents.ok());
  ASSERT_EQ(documents->size(), 2U);
  EXPECT_EQ(write((*documents)[0]), R"({"a":1})");
  EXPECT_EQ(write((*documents)[1]), R"({"b":2})");
  EXPECT_FALSE(parse_yaml_stream("a: 1\n---\na: [\n").ok());
  EXPECT_EQ(write(parse_yaml_stream(R"({"a":"\ud83d\ude00"})").value().at(0)), R"({"a":"😀"})");
}

TEST(YamlWriter, WritesBlockStyle) {
  const Value value = parse(R"({
    "metadata": {"name": "x", "labels": {}, "finalizers": []},
    "list": [{"name": "a", "args": ["p", ["q", "r"]]}, [], "s", {"k": {"l": 1}}],
    "number": 1.5, "big": 1e21, "flag": true, "nothing": null})")
                          .value();
  EXPECT_EQ(write_yaml(value), R"(big: 1e+21
flag: true
list:
- args:
  - p
  - - q
    - r
  name: a
- []
- s
- k:
    l: 1
metadata:
  finalizers: []
  labels: {}
  name: x
nothing: null
number: 1.5
)");
  EXPECT_EQ(write_yaml(Value("x")), "x\n");
  EXPECT_EQ(write_yaml(Value(boost::json::object_kind)), "{}\n");
}

TEST(YamlWriter, QuotesWhatWouldReadAsSomethingElse) {
  struct Row {
    std::string_view reason, text, want;
  };
  for (const Row& row : {
           Row{"plain", "hello world", "hello world"},
           Row{"address", "http://x:80/y?a=b", "http://x:80/y?a=b"},
           Row{"empty", "", R"("")"},
           Row{"boolean", "yes", R"("yes")"},
           Row{"boolean", "n", R"("n")"},
           Row{"null", "null", R"("null")"},
           Row{"number", "12", R"("12")"},
           Row{"number", "0x1F", R"("0x1F")"},
           Row{"number", "1e3", R"("1e3")"},
           Row{"infinity", ".inf", R"(".inf")"},
           Row{"date", "2024-05-01T12:00:00Z", R"("2024-05-01T12:00:00Z")"},
           Row{"base 60", "12:30:45", R"("12:30:45")"},
           Row{"key inside", "a: b", "'a: b'"},
           Row{"comment inside", "a #b", "'a #b'"},
           Row{"quote doubled", "it's: x", "'it''s: x'"},
           Row{"indicator", "*x", "'*x'"},
           Row{"indicator", "- x", "'- x'"},
           Row{"dash in front", "-x", "-x"},
           Row{"blank in front", " x", "' x'"},
           Row{"blank behind", "x ", "'x '"},
           Row{"colon behind", "x:", "'x:'"},
           Row{"document start", "---", "'---'"},
           Row{"merge key", "<<", "'<<'"},
           Row{"tab", "a\tb", R"("a\tb")"},
           Row{"control", "a\x01", R"("a\x01")"},
           Row{"other languages", "größe 😀", "größe 😀"},
           Row{"byte order mark", "\xef\xbb\xbf", R"("\uFEFF")"},
           Row{"lines", "a\nb\n", "|\n  a\n  b"},
           Row{"lines without end", "a\nb", "|-\n  a\n  b"},
           Row{"many ends", "a\n\n", "|+\n  a\n"},
           Row{"indented lines", "  a\nb", "|2-\n    a\n  b"},
           Row{"blank before a line end", "a \nb", R"("a \nb")"},
       }) {
    EXPECT_EQ(write_yaml(Value(row.text)), std::string(row.want) + "\n") << row.reason;
    EXPECT_EQ(json_of(write_yaml(Value(row.text))), write(Value(row.text))) << row.reason;
  }
}

TEST(YamlWriter, ReadsBackWhatItWrote) {
  for (const std::string_view text : {
           R"({"yes":"no","1":"1","a: b":{"- ":[[[]],{"x\ny":"p\n q\n"}]},"":"","long":"0"})",
           R"([["\n","\n\n"," \n","x\n ","|",">","%","@","`","? ","?x",": "],[[{"a":[{"b":"\n  x"}]}]]])",
           R"({"k":["\u0085","\u2028","\ufeff","\u00a0","\u007f","\ud83d\ude00","\uffff","\\","'","\""]})",
           R"([1,-1,0.5,1e100,18446744073709551615,true,false,null,"<<","=","~"])",
           R"({"<<":"3\"","1:\"":"c"})",
       }) {
    const Value value = parse(text).value();
    EXPECT_EQ(json_of(write_yaml(value)), write(value)) << write_yaml(value);
  }
  Object long_keys;
  long_keys[std::string(2000, 'k')] = {1, {2, 3}};
  long_keys[std::string(200, 'l')] = {{"a", "b\nc"}};
  const Value value(long_keys);
  EXPECT_EQ(json_of(write_yaml(value)), write(value)) << write_yaml(value);
}

}  // namespace
}  // namespace chandler::json
