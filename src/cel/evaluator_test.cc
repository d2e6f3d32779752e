#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cel/cel_fixture.h"
#include "support/slow_pattern.h"

namespace chandler::cel {
namespace {

using testing::evaluated;
using testing::World;

constexpr std::string_view kTypedSchema = R"({"type": "object", "required": ["name"], "properties": {
  "name": {"type": "string", "maxLength": 20},
  "n": {"type": "integer"}, "ratio": {"type": "number"}, "on": {"type": "boolean"},
  "since": {"type": "string", "format": "date-time"}, "wait": {"type": "string", "format": "duration"},
  "raw": {"type": "string", "format": "byte"},
  "port": {"x-kubernetes-int-or-string": true},
  "tags": {"type": "array", "maxItems": 10, "items": {"type": "string", "maxLength": 10}},
  "set": {"type": "array", "maxItems": 10, "x-kubernetes-list-type": "set", "items": {"type": "string", "maxLength": 9}},
  "limits": {"type": "object", "maxProperties": 5, "additionalProperties": {"type": "integer"}},
  "none": {"type": "string", "nullable": true, "maxLength": 5},
  "x-y": {"type": "integer"}, "namespace": {"type": "string", "maxLength": 5},
  "any": {"x-kubernetes-preserve-unknown-fields": true},
  "inner": {"type": "object", "properties": {"a": {"type": "integer"}}}}})";

constexpr std::string_view kTypedValue =
    R"({"name": "wäb", "n": 7, "ratio": 2, "on": true, "since": "2024-02-29T12:30:00.5Z",
  "wait": "1h30m", "raw": "aGk=", "port": "http", "tags": ["b", "a", "b"], "set": ["x", "y"],
  "limits": {"cpu": 2, "mem": 8}, "none": null, "x-y": 4, "namespace": "ns", "any": {"z": 1}, "inner": {"a": 1}})";

struct ExpressionRow {
  std::string source;
  std::string reason;
  std::string result;
};

void expect_rows(const std::vector<ExpressionRow>& rows) {
  const World world(kTypedSchema, kTypedValue);
  ASSERT_EQ(world.faults, "");
  for (const auto& row : rows) EXPECT_EQ(evaluated(row.source, world), row.result) << row.source << ": " << row.reason;
}

TEST(CelEvaluator, ReadsFieldsByTheirSchema) {
  expect_rows({
      {"self.name", "a text", "string wäb"},
      {"self.n", "an integer", "int 7"},
      {"self.ratio", "a number is a double, however it is written", "double 2"},
      {"self.since.getFullYear()", "date-time is a timestamp", "int 2024"},
      {"self.wait == duration('90m')", "format duration", "true"},
      {"self.raw == b'hi'", "format byte is decoded", "true"},
      {"type(self.port) == string", "int-or-string is what it is", "true"},
      {"self.x__dash__y + 1", "escaped names", "int 5"},
      {"self.__namespace__", "a reserved word", "string ns"},
      {"self.namespace", "which may stand for itself", "string ns"},
      {"has(self.none)", "null counts as absent", "false"},
      {"has(self.inner.a) && !has(self.since.x)", "timestamps have no fields",
       "compile: 1:37: timestamp has no fields"},
      {"self.limits.cpu", "keys of a map as fields", "int 2"},
      {"self.limits['mem']", "and as keys", "int 8"},
      {"self.limits['disk']", "a key that is not there", "fault: no such key: disk"},
      {"'cpu' in self.limits && !('disk' in self.limits)", "in a map", "true"},
      {"self.tags[1]", "an item", "string a"},
      {"self.tags[3]", "beyond the list", "fault: index out of bounds: 3"},
      {"self.any", "what the schema leaves open cannot be read",
       "compile: 1:5: undefined field \"any\": the schema has none that a rule can read"},
      {"self.inner == self.inner", "objects are compared whole", "true"},
  });
}

TEST(CelEvaluator, CalculatesAndCompares) {
  expect_rows({
      {"7 / 2 * 2 + 7 % 2", "whole numbers", "int 7"},
      {"-7 / 2", "towards zero", "int -3"},
      {"9223372036854775807 + 1", "overflow is a fault", "fault: integer overflow"},
      {"-(-9223372036854775807 - 1)", "overflow of minus", "fault: integer overflow"},
      {"1 / 0", "division by zero", "fault: division by zero"},
      {"1.0 / 0.0 > 1e308", "but not of doubles", "true"},
      {"1u - 2u", "unsigned underflow", "fault: integer overflow"},
      {"1 < 1.5 && 2u > 1", "numbers have one order", "true"},
      {"1 == 1.0", "but equality wants one type", "compile: 1:3: no such overload: int == double"},
      {"dyn(1) == 1.0", "unless the type is hidden", "true"},
      {"'a' < 'b' && b'a' < b'b' && false < true", "orders", "true"},
      {"'a' + 'b' == 'ab'", "texts add", "true"},
      {"[1] + [2, 3]", "lists add", "[int 1, int 2, int 3]"},
      {"1 + 'a'", "no such sum", "compile: 1:3: no such overload: int + string"},
      {"self.since + duration('30m') > timestamp('2024-02-29T13:00:00Z')", "times", "true"},
      {"self.since - timestamp('2024-02-29T12:00:00Z') == duration('30m0.5s')", "a difference of times", "true"},
      {"timestamp('9999-12-31T23:59:59Z') + duration('1s')", "the end of time", "fault: timestamp overflow"},
      {"false && 1 / 0 == 1", "what decides hides faults", "false"},
      {"1 / 0 == 1 && false", "also behind it", "false"},
      {"1 / 0 == 1 || true", "or", "true"},
      {"1 / 0 == 1 && true", "nothing decides", "fault: division by zero"},
      {"true ? 1 : 2", "a condition", "int 1"},
      {"true ? 1 : 'a'", "of one type", "compile: 1:6: both outcomes must be of one type: string is not int"},
      {"!self.on", "not", "false"},
      {"self.set == ['y', 'x']", "sets have no order", "true"},
      {"self.tags == ['b', 'b', 'a']", "lists have", "false"},
      {"{'a': 1} == {'a': 1}", "maps", "true"},
      {"{'a': 1, 'a': 2}.a", "a key twice", "fault: the key a occurs twice in a map"},
      {"self.set + ['z']", "sums of sets are refused",
       "compile: 1:10: lists of type set or map cannot be added; use sets.contains or a macro"},
      {"self.inner == null", "an object may be compared with null", "false"},
      {"self.name == null", "a text may not", "compile: 1:11: no such overload: string == null"},
  });
}

TEST(CelEvaluator, KnowsMacros) {
  expect_rows({
      {"self.tags.all(t, t < 'c')", "all", "true"},
      {"self.tags.exists(t, t == 'a')", "exists", "true"},
      {"self.tags.exists_one(t, t == 'b')", "exactly one", "false"},
      {"self.tags.map(t, t + '!')", "map", "[string b!, string a!, string b!]"},
      {"self.tags.map(t, t == 'b', size(t))", "map of some", "[int 1, int 1]"},
      {"self.tags.filter(t, t != 'b')", "filter", "[string a]"},
      {"self.limits.all(k, self.limits[k] > 1)", "over the keys of a map", "true"},
      {"self.tags.all(a, self.tags.exists(b, a == b))", "nested", "true"},
      {"self.limits.filter(k, k < 'd').join()", "keys that were filtered are texts still", "string cpu"},
      {"[1, 0].exists(x, 1 / x == 1)", "a hit hides faults", "true"},
      {"[0, 1].all(x, 1 / x == 1)", "nothing decides", "fault: division by zero"},
      {"self.tags.all(t, t)", "a bool is wanted", "compile: 1:18: all wants a bool here, not string"},
      {"self.n.all(x, true)", "a number cannot be walked", "compile: 1:7: all does not work on int"},
      {"self.tags.all(t, x)", "an unknown name", "compile: 1:18: \"x\" is not known here; rules see self and oldSelf"},
      {"self.?none.hasValue()", "an optional without a value", "false"},
      {"self.?n.orValue(1) + self.?none.optMap(x, size(x)).orValue(5)", "with values", "int 12"},
      {"optional.of(1).value() + optional.none().orValue(2)", "made by hand", "int 3"},
      {"self.limits[?'disk']", "an optional key", "none"},
  });
}

TEST(CelEvaluator, KnowsTheLibrary) {
  expect_rows({
      {"size(self.name)", "characters, not bytes", "int 3"},
      {"self.tags.size() + size(self.limits) + size(b'ab')", "sizes", "int 7"},
      {"self.name.startsWith('w') && self.name.endsWith('b') && self.name.contains('ä')", "parts", "true"},
      {"self.name.matches('^w.b$') && matches('abc', 'b')", "patterns", "true"},
      {"self.name.matches('(')", "a bad pattern is refused early",
       "compile: 1:19: the regular expression \"(\" is bad: missing ): ("},
      {"self.name.matches(self.tags[0] + '(')", "or when it is made",
       "fault: the regular expression \"b(\" is bad: missing ): b("},
      {"'a1b22'.find('[0-9]+') + 'a1b22'.findAll('[0-9]+').join(',')", "found", "string 11,22"},
      {"'AbÄ'.lowerAscii() + 'ab'.upperAscii()", "ASCII only", "string abÄAB"},
      {"' \\u00a0a b\\n'.trim()", "white space", "string a b"},
      {"'a,b,c'.split(',')", "split", "[string a, string b, string c]"},
      {"'a,b,c'.split(',', 2)", "at most so many", "[string a, string b,c]"},
      {"'äb'.split('')", "into characters", "[string ä, string b]"},
      {"['a', 'b'].join() + ['a', 'b'].join('-')", "join", "string aba-b"},
      {"'aaa'.replace('a', 'b') + 'aaa'.replace('a', 'b', 1)", "replace", "string bbbbaa"},
      {"'ab'.replace('', '-')", "around every character", "string -a-b-"},
      {"'häuser'.substring(1, 3) + 'häuser'.substring(4)", "cut", "string äuer"},
      {"'abc'.substring(2, 9)", "beyond", "fault: index out of range: 9"},
      {"'äbäb'.indexOf('b') + 'äbäb'.lastIndexOf('b') + 'x'.indexOf('y')", "positions in characters", "int 3"},
      {"'häu'.charAt(1) + 'a'.charAt(1)", "a character", "string ä"},
      {"[3, 1, 2].min() + [3, 1, 2].max() + [3, 1, 2].sum()", "of numbers", "int 10"},
      {"[].sum() == 0", "of nothing", "true"},
      {"[1].filter(x, x > 1).min()", "of nothing there is no smallest",
       "fault: an empty list has no smallest or largest item"},
      {"['a', 'b'].isSorted() && !self.tags.isSorted()", "order", "true"},
      {"['a', 'b', 'a'].indexOf('a') + ['a', 'b', 'a'].lastIndexOf('a')", "positions in lists", "int 2"},
      {"sets.contains([1, 2], [2]) && sets.equivalent([1, 1], [1]) && !sets.intersects([1], [2])", "sets", "true"},
      {"int('12') + int(3.9) + int(4u) + int(timestamp('1970-01-01T00:00:05Z'))", "to int", "int 24"},
      {"int('x')", "no number", "fault: cannot be converted to int"},
      {"double('1.5') + double(1)", "to double", "double 2.5"},
      {"uint(-1)", "not unsigned", "fault: integer overflow"},
      {"string(1) + string(true) + string(1.5) + string(b'x') + string(duration('90s'))", "to string",
       "string 1true1.5x90s"},
      {"string(timestamp('2024-01-01T00:00:00+01:00'))", "in UTC", "string 2023-12-31T23:00:00Z"},
      {"bool('true') && !bool('0')", "to bool", "true"},
      {"type(1) == int && type([]) == list && type(null) == null_type && type(type(1)) == type", "types", "true"},
      {"self.since.getMonth() == 1 && self.since.getDate() == 29 && self.since.getDayOfWeek() == 4", "calendar",
       "true"},
      {"self.since.getHours() + self.wait.getMinutes() + self.since.getMilliseconds()", "clock", "int 602"},
      {"'%s has %d of %.1f %x %b %%'.format([self.name, 3, 2.25, 255, 5])", "format",
       "string wäb has 3 of 2.2 ff 101 %"},
      {"'%s'.format([[1, 2]]) + '%s'.format([{'a': 1}])", "format of lists and maps", "string [1, 2]{a: 1}"},
      {"'%d'.format([])", "too few arguments", "fault: the format asks for more arguments than there are"},
      {"quantity('1Gi').isGreaterThan(quantity('500Mi')) && quantity('1k') == quantity('1000')", "amounts", "true"},
      {"quantity('1.5').isInteger() || !isQuantity('2Q1')", "amounts that are none, or not whole", "true"},
      {"quantity('2k').add(quantity('1k')).sub(500).asInteger()", "sums of amounts", "int 2500"},
      {"quantity('-1').sign() + quantity('1').compareTo(quantity('2'))", "signs", "int -2"},
      {"quantity('1') < quantity('2')", "have no operators", "compile: 1:15: no such overload: quantity < quantity"},
      {"quantity('x')", "no amount", "fault: cannot be converted to quantity"},
      {"self.port.startsWith('h')", "dyn is looked at late", "true"},
      {"self.port + 1", "and may not fit", "fault: no such overload: + does not take values of these types"},
      {"url('http://x')", "what is not there is named",
       "compile: 1:1: the function \"url\" is not supported by this server"},
      {"self.name.reverse()", "also of methods",
       "compile: 1:10: the function \"reverse\" is not supported by this server"},
      {"self.n.size()", "the wrong type", "compile: 1:7: no such overload: int.size()"},
      {"[1, 'a']", "lists hold one type", "compile: 1:5: a list holds one type: string is not int"},
      {"[[1], [2]].sum()", "lists have no sum", "compile: 1:11: no such overload: list(list(int)).sum()"},
  });
}

TEST(CelEvaluator, SearchesThatReadTheRestOfATextForEachMatchAreLimited) {
  const World long_text(R"({"type":"string"})", '"' + std::string(40'000, 'a') + '"');
  EXPECT_EQ(evaluated("self.findAll('a.*b|a').size()", long_text), "fault: the evaluation costs too much");
  std::string words;
  for (int i = 0; i < 2'000; ++i) words += "word ";
  EXPECT_EQ(evaluated("self.findAll('[a-z]+').size()", World(R"({"type":"string"})", '"' + words + '"')), "int 2000");
}

TEST(CelEvaluator, LongKeysCostWhatHashingThemTakes) {
  const std::string schema = R"({"type":"object","properties":{"key":{"type":"string"},
      "list":{"type":"array","items":{"type":"integer"}},"map":{"type":"object","additionalProperties":{"type":"integer"}},
      "object":{"type":"object","properties":{"LONG":{"type":"integer"}}}}})";
  const std::string long_name(30'000, 'k');
  std::string list;
  for (int i = 0; i < 10'000; ++i) list += i == 0 ? "1" : ",1";
  const auto with = [&](const std::string& text) {
    std::string out = text;
    for (size_t at; (at = out.find("LONG")) != std::string::npos;) out.replace(at, 4, long_name);
    return out;
  };
  const World world(with(schema), with(R"({"key":"LONG","map":{},"object":{},"list":[)" + list + "]}"));
  for (const char* source :
       {"self.list.exists(x, self.key in self.map)", "self.list.exists(x, self.map[self.key] == 1)",
        "self.list.exists(x, self.map[?self.key].hasValue())", "self.list.exists(x, has(self.object.LONG))"}) {
    EXPECT_EQ(evaluated(with(source), world), "fault: the evaluation costs too much") << source;
  }
}

TEST(CelEvaluator, PatternsThatCountCostMoreForEachCharacter) {
  const World world(R"({"type":"string"})", '"' + ::chandler::testing::coin_tosses(20'000) + '"');
  for (const char* source : {"self.matches('{}')", "self.find('{}') == ''", "self.findAll('{}').size() == 0",
                             "self.matches(self.substring(0, 0) + '{}')"}) {
    const auto rule = fmt::format(fmt::runtime(source), ::chandler::testing::kSlowPattern);
    EXPECT_EQ(evaluated(rule, world), "fault: the evaluation costs too much") << source;
  }
  EXPECT_EQ(evaluated("self.matches('^[ab]{1,253}')", world), "true");
}

}  // namespace
}  // namespace chandler::cel
