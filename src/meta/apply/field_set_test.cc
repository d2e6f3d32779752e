#include "meta/apply/field_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "meta/schema_fixture.h"

namespace chandler::meta {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

FieldSet fields(std::string_view text) {
  auto read = FieldSet::parse(doc(text));
  EXPECT_TRUE(read.ok()) << text;
  return read.ok() ? std::move(read).value() : FieldSet();
}

// Small, so that sets of different calls meet.
FieldSet random_fields(std::mt19937& random, int depth) {
  constexpr std::string_view kElements[] = {"f:a", "f:b", R"(k:{"n":1})", R"(v:"x")", "i:0"};
  std::vector<FieldSet::Node> nodes;
  for (const auto element : kElements) {
    if (random() % 2 == 0) continue;
    FieldSet::Node node{std::string(element), random() % 2 == 0, {}};
    if (depth > 0) node.children = random_fields(random, depth - 1);
    if (node.children.empty()) node.member = true;
    nodes.push_back(std::move(node));
  }
  return FieldSet::of(std::move(nodes));
}

FieldSet united(FieldSet a, const FieldSet& b) {
  a.unite(b);
  return a;
}

FieldSet without(FieldSet a, const FieldSet& b) {
  a.subtract(b);
  return a;
}

TEST(FieldSet, IsWrittenAsItWasRead) {
  const std::string_view rows[] = {
      "{}",
      R"({"f:data":{".":{},"f:a":{}},"f:metadata":{"f:labels":{"f:x/y":{}}}})",
      R"({"f:spec":{"f:ports":{"k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{},"f:name":{}}}}})",
      R"({"f:spec":{"f:set":{"v:\"a\"":{},"v:1":{}},"f:list":{"i:0":{}}}})",
  };
  for (const auto row : rows) EXPECT_EQ(json::write(fields(row).to_json()), json::write(doc(row))) << row;
}

TEST(FieldSet, TextAndDocumentSayTheSame) {
  std::mt19937 random(5);
  for (int i = 0; i < 500; ++i) {
    const auto set = random_fields(random, 3);
    std::string text;
    set.write_to(text);
    EXPECT_EQ(text, json::write(set.to_json()));
    const auto read = FieldSet::parse_text(text);
    ASSERT_TRUE(read.ok()) << text;
    EXPECT_EQ(*read, set) << text;
  }
  for (const std::string_view odd : {"[]", "1", "", R"({"x":{}})", R"({"f:a":1})", R"({"f:a":{"b":{}}})"}) {
    EXPECT_FALSE(FieldSet::parse_text(odd).ok()) << odd;
  }
}

TEST(FieldSet, TheSamePlaceReadsTheSame) {
  EXPECT_EQ(fields(R"({"k:{\"b\":1, \"a\":2}":{}})"), fields(R"({"k:{\"a\":2,\"b\":1}":{}})"));
  EXPECT_EQ(fields(R"({"v:1.0":{},"i:00":{}})"), fields(R"({"v:1":{},"i:0":{}})"));
  // Two spellings in one document are one place.
  EXPECT_EQ(fields(R"({"k:{\"b\":1, \"a\":2}":{"f:x":{}},"k:{\"a\":2,\"b\":1}":{"f:y":{}}})"),
            fields(R"({"k:{\"a\":2,\"b\":1}":{"f:x":{},"f:y":{}}})"));
}

TEST(FieldSet, RefusesWhatIsNoFieldsV1) {
  for (const std::string_view row :
       {"[]", R"("x")", R"({"data":{}})", R"({"x:a":{}})", R"({"f":{}})", R"({"k:[1]":{}})", R"({"k:{":{}})",
        R"({"v:":{}})", R"({"i:a":{}})", R"({"f:a":1})", R"({"f:a":{"f:b":null}})"}) {
    const auto read = FieldSet::parse(doc(row));
    ASSERT_FALSE(read.ok()) << row;
    EXPECT_EQ(read.error().reason, Reason::kBadRequest) << row;
    EXPECT_THAT(read.error().message, HasSubstr("FieldsV1")) << row;
  }
}

TEST(FieldSet, PathsReadAsPeopleWriteThem) {
  EXPECT_THAT(fields(R"({"f:spec":{".":{},"f:list":{"k:{\"k\":\"b\",\"p\":8}":{"f:v":{}}},
                         "f:set":{"v:\"x\"":{}},"f:old":{"i:3":{}}}})")
                  .paths(),
              ElementsAre(".spec", R"(.spec.list[k="b",p=8].v)", ".spec.old[3]", R"(.spec.set[="x"])"));
}

TEST(FieldSet, KeepsTheLawsOfSets) {
  std::mt19937 random(7);
  for (int i = 0; i < 500; ++i) {
    const auto a = random_fields(random, 2), b = random_fields(random, 2), c = random_fields(random, 2);
    EXPECT_EQ(united(a, b), united(b, a));
    EXPECT_EQ(united(united(a, b), c), united(a, united(b, c)));
    EXPECT_EQ(united(a, a), a);
    EXPECT_EQ(a.intersection(b), b.intersection(a));
    EXPECT_EQ(a.intersection(a), a);
    EXPECT_EQ(a.intersects(b), !a.intersection(b).empty());
    EXPECT_TRUE(without(a, a).empty());
    EXPECT_FALSE(without(a, b).intersects(b));
    EXPECT_EQ(united(without(a, b), a.intersection(b)), a);
    EXPECT_EQ(without(a, united(b, c)), without(without(a, b), c));
    EXPECT_EQ(a.intersection(united(b, c)), united(a.intersection(b), a.intersection(c)));
    EXPECT_EQ(fields(json::write(a.to_json())), a);
  }
}

TEST(FieldSet, ManyElementsInAnyOrderAreNoTrouble) {
  json::Object document;
  for (int i = 100'000; i > 0; --i) document[fmt::format("f:{:06}", i)] = json::Object();
  auto set = FieldSet::parse(document);
  ASSERT_TRUE(set.ok());
  EXPECT_EQ(set->nodes().size(), 100'000U);
  auto twice = *set;
  twice.unite(*set);
  EXPECT_EQ(twice, *set);
}

}  // namespace
}  // namespace chandler::meta
