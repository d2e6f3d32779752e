#include "meta/protobuf/table.h"

#include <gtest/gtest.h>

#include "base/embedded.h"
#include "json/yaml.h"
#include "meta/protobuf/decoder.h"

namespace chandler::meta {
namespace {

TEST(ProtobufTable, ReadsKindsMessagesAndContinuedLines) {
  const auto table = ProtobufTable::parse(
      "# a comment\n"
      "a/v1/Kind x.Kind\n"
      "*/Options x.Empty\n"
      "\n"
      "x.Kind: name=1 string, data=2 map<string,bytes>,\n"
      "    list=3 []x.Empty, size=4 int32?, part=5 inline x.Choice\n"
      "x.Choice: oneof b=2 bool?, a=1 json\n"
      "x.Empty:\n");
  ASSERT_TRUE(table.ok()) << table.error().message;

  const auto* kind = table->find("a/v1", "Kind");
  ASSERT_NE(kind, nullptr);
  ASSERT_EQ(kind->fields.size(), 5u);
  EXPECT_EQ(kind->find(2)->name, "data");
  EXPECT_EQ(kind->find(2)->type, ProtobufType::kBytes);
  EXPECT_EQ(kind->find(2)->shape, ProtobufShape::kMap);
  EXPECT_EQ(kind->find(3)->shape, ProtobufShape::kList);
  EXPECT_EQ(table->message(kind->find(3)->message).name, "x.Empty");
  EXPECT_TRUE(kind->find(4)->keeps_zero);
  EXPECT_FALSE(kind->find(1)->keeps_zero);
  EXPECT_EQ(kind->find(5)->shape, ProtobufShape::kInline);
  EXPECT_EQ(kind->find(6), nullptr);

  const auto& choice = table->message(kind->find(5)->message);
  EXPECT_TRUE(choice.oneof);
  EXPECT_EQ(choice.fields[0].name, "b");

  EXPECT_NE(table->find("any/v7", "Options"), nullptr);
  EXPECT_EQ(table->find("a/v2", "Kind"), nullptr);
}

TEST(ProtobufTable, SaysWhichLineIsWrong) {
  const struct {
    const char* name;
    const char* reason;
    const char* input;
    const char* want;
  } rows[] = {
      {"lone word", "every line says something about the word", "a.B\n", "neither a kind nor a message"},
      {"no message to continue", "indented lines go on", "  a=1 string\n", "continues no message"},
      {"message twice", "which of them counts?", "a.B: a=1 string\na.B: a=1 string\n", "a.B: is there twice"},
      {"kind twice", "which of them counts?", "v1/K a.B\nv1/K a.B\na.B:\n", "v1/K: is there twice"},
      {"kind without message", "it could not be decoded", "v1/K a.C\na.B:\n", "a.C: no such message"},
      {"unknown type", "it could not be decoded", "a.B: a=1 text\n", "text: no such message"},
      {"number twice", "numbers tell fields apart", "a.B: a=1 string, b=1 string\n", "b=1 string repeats a number"},
      {"no number", "fields are found by number", "a.B: a string\n", "is not name=number type"},
      {"no name", "JSON needs a name", "a.B: =1 string\n", "is not name=number type"},
      {"number zero", "numbers start at one", "a.B: a=0 string\n", "has no field number"},
      {"inline scalar", "only a message has fields", "a.B: a=1 inline string\n", "is no message"},
      {"stray comma", "a field was forgotten", "a.B: a=1 string,\n", "is not name=number type"},
  };
  for (const auto& row : rows) {
    const auto got = ProtobufTable::parse(row.input);
    ASSERT_FALSE(got.ok()) << row.name << ": " << row.reason;
    EXPECT_NE(got.error().message.find(row.want), std::string::npos) << row.name << ": " << got.error().message;
  }
}

TEST(ProtobufTable, KnowsEveryKubernetesKindThatWeServe) {
  size_t seen = 0;
  for (const auto& file : api_files()) {
    if (file.path.ends_with(".txt")) continue;
    const auto documents = json::parse_yaml_stream(file.content);
    ASSERT_TRUE(documents.ok()) << file.path << ": " << documents.error().message;
    if (documents->size() != 2 || !json::bool_at(documents->at(1), "builtin").value_or(false)) continue;
    const auto* spec = json::find(documents->at(0), "spec");
    ASSERT_NE(spec, nullptr) << file.path;
    const auto group = json::string_or(*spec, "group");
    const auto kind = json::string_or(*json::find(*spec, "names"), "kind");
    for (const auto& version : *json::array_at(*spec, "versions")) {
      const auto name = json::string_or(version, "name");
      EXPECT_NE(builtin_protobuf_table().find(group.empty() ? name : group + "/" + name, kind), nullptr) << file.path;
      ++seen;
    }
  }
  EXPECT_GT(seen, 20u);
}

}  // namespace
}  // namespace chandler::meta
