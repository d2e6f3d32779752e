#include "json/json_path.h"

#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/json_path_program.h"
#include "json/reader.h"
#include "json/writer.h"
#include "support/growth.h"

namespace chandler::json {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Value& document() {
  static const Value value = parse(R"({
    "metadata": {"name": "x", "annotations": {"kubernetes.io/a": "b", "it's": "q"}},
    "spec": {"replicas": 3, "free": {"a.b": 1}, "ports": [{"name": "web", "port": 80}, {"name": "dns", "port": 53}, {"port": 9}]},
    "status": {"conditions": [{"type": "Ready", "status": "True"}, {"type": "Failed", "status": "False"}]},
    "items": [0, 1, 2, 3, 4]})")
                                 .value();
  return value;
}

std::string found(std::string_view path) {
  const auto compiled = JsonPath::parse(path);
  if (!compiled.ok()) return compiled.error().message;
  std::string out;
  for (const Value* value : compiled->find(document())) out += (out.empty() ? "" : " ") + write(*value);
  return out;
}

TEST(JsonPath, FindsValues) {
  struct Row {
    std::string_view reason, path, want;
  };
  for (const Row& row : {
           Row{"dots", ".metadata.name", R"("x")"},
           Row{"no leading dot", "metadata.name", R"("x")"},
           Row{"braces", "{.metadata.name}", R"("x")"},
           Row{"braces and blanks", "{ .metadata.name }", R"("x")"},
           Row{"dollar", "$.metadata.name", R"("x")"},
           Row{"dollar in braces", "{$.metadata.name}", R"("x")"},
           Row{"escaped dot", R"(.metadata.annotations.kubernetes\.io/a)", R"("b")"},
           Row{"quoted member", ".metadata.annotations['kubernetes.io/a']", R"("b")"},
           Row{"double quotes", R"(.metadata["name"])", R"("x")"},
           Row{"escaped quote", R"(.metadata.annotations['it\'s'])", R"("q")"},
           Row{"dot before brackets", ".spec.free.['a.b']", "1"},
           Row{"missing", ".spec.none.deeper", ""},
           Row{"member of a scalar", ".metadata.name.x", ""},
           Row{"index", ".items[1]", "1"},
           Row{"last", ".items[-1]", "4"},
           Row{"before last", ".items[-2]", "3"},
           Row{"out of range", ".items[5]", ""},
           Row{"before the first", ".items[-6]", ""},
           Row{"slice", ".items[1:3]", "1 2"},
           Row{"open slice", ".items[3:]", "3 4"},
           Row{"open begin", ".items[:2]", "0 1"},
           Row{"negative slice", ".items[-2:]", "3 4"},
           Row{"to the last but one", ".items[:-3]", "0 1"},
           Row{"stride", ".items[0:5:2]", "0 2 4"},
           Row{"slice beyond", ".items[-9:99]", "0 1 2 3 4"},
           Row{"union", ".items[0,3,-1]", "0 3 4"},
           Row{"union of names", ".spec.ports[0]['port','name']", R"(80 "web")"},
           Row{"all elements", ".spec.ports[*].port", "80 53 9"},
           Row{"all members", ".spec.ports[0].*", R"("web" 80)"},
           Row{"elements without it are left out", ".spec.ports[*].name", R"("web" "dns")"},
           Row{"descend", "..port", "80 53 9"},
           Row{"descend from a place", ".status..type", R"("Ready" "Failed")"},
           Row{"filter", R"(.status.conditions[?(@.type=="Ready")].status)", R"("True")"},
           Row{"filter with blanks", R"(.status.conditions[?( @.type == 'Failed' )].status)", R"("False")"},
           Row{"not equal", R"(.status.conditions[?(@.type!="Ready")].type)", R"("Failed")"},
           Row{"less", ".spec.ports[?(@.port<60)].port", "53 9"},
           Row{"at least", ".spec.ports[?(@.port>=53)].port", "80 53"},
           Row{"fraction", ".items[?(@>2.5)]", "3 4"},
           Row{"exists", ".spec.ports[?(@.name)].port", "80 53"},
           Row{"two paths", ".items[?(@==$.spec.replicas)]", "3"},
           Row{"other types never compare", ".spec.ports[?(@.name<60)].port", ""},
           Row{"the place itself", ".items[2].", "2"},
       }) {
    EXPECT_EQ(found(row.path), row.want) << row.path << ": " << row.reason;
  }
  EXPECT_EQ(found("."), write(document()));
  EXPECT_EQ(found("$"), write(document()));
}

TEST(JsonPath, RefusesWhatIsNoPath) {
  for (const std::string_view path :
       {".a[", ".a]", ".a[]", ".a[x]", ".a[1", ".a['x]", ".a b", ".a[::0]", ".a[::-1]", "a..", ".a\\", ".a[?(@.b==)]",
        ".a[?(@.b]", ".a[?(b)]", ".a[?(@.b=='x'", ".a{", ".a[?(@.b = 1)]", ".a,b", ".[1.5]"}) {
    const auto result = JsonPath::parse(path);
    ASSERT_FALSE(result.ok()) << path;
    EXPECT_EQ(result.error().reason, Reason::kBadRequest);
    EXPECT_THAT(result.error().message, HasSubstr("JSONPath")) << path;
  }
  EXPECT_FALSE(JsonPath::parse(std::string(5000, 'a')).ok()) << "its length is bounded";
  std::string nested = "@";
  for (int i = 0; i < 20; ++i) nested = "@.a[?(" + nested + ")]";
  EXPECT_FALSE(JsonPath::parse(nested).ok()) << "the nesting of filters is bounded";
}

TEST(JsonPath, SimplePathsShowTheirNames) {
  EXPECT_TRUE(JsonPath::parse(".spec.free")->is_simple());
  EXPECT_THAT(JsonPath::parse(".spec['a.b']")->names(), ElementsAre("spec", "a.b"));
  EXPECT_FALSE(JsonPath::parse(".spec[0]")->is_simple());
  EXPECT_FALSE(JsonPath::parse("..spec")->is_simple());
  EXPECT_FALSE(JsonPath::parse(".")->is_simple());
  EXPECT_THAT(JsonPath::parse(".a[*]")->names(), IsEmpty());
}

TEST(JsonPath, BoundsTheWork) {
  std::string nested, path;
  for (int i = 0; i < 60; ++i) {
    nested = "[" + nested + "]";
    path += "[0,0]";  // twice as many places with each step
  }
  EXPECT_TRUE(JsonPath::parse(path)->find(parse(nested).value()).empty());
}

// "['a','a','a']" for 3.
std::string repeated_choice(std::string_view choice, size_t count) {
  std::string out;
  for (size_t i = 0; i < count; ++i) out.append(i == 0 ? "[" : ",").append(choice);
  return out + "]";
}

TEST(JsonPath, WhatLeadsNowhereUsesVisits) {
  const Value list = Object{{"a", Array(1000)}, {"o", Object{}}};
  for (const auto& choice : {"'none'", "7", "3:1"}) {
    for (const auto& place : {".a[*]", ".a", ".o"}) {
      const auto path = JsonPath::parse(place + repeated_choice(choice, 100));
      const size_t places = std::string_view(place) == ".a[*]" ? 1000 : 1;
      size_t visits_left = kMaxPathVisits;
      path->find(list, visits_left);
      EXPECT_LE(visits_left, kMaxPathVisits - 100 * places) << choice << " of " << place;
    }
  }
}

TEST(JsonPath, EndsWhenNoVisitsAreLeft) {
  const Value document = Object{{"a", Object{{"b", Array(1000)}}}};
  EXPECT_TRUE(testing::is_linear(400, [&](size_t size) -> testing::Growth::Work {
    // Leads to the list size * size times.
    auto path = std::make_shared<JsonPath>(
        JsonPath::parse("." + repeated_choice("'a'", size) + repeated_choice("'b'", size) + "[*]").value());
    return [&document, path] { EXPECT_LE(path->find(document).size(), kMaxPathVisits); };
  }));
}

std::string rendered(std::string_view text) {
  const auto compiled = JsonPathTemplate::parse(text);
  return compiled.ok() ? compiled->render(document()) : compiled.error().message;
}

TEST(JsonPathTemplate, Renders) {
  struct Row {
    std::string_view reason, text, want;
  };
  for (const Row& row : {
           Row{"text", "just text", "just text"},
           Row{"path", "{.metadata.name}", "x"},
           Row{"text around", "name={.metadata.name};", "name=x;"},
           Row{"several values", "{.items[*]}", "0 1 2 3 4"},
           Row{"missing", "[{.none}]", "[]"},
           Row{"objects are JSON", "{.spec.ports[2]}", R"({"port":9})"},
           Row{"quoted text", R"({.metadata.name}{"\n\t{}"})", "x\n\t{}"},
           Row{"range", R"({range .spec.ports[*]}{.port}{"\n"}{end}.)", "80\n53\n9\n."},
           Row{"nested range", "{range .spec.ports[0:2]}{range .name}<{@}>{end}{end}", "<web><dns>"},
           Row{"root inside a range", "{range .items[0:2]}{$.metadata.name}{.}{end}", "x0x1"},
           Row{"brace in quotes", R"({.items[?(@=="}")]}!)", "!"},
       }) {
    EXPECT_EQ(rendered(row.text), row.want) << row.text << ": " << row.reason;
  }
}

// As a command line prints it: nothing may be missing without a word.
TEST(JsonPathTemplate, RendersLongLists) {
  constexpr size_t kItems = 400'000;
  const Value list = Object{{"items", Array(kItems, Value("x"))}};
  const auto compiled = JsonPathTemplate::parse(R"({range .items[*]}{@}{"\n"}{end})");
  ASSERT_TRUE(compiled.ok());
  EXPECT_EQ(compiled->render(list).size(), 2 * kItems);
}

TEST(JsonPathTemplate, RefusesBrokenTemplates) {
  for (const std::string_view text : {"{.a", "{end}", "{range .a}", "{range .a}{end}{end}", "{.a[}", "{\"a}"}) {
    const auto result = JsonPathTemplate::parse(text);
    ASSERT_FALSE(result.ok()) << text;
    EXPECT_EQ(result.error().reason, Reason::kBadRequest) << text;
  }
}

}  // namespace
}  // namespace chandler::json
