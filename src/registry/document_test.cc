#include "registry/document.h"

#include <random>

#include "registry/registry_fixture.h"

namespace chandler::registry {
namespace {

using testing::canonical;
using testing::yaml;

DocumentPtr read(std::string_view stored, Revision revision = 7, const std::vector<SelectableField>& fields = {}) {
  auto made = Document::from_stored(stored, revision, fields);
  if (!made.ok()) ADD_FAILURE() << made.error().message << "\n" << stored;
  return made.ok() ? std::move(made).value() : nullptr;
}

std::string untyped(const Document& document) {
  std::string out;
  document.append_untyped(out);
  return out;
}

TEST(Document, CarriesTheRevisionInItsMetadataAndNowhereElse) {
  struct Row {
    std::string name;
    std::string reason;
    std::string object;
  };
  const std::vector<Row> rows = {
      {"plain", "the ordinary case", "{apiVersion: v1, kind: A, metadata: {name: a, uid: u-1}}"},
      {"members behind", "metadata is not the last member",
       "{apiVersion: v1, kind: A, metadata: {name: a, uid: u-1}, spec: {uid: u-1}, zeta: [1, {uid: u-1}]}"},
      {"own uid as owner", "the same uid member stands in ownerReferences too",
       "{kind: A, metadata: {name: a, ownerReferences: [{name: a, uid: u-1}], uid: u-1}}"},
      {"text like JSON", "an annotation holds an object of the same shape, as kubectl apply leaves it",
       R"({kind: A, metadata: {annotations: {last: '{"metadata":{"name":"a","uid":"u-1"}}'}, name: a, uid: u-1}})"},
      {"text with braces", "quotes, braces and backslashes in text end no member",
       R"({data: {a: 'x"}],{\"', b: '\'}, kind: A, metadata: {annotations: {c: '"},"uid":"u-1"}'}, name: a, uid: u-1}})"},
      {"key like a member", "a nested member called metadata is not the object's",
       "{data: {metadata: {uid: u-1}}, kind: A, metadata: {name: a, uid: u-1}, spec: {metadata: {uid: u-1}}}"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name + ": " + row.reason);
    auto want = yaml(row.object);
    const auto document = read(json::write(want), 4711);
    want.at("metadata").as_object()["resourceVersion"] = "4711";
    EXPECT_EQ(document->bytes(), json::write(want));
    EXPECT_EQ(document->revision(), 4711);
  }
}

TEST(Document, KnowsWhereItsManagedFieldsAre) {
  const struct {
    const char* reason;
    std::string managed;
    std::string object;
  } rows[] = {
      {"there are none", "", "{kind: A, metadata: {name: a, uid: u-1}, spec: {managedFields: [1]}}"},
      {"the first member of metadata", R"([{"manager":"m"}])",
       "{kind: A, metadata: {managedFields: [{manager: m}], name: a, uid: u-1}}"},
      {"behind text that looks alike, and with the name in it", R"([{"fieldsV1":{"f:a":{}},"manager":"a"}])",
       R"({kind: A, metadata: {annotations: {x: '"managedFields":[2],'}, labels: {l: m},
           managedFields: [{manager: a, fieldsV1: {'f:a': {}}}], name: a, uid: u-1}, status: {managedFields: 3}})"},
  };
  for (const auto& row : rows) {
    auto want = yaml(row.object);
    const auto document = read(json::write(want), 12);
    EXPECT_EQ(document->managed_fields(), row.managed) << row.reason;
    EXPECT_EQ(document->name(), "a");
    EXPECT_EQ(document->uid(), "u-1");
    want.at("metadata").as_object().erase("managedFields");
    want.at("metadata").as_object()["resourceVersion"] = "12";
    EXPECT_EQ(json::write(document->parse_unmanaged()), json::write(want)) << row.reason;
  }
}

TEST(Document, GivesBackTheStoredBytes) {
  const auto stored = canonical("{apiVersion: v1, data: {uid: x}, kind: A, metadata: {name: a, uid: u-1}, spec: {}}");
  const auto document = read(stored, 9'000'000'000);
  EXPECT_EQ(document->stored(), stored);
  EXPECT_TRUE(document->stored_equals(stored));
  EXPECT_FALSE(document->stored_equals(document->bytes()));
  for (size_t i = 0; i < stored.size(); ++i) {
    auto other = stored;
    other[i] = other[i] == 'x' ? 'y' : 'x';
    EXPECT_FALSE(document->stored_equals(other)) << "at " << i;
    EXPECT_FALSE(document->stored_equals(std::string_view(stored).substr(0, i)));
  }
  EXPECT_EQ(document->at_revision(12, {})->stored(), stored);
  EXPECT_EQ(document->at_revision(12, {})->revision(), 12);
  EXPECT_EQ(json::write(document->parse()), document->bytes());
}

TEST(Document, UntypedIsTheObjectWithoutApiVersionAndKindWhateverOtherMembersItHas) {
  std::mt19937 random(20'240'601);
  const std::vector<std::string> keys = {"aaa", "binaryData", "data", "items", "kinds", "l", "parameters", "spec", "z"};
  for (int round = 0; round < 300; ++round) {
    json::Object object{{"metadata", json::Object{{"name", "a"}, {"uid", "u-1"}}}};
    if (random() % 8 != 0) object["apiVersion"] = "example.com/v1";
    if (random() % 8 != 0) object["kind"] = "Widget";
    for (const auto& key : keys) {
      if (random() % 3 == 0) object[key] = json::Object{{"kind", "x,\"}"}, {"n", random() % 100}};
    }
    const auto document = read(json::write(object));
    auto want = document->parse();
    want.as_object().erase("apiVersion");
    want.as_object().erase("kind");
    ASSERT_EQ(untyped(*document), json::write(want));
    ASSERT_EQ(untyped(*document).size(), document->untyped_size());
  }
}

TEST(Document, KnowsWhatWasReadOffIt) {
  const auto document = read(canonical(R"(
apiVersion: v1
kind: A
metadata:
  name: shop
  namespace: market
  uid: 8a1b
  deletionTimestamp: "2024-01-01T00:00:00Z"
  finalizers: [example.com/wait]
  labels: {app: shop, "example.com/tier": "", size: "1"}
  ownerReferences: [{uid: o-1, name: x}, {name: "without uid"}, {uid: o-2, name: y}]
)"));
  EXPECT_EQ(document->name(), "shop");
  EXPECT_EQ(document->ns(), "market");
  EXPECT_EQ(document->uid(), "8a1b");
  EXPECT_TRUE(document->deleting());
  EXPECT_TRUE(document->has_finalizers());
  ASSERT_EQ(document->label_count(), 3u);
  EXPECT_EQ(document->label("app"), "shop");
  EXPECT_EQ(document->label("example.com/tier"), "");
  EXPECT_EQ(document->label("size"), "1");
  EXPECT_EQ(document->label("missing"), std::nullopt);
  ASSERT_EQ(document->owner_count(), 2u);
  EXPECT_EQ(document->owner(0), "o-1");
  EXPECT_EQ(document->owner(1), "o-2");

  const auto bare = read(canonical("{kind: A, metadata: {name: a, uid: u, finalizers: []}}"));
  EXPECT_EQ(bare->ns(), "");
  EXPECT_FALSE(bare->deleting());
  EXPECT_FALSE(bare->has_finalizers());
  EXPECT_EQ(bare->label_count() + bare->owner_count() + bare->field_count(), 0u);
}

TEST(Document, FieldsHaveTheValuesOfTheObjectAlsoWhereTheBytesSpellThemOtherwise) {
  const std::vector<SelectableField> fields = {
      {"spec.text", {"spec", "text"}, ""},       {"spec.quoted", {"spec", "quoted"}, ""},
      {"spec.line", {"spec", "line"}, ""},       {"spec.number", {"spec", "number"}, ""},
      {"spec.on", {"spec", "on"}, ""},           {"spec.absent", {"spec", "absent"}, ""},
      {"spec.unset", {"spec", "unset"}, "None"}, {"spec.empty", {"spec", "empty"}, "Fallback"},
      {"spec.object", {"spec", "object"}, ""},   {"spec.text.deeper", {"spec", "text", "deeper"}, ""}};
  const auto document = read(canonical(R"(
kind: A
metadata: {name: a, uid: u-1}
spec: {text: plain, quoted: 'say "hi" \ there', line: "a\nb\tc", number: -42, 'on': true, empty: "", object: {a: b}}
)"),
                             7, fields);
  ASSERT_EQ(document->field_count(), fields.size());
  const std::vector<std::string> want = {
      "plain", "say \"hi\" \\ there", "a\nb\tc", "-42", "true", "", "None", "Fallback", "", ""};
  for (size_t i = 0; i < fields.size(); ++i) EXPECT_EQ(document->field(i), want[i]) << fields[i].label;
  EXPECT_EQ(document->field(fields.size()), "") << "a field that the collection does not have";
  // What is kept behind the bytes is no part of them.
  EXPECT_TRUE(json::parse(document->bytes()).ok());
}

TEST(Document, AFieldThatFoldsHasLowerCase) {
  const std::vector<SelectableField> fields = {
      {"spec.id", {"spec", "id"}, "", false},          {"spec.id.folded", {"spec", "id"}, "", true},
      {"spec.low.folded", {"spec", "low"}, "", true},  {"spec.wide.folded", {"spec", "wide"}, "", true},
      {"spec.on.folded", {"spec", "on"}, "", true},    {"spec.absent.folded", {"spec", "absent"}, "None", true},
      {"spec.gone.folded", {"spec", "gone"}, "", true}};
  const auto document =
      read(canonical("{kind: A, metadata: {name: a, uid: u-1}, spec: {id: A-zZ_9, low: abc, wide: ÄB, 'on': true}}"), 7,
           fields);
  ASSERT_EQ(document->field_count(), fields.size());
  const std::vector<std::string> want = {"A-zZ_9", "a-zz_9", "abc", "Äb", "true", "none", ""};
  for (size_t i = 0; i < fields.size(); ++i) EXPECT_EQ(document->field(i), want[i]) << fields[i].label;
  const auto plain = read(document->stored(), 7, std::vector<SelectableField>{fields[0]});
  EXPECT_EQ(plain->bytes(), document->bytes()) << "the object itself stays as it was written";
}

TEST(Document, WhatOurWriterDidNotWriteIsRefused) {
  // A revision would be put in the wrong place.
  for (const std::string_view stored :
       {R"({"metadata":{"uid":"u-1","name":"a"}})", R"({"metadata":{"name":"a","uid":"u-1" }})",
        R"({"metadata":{"name":"a","uid":"u-1"},"kind":"A"})"}) {
    EXPECT_FALSE(Document::from_stored(stored, 1, {}).ok()) << stored;
  }
}

TEST(Document, WhatIsNoObjectIsRefused) {
  for (const std::string_view stored :
       {"", "[]", "{}", R"({"metadata":{"name":"a"}})", R"({"metadata":"x"})", "{\"metadata\":"}) {
    EXPECT_FALSE(Document::from_stored(stored, 1, {}).ok()) << stored;
  }
}

TEST(Document, ADraftBecomesWhatWouldHaveBeenRead) {
  const std::vector<SelectableField> fields = {{"spec.size", {"spec", "size"}, ""}};
  // Values that look like the revision: they must not be views of it.
  const auto value = yaml(
      "{apiVersion: v1, kind: A, metadata: {labels: {first: '4711', other: '1000', third: resourceVersion}, name: a, "
      "uid: u-1}, "
      "spec: {size: 47}}");
  const auto stored = json::write(value);
  auto draft = Document::draft(stored, value, 1000, fields);
  ASSERT_TRUE(draft.ok()) << draft.error().message;
  EXPECT_EQ((*draft)->stored(), stored);
  ASSERT_TRUE((*draft)->finish(4711));
  const auto want = read(stored, 4711, fields);
  EXPECT_EQ((*draft)->bytes(), want->bytes());
  EXPECT_EQ((*draft)->revision(), 4711);
  EXPECT_EQ((*draft)->label("first"), "4711");
  EXPECT_EQ((*draft)->label("other"), "1000");
  EXPECT_EQ((*draft)->label("third"), "resourceVersion");
  EXPECT_EQ((*draft)->field(0), "47");
  EXPECT_EQ((*draft)->uid(), "u-1");
}

TEST(Document, ADraftRefusesARevisionOfAnotherLength) {
  const auto value = yaml("{kind: A, metadata: {name: a, uid: u-1}}");
  auto draft = Document::draft(json::write(value), value, 9, {});
  ASSERT_TRUE(draft.ok());
  EXPECT_FALSE((*draft)->finish(10));
  EXPECT_EQ((*draft)->stored(), json::write(value)) << "the document can still be made from it";
  EXPECT_TRUE((*draft)->finish(8));
}

}  // namespace
}  // namespace chandler::registry
