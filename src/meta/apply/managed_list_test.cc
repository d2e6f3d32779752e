#include "meta/apply/managed_list.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "json/writer.h"
#include "meta/schema_fixture.h"

namespace chandler::meta {
namespace {

constexpr std::string_view kNow = "2026-11-15T12:00:00Z";

ApplyRequest by(std::string_view manager) {
  ApplyRequest out;
  out.manager = {manager, "v1", "", kNow};
  return out;
}

std::string entry(std::string_view manager, std::string_view fields, std::string_view more = "",
                  std::string_view operation = "Update") {
  return fmt::format(
      R"({{"apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{},"manager":"{}","operation":"{}"{},"time":"2020-01-01T00:00:00Z"}})",
      fields, manager, operation, more);
}

std::string renewed(std::string text) {
  const std::string_view old = "2020-01-01T00:00:00Z";
  return text.replace(text.find(old), old.size(), kNow);
}

TEST(ManagedList, TellsWhoOwnsWhatAfterAWrite) {
  const std::string status = R"(,"subresource":"status")";
  const struct {
    const char* reason;
    std::string before;
    const char* old;
    const char* now;
    std::string after;
  } rows[] = {
      {"what changed goes from its owner to the writer", entry("a", R"({"f:data":{".":{},"f:x":{},"f:y":{}}})"),
       R"({"data":{"x":"1","y":"1"}})", R"({"data":{"x":"2","y":"1"}})",
       entry("a", R"({"f:data":{".":{},"f:y":{}}})") + "," + renewed(entry("me", R"({"f:data":{"f:x":{}}})"))},
      {"what went is nobody's, and who owns nothing goes too",
       entry("a", R"({"f:data":{"f:x":{}}})") + "," + entry("b", R"({"f:data":{"f:y":{}}})"),
       R"({"data":{"x":"1","y":"1"}})", R"({"data":{"y":"1"}})", entry("b", R"({"f:data":{"f:y":{}}})")},
      {"who wrote before keeps one entry, with a new time",
       entry("b", R"({"f:other":{}})") + "," + entry("me", R"({"f:data":{"f:x":{}}})"), R"({"data":{"x":"1"}})",
       R"({"data":{"x":"1","z":"1"}})",
       entry("b", R"({"f:other":{}})") + "," + renewed(entry("me", R"({"f:data":{"f:x":{},"f:z":{}}})"))},
      {"an entry of another endpoint, version or operation is another's",
       entry("me", R"({"f:a":{}})", "", "Apply") + "," + entry("me", R"({"f:b":{}})", status), R"({"c":1})",
       R"({"c":2})",
       entry("me", R"({"f:a":{}})", "", "Apply") + "," + entry("me", R"({"f:b":{}})", status) + "," +
           renewed(entry("me", R"({"f:c":{}})"))},
      {"what nobody can make sense of goes when it is touched, and stays when it is not",
       R"({"fieldsType":"FieldsV2","fieldsV1":{"f:c":{}},"manager":"odd","operation":"Update"},)"
       R"({"fieldsType":"FieldsV2","fieldsV1":{"f:d":{}},"manager":"odder","operation":"Update"})",
       R"({"c":1})", R"({"c":2})",
       R"({"fieldsType":"FieldsV2","fieldsV1":{"f:d":{}},"manager":"odder","operation":"Update"},)" +
           renewed(entry("me", R"({"f:c":{}})"))},
      {"a name with quotes is the same name", entry(R"(\"a\"\\)", R"({"f:c":{},"f:d":{}})"), R"({"c":1})", R"({"c":2})",
       entry(R"(\"a\"\\)", R"({"f:d":{}})") + "," + renewed(entry("me", R"({"f:c":{}})"))},
      {"items of lists have quotes in their elements", entry("a", R"({"f:l":{"k:{\"n\":\"x\"}":{".":{},"f:v":{}}}})"),
       R"({"c":1})", R"({"c":2})",
       entry("a", R"({"f:l":{"k:{\"n\":\"x\"}":{".":{},"f:v":{}}}})") + "," + renewed(entry("me", R"({"f:c":{}})"))},
  };
  for (const auto& row : rows) {
    const auto before = "[" + row.before + "]";
    ManagedList list(before);
    EXPECT_TRUE(list.record_update(by("me"), doc(row.old), doc(row.now))) << row.reason;
    EXPECT_EQ(list.text(), "[" + row.after + "]") << row.reason;
  }
}

TEST(ManagedList, AWriteThatChangesNothingLeavesItAsItIs) {
  const auto before = "[" + entry("a", R"({"f:c":{}})") + "]";
  ManagedList list(before);
  EXPECT_FALSE(list.record_update(by("me"), doc(R"({"c":1})"), doc(R"({"c":1})")));
  EXPECT_EQ(list.text(), before);
}

TEST(ManagedList, WhoOwnsNothingAnyMoreDoesNotCountAmongTheWriters) {
  std::string text;
  json::Object old, now;
  for (int i = 0; i < 9; ++i) {
    text += (i == 0 ? "[" : ",") + entry(fmt::format("m{}", i), fmt::format(R"({{"f:x{}":{{}}}})", i));
    old[fmt::format("x{}", i)] = i;
  }
  text += "]";
  now = old;
  now["x0"] = "taken";
  now["status"] = json::Object{{"done", true}};
  auto request = by("me");
  request.scope.without = "status";
  ManagedList list(text);
  EXPECT_TRUE(list.record_update(request, old, now));
  request.scope = {};
  request.scope.only = "status";
  request.manager.subresource = "status";
  EXPECT_TRUE(list.record_update(request, old, now));
  const auto read = read_managed_fields(doc(list.text()));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->size(), 10);
  EXPECT_EQ(list.text().find(kAncientChanges), std::string::npos) << list.text();
  EXPECT_EQ(list.text().find("m0"), std::string::npos) << list.text();
}

TEST(ManagedList, OfManyWritersTheOldestBecomeOne) {
  std::string text = "[]";
  auto object = doc("{}");
  for (int i = 0; i < 30; ++i) {
    auto now = object;
    now.as_object()[fmt::format("x{}", i)] = i;
    ManagedList list(text);
    const auto manager = fmt::format("m{:02}", i);
    EXPECT_TRUE(list.record_update(by(manager), object, now));
    text = list.text();
    object = now;
  }
  const auto read = read_managed_fields(doc(text));
  ASSERT_TRUE(read.ok()) << text;
  EXPECT_EQ(read->size(), kMaxUpdateManagers);
  size_t owned = 0;
  for (const auto& one : *read) owned += one.fields.count();
  EXPECT_EQ(owned, 30) << text;
  EXPECT_EQ(json::write(doc(text)), text) << "canonical";
}

}  // namespace
}  // namespace chandler::meta
