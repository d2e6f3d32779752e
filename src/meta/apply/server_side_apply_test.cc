#include "meta/apply/server_side_apply.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "meta/apply/managed_list.h"
#include "meta/schema_fixture.h"

namespace chandler::meta {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kKindSchema = R"({"type":"object","properties":{
  "data":{"type":"object","additionalProperties":{"type":"string"}},
  "spec":{"type":"object","properties":{
    "replicas":{"type":"integer"},
    "atom":{"type":"array","x-kubernetes-list-type":"atomic","items":{"type":"string"}},
    "set":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}},
    "list":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["n"],
      "items":{"type":"object","required":["n"],"properties":{"n":{"type":"string"},"v":{"type":"string"},
        "w":{"type":"string"}}}},
    "struct":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}}}}}}})";

// An object that several people apply to.
class AppliedObject {
 public:
  Result<void> apply(std::string_view manager, std::string_view config, bool force = false) {
    auto given = doc(config);
    auto got = apply_config(request(manager, force), object_, given, managed_);
    if (!got.ok()) return std::move(got).error();
    object_ = std::move(got->object);
    managed_ = std::move(got->managed);
    return {};
  }

  void create(std::string_view manager, std::string_view config) {
    object_ = doc(config);
    auto managed = managed_by_applying(request(manager, false), object_);
    ASSERT_TRUE(managed.ok());
    managed_ = std::move(managed).value();
  }

  void update(std::string_view manager, std::string_view object) {
    auto now = doc(object);
    const auto before = json::write(write_managed_fields(managed_));
    ManagedList list(before);
    list.record_update(request(manager, false), object_, now);
    const auto text = list.text();
    auto read = read_managed_fields(doc(text.empty() ? "[]" : text));
    ASSERT_TRUE(read.ok());
    managed_ = std::move(read).value();
    object_ = std::move(now);
  }

  std::string text() const { return json::write(object_); }
  std::string fields(std::string_view manager) const {
    for (const auto& entry : managed_) {
      if (entry.manager == manager) return json::write(entry.fields.to_json());
    }
    return "none";
  }
  size_t managers() const { return managed_.size(); }
  const ManagedFields& managed() const { return managed_; }
  json::Value& object() { return object_; }

 private:
  ApplyRequest request(std::string_view manager, bool force) const {
    static const SchemaPtr schema = compiled(kKindSchema);
    ApplyRequest out;
    out.schema = schema.get();
    out.manager = {manager, "v1", "", "2026-11-15T12:00:00Z"};
    out.force = force;
    return out;
  }

  json::Value object_ = doc(R"({"metadata":{"name":"a"}})");
  ManagedFields managed_;
};

std::vector<std::string> conflicting(const Result<void>& result) {
  std::vector<std::string> out;
  if (result.ok()) return out;
  EXPECT_EQ(result.error().reason, Reason::kConflict);
  for (const auto& cause : result.error().causes) {
    EXPECT_EQ(cause.reason, "FieldManagerConflict");
    out.push_back(cause.field);
  }
  return out;
}

TEST(ServerSideApply, DifferentFieldsAreNoConflict) {
  AppliedObject a;
  a.create("one", R"({"metadata":{"name":"a"},"data":{"k":"v"}})");
  ASSERT_TRUE(a.apply("two", R"({"metadata":{"name":"a"},"data":{"x":"y"}})").ok());
  EXPECT_EQ(a.text(), R"({"data":{"k":"v","x":"y"},"metadata":{"name":"a"}})");
  EXPECT_EQ(a.fields("one"), R"({"f:data":{"f:k":{}}})");
  EXPECT_EQ(a.fields("two"), R"({"f:data":{"f:x":{}}})");
}

TEST(ServerSideApply, AnotherValueIsAConflictUntilForced) {
  AppliedObject a;
  a.create("one", R"({"metadata":{"name":"a"},"data":{"k":"v","l":"w"}})");
  const auto refused = a.apply("two", R"({"metadata":{"name":"a"},"data":{"k":"2","l":"3"}})");
  EXPECT_THAT(conflicting(refused), ElementsAre(".data.k", ".data.l"));
  EXPECT_THAT(refused.error().message, HasSubstr("Apply failed with 2 conflicts: conflict with \"one\""));
  EXPECT_EQ(a.text(), R"({"data":{"k":"v","l":"w"},"metadata":{"name":"a"}})");
  ASSERT_TRUE(a.apply("two", R"({"metadata":{"name":"a"},"data":{"k":"2"}})", true).ok());
  EXPECT_EQ(a.fields("one"), R"({"f:data":{"f:l":{}}})");
  EXPECT_EQ(a.fields("two"), R"({"f:data":{"f:k":{}}})");
}

TEST(ServerSideApply, AConflictOverManyDeepFieldsTellsOnlyTheFirst) {
  const std::string key(10'000, 'k');
  std::string before, after;
  for (int i = 0; i < 5; ++i) {
    before += R"({")" + key + R"(":)";
    after += R"({")" + key + R"(":)";
  }
  const auto members = [](int value) {
    std::string out;
    for (int i = 0; i < 1000; ++i)
      out += (i == 0 ? "" : ",") + ('"' + std::to_string(i)) + "\":" + std::to_string(value);
    return '{' + out + '}';
  };
  before += members(1) + "}}}}}";
  after += members(2) + "}}}}}";
  AppliedObject object;
  object.create("ann", R"({"free":)" + before + "}");
  const auto refused = object.apply("bob", R"({"free":)" + after + "}");
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("Apply failed with 1000 conflicts"));
  EXPECT_LT(refused.error().message.size(), 256'000U);
  EXPECT_LE(refused.error().causes.size(), 2U);
}

TEST(ServerSideApply, TheSameValueIsShared) {
  AppliedObject a;
  a.create("one", R"({"metadata":{"name":"a"},"data":{"k":"v"}})");
  ASSERT_TRUE(a.apply("two", R"({"metadata":{"name":"a"},"data":{"k":"v"}})").ok());
  EXPECT_EQ(a.managers(), 2U);
  ASSERT_TRUE(a.apply("one", R"({"metadata":{"name":"a"}})").ok());
  EXPECT_EQ(a.text(), R"({"data":{"k":"v"},"metadata":{"name":"a"}})");
  EXPECT_EQ(a.fields("one"), "none");
  ASSERT_TRUE(a.apply("two", R"({"metadata":{"name":"a"}})").ok());
  EXPECT_EQ(a.text(), R"({"metadata":{"name":"a"}})");
  EXPECT_EQ(a.managers(), 0U);
}

TEST(ServerSideApply, AWriteTakesWhatItChanges) {
  AppliedObject a;
  a.create("one", R"({"metadata":{"name":"a"},"data":{"k":"v","l":"1"}})");
  a.update("editor", R"({"metadata":{"name":"a"},"data":{"k":"w","l":"1"}})");
  EXPECT_EQ(a.fields("editor"), R"({"f:data":{"f:k":{}}})");
  EXPECT_EQ(a.fields("one"), R"({"f:data":{"f:l":{}}})");
  ASSERT_TRUE(a.apply("one", R"({"metadata":{"name":"a"},"data":{"l":"1"}})").ok());
  EXPECT_EQ(a.text(), R"({"data":{"k":"w","l":"1"},"metadata":{"name":"a"}})") << "it is the editor's now";
  const auto refused = a.apply("one", R"({"metadata":{"name":"a"},"data":{"k":"v","l":"1"}})");
  EXPECT_THAT(conflicting(refused), ElementsAre(".data.k"));
  EXPECT_THAT(refused.error().causes[0].message,
              HasSubstr("conflict with \"editor\" using v1 at 2026-11-15T12:00:00Z"));
}

TEST(ServerSideApply, AWriteThatRemovesLeavesNobodyWithTheField) {
  AppliedObject a;
  a.create("one", R"({"metadata":{"name":"a"},"data":{"k":"v","l":"1"}})");
  a.update("editor", R"({"metadata":{"name":"a"},"data":{"l":"1"}})");
  EXPECT_EQ(a.fields("one"), R"({"f:data":{"f:l":{}}})");
  EXPECT_EQ(a.fields("editor"), "none");
}

TEST(ServerSideApply, ItemsOfListsAreOwnedOneByOne) {
  AppliedObject a;
  a.create("one", R"({"metadata":{"name":"a"},"spec":{"list":[{"n":"a","v":"1"}]}})");
  ASSERT_TRUE(a.apply("two", R"({"metadata":{"name":"a"},"spec":{"list":[{"n":"b","v":"2"}]}})").ok());
  EXPECT_EQ(a.text(), R"({"metadata":{"name":"a"},"spec":{"list":[{"n":"a","v":"1"},{"n":"b","v":"2"}]}})");
  EXPECT_THAT(conflicting(a.apply("two", R"({"metadata":{"name":"a"},"spec":{"list":[{"n":"a","v":"9"}]}})")),
              ElementsAre(R"(.spec.list[n="a"].v)"));
  ASSERT_TRUE(a.apply("two", R"({"metadata":{"name":"a"},"spec":{}})").ok());
  EXPECT_EQ(a.text(), R"({"metadata":{"name":"a"},"spec":{"list":[{"n":"a","v":"1"}]}})");
}

TEST(ServerSideApply, AnItemGoesWithWhatWasFilledIn) {
  AppliedObject a;
  a.create("one", R"({"metadata":{"name":"a"},"spec":{"list":[{"n":"a"},{"n":"b"}]}})");
  for (auto& item : a.object().at("spec").at("list").as_array()) item.as_object()["w"] = "default";
  ASSERT_TRUE(a.apply("one", R"({"metadata":{"name":"a"},"spec":{"list":[{"n":"b"}]}})").ok());
  EXPECT_EQ(a.text(), R"({"metadata":{"name":"a"},"spec":{"list":[{"n":"b","w":"default"}]}})");
}

TEST(ServerSideApply, AnItemThatSomebodyElseHasStaysWithoutWhatIsGivenUp) {
  AppliedObject a;
  a.create("one", R"({"metadata":{"name":"a"},"spec":{"list":[{"n":"a","v":"1"}]}})");
  ASSERT_TRUE(a.apply("two", R"({"metadata":{"name":"a"},"spec":{"list":[{"n":"a","w":"2"}]}})").ok());
  ASSERT_TRUE(a.apply("one", R"({"metadata":{"name":"a"},"spec":{}})").ok());
  EXPECT_EQ(a.text(), R"({"metadata":{"name":"a"},"spec":{"list":[{"n":"a","w":"2"}]}})");
}

struct OrderRow {
  std::string_view name, reason, live, config, want;
};

TEST(ServerSideApply, ItemsTakeTheOrderOfTheConfiguration) {
  const OrderRow rows[] = {
      {"new-first", "what is new before a common item stays before it", R"(["a","b"])", R"(["c","a"])",
       R"(["c","a","b"])"},
      {"behind", "what is new goes behind", R"(["a"])", R"(["b"])", R"(["a","b"])"},
      {"turned", "common items are turned round", R"(["b","x","a"])", R"(["a","b"])", R"(["x","a","b"])"},
      {"between", "others keep their places", R"(["x","a","y","b","z"])", R"(["a","n","b"])",
       R"(["x","a","y","n","b","z"])"},
      {"empty", "nothing there", "[]", R"(["b","a"])", R"(["b","a"])"},
      {"all-turned", "three of them", R"(["a","b","c"])", R"(["c","b","a"])", R"(["c","b","a"])"},
  };
  for (const auto& row : rows) {
    AppliedObject a;
    a.create("one", fmt::format(R"({{"metadata":{{}},"spec":{{"set":{}}}}})", row.live));
    ASSERT_TRUE(a.apply("two", fmt::format(R"({{"spec":{{"set":{}}}}})", row.config)).ok()) << row.name;
    EXPECT_EQ(a.text(), fmt::format(R"({{"metadata":{{}},"spec":{{"set":{}}}}})", row.want))
        << row.name << ": " << row.reason;
  }
}

TEST(ServerSideApply, AnEmptyListIsAWishThoughNobodyOwnsIt) {
  AppliedObject a;
  a.create("one", R"({"metadata":{},"spec":{"list":[{"n":"a"}]}})");
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(a.apply("one", R"({"metadata":{},"spec":{"list":[]}})").ok());
    EXPECT_EQ(a.text(), R"({"metadata":{},"spec":{"list":[]}})");
  }
}

TEST(ServerSideApply, WhatIsAtomicIsOnePiece) {
  AppliedObject a;
  a.create("one", R"({"metadata":{},"spec":{"atom":["a"]}})");
  EXPECT_THAT(conflicting(a.apply("two", R"({"spec":{"atom":["a","b"]}})")), ElementsAre(".spec.atom"));
  ASSERT_TRUE(a.apply("one", R"({"spec":{"atom":["b"]}})").ok());
  EXPECT_EQ(a.text(), R"({"metadata":{},"spec":{"atom":["b"]}})");
}

TEST(ServerSideApply, AStructGoesWhenNobodyHasAnythingInIt) {
  AppliedObject a;
  a.create("one", R"({"metadata":{},"spec":{"replicas":1,"struct":{"a":"1"}}})");
  a.object().at("spec").at("struct").as_object()["b"] = "default";
  ASSERT_TRUE(a.apply("one", R"({"spec":{"replicas":1}})").ok());
  EXPECT_EQ(a.text(), R"({"metadata":{},"spec":{"replicas":1}})");
}

TEST(ServerSideApply, NullKeepsWhatOthersPutThere) {
  AppliedObject a;
  a.create("one", R"({"metadata":{},"data":{"k":"v"}})");
  ASSERT_TRUE(a.apply("two", R"({"data":null})").ok());
  EXPECT_EQ(a.text(), R"({"data":{"k":"v"},"metadata":{}})");
  EXPECT_EQ(a.fields("two"), R"({"f:data":{}})");
}

TEST(ServerSideApply, WhatNobodyRecordedWasSetBefore) {
  AppliedObject a;
  a.object() = doc(R"({"metadata":{"name":"a"},"data":{"k":"v"}})");
  const auto refused = a.apply("one", R"({"data":{"k":"2"}})");
  EXPECT_THAT(conflicting(refused), ElementsAre(".data.k"));
  EXPECT_THAT(refused.error().message, HasSubstr("before-first-apply"));
  ASSERT_TRUE(a.apply("one", R"({"data":{"k":"v","l":"1"}})").ok());
  EXPECT_EQ(a.fields("before-first-apply"), R"({"f:data":{".":{},"f:k":{}}})");
  EXPECT_EQ(a.fields("one"), R"({"f:data":{"f:k":{},"f:l":{}}})");
}

TEST(ServerSideApply, KubectlTakesOverWhatItAppliedItselfBefore) {
  const std::string created =
      R"({"data":{"k":"v","l":"1"},"metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":)"
      R"("{\"data\":{\"k\":\"v\"}}\n"}}})";
  const std::string_view config = R"({"data":{"k":"2"},"metadata":{"name":"a"}})";
  AppliedObject a;
  a.update("kubectl-client-side-apply", created);
  a.object() = doc(created);
  ASSERT_TRUE(a.apply("kubectl", config).ok());
  EXPECT_EQ(json::string_or(a.object().at("metadata").at("annotations"), kLastApplied), std::string(config) + "\n");

  AppliedObject other;
  other.object() = doc(created);
  EXPECT_THAT(conflicting(other.apply("somebody", config)), ElementsAre(".data.k"));
  EXPECT_THAT(conflicting(other.apply("kubectl", R"({"data":{"l":"2"}})")), ElementsAre(".data.l"))
      << "the client has never applied this one";
}

TEST(ServerSideApply, OldUpdatesBecomeOne) {
  AppliedObject a;
  a.create("owner", R"({"metadata":{},"data":{"owner":"x"}})");
  json::Object data{{"owner", "x"}};
  for (int i = 0; i < 15; ++i) {
    data[fmt::format("k{:02}", i)] = "v";
    a.update(fmt::format("m{:02}", i), json::write(json::Value{{"metadata", json::Object()}, {"data", data}}));
  }
  EXPECT_EQ(a.managers(), kMaxUpdateManagers + 1);
  EXPECT_EQ(a.fields("owner"), R"({"f:data":{"f:owner":{}}})");
  EXPECT_EQ(a.fields(kAncientChanges),
            R"({"f:data":{"f:k00":{},"f:k01":{},"f:k02":{},"f:k03":{},"f:k04":{},"f:k05":{}}})");
  EXPECT_EQ(a.fields("m14"), R"({"f:data":{"f:k14":{}}})");
}

TEST(ServerSideApply, NobodyCanGiveUpWhatIsTheServers) {
  const auto record = read_managed_fields(doc(R"([{"manager":"one","operation":"Apply","apiVersion":"v1",
      "fieldsType":"FieldsV1","fieldsV1":{"f:apiVersion":{},"f:metadata":{".":{},"f:name":{},"f:uid":{},"f:labels":{}},
      "f:data":{}}}])"));
  ASSERT_TRUE(record.ok());
  ApplyRequest request;
  request.manager = {"one", "v1", "", "2026-11-15T12:00:00Z"};
  const auto live = doc(R"({"apiVersion":"v1","data":{"k":"v"},"metadata":{"labels":{"a":"b"},"name":"n","uid":"u"}})");
  const auto applied = apply_config(request, live, doc(R"({"metadata":{"name":"n"}})"), *record);
  ASSERT_TRUE(applied.ok());
  EXPECT_EQ(json::write(applied->object), R"({"apiVersion":"v1","metadata":{"name":"n","uid":"u"}})");
}

TEST(ServerSideApply, WhatIsDeepIsOnePiece) {
  std::string config = "1";
  for (int i = 0; i < 120; ++i) config = R"({"a":)" + config + "}";
  const auto fields = managed_by_applying(ApplyRequest(), doc(config));
  ASSERT_TRUE(fields.ok());
  ASSERT_EQ(fields->size(), 1U);
  // With the rest of the object around it the record can be read back.
  const json::Value object{{"metadata", json::Object{{"managedFields", write_managed_fields(*fields)}}}};
  EXPECT_TRUE(json::parse(json::write(object)).ok());
}

TEST(ManagedFields, ResetIsAnEmptyListOrAnEmptyEntry) {
  EXPECT_TRUE(is_managed_fields_reset(doc("[]")));
  EXPECT_TRUE(is_managed_fields_reset(doc("[{}]")));
  EXPECT_FALSE(is_managed_fields_reset(doc("[{},{}]")));
  EXPECT_FALSE(is_managed_fields_reset(doc(R"([{"manager":"a"}])")));
  EXPECT_FALSE(is_managed_fields_reset(doc("null")));
}

TEST(ManagedFields, AreSortedAsTheApiDoes) {
  const auto entry = [](std::string manager, ManagedEntry::Operation operation, std::string time) {
    ManagedEntry out;
    out.manager = std::move(manager);
    out.operation = operation;
    out.time = std::move(time);
    out.api_version = "v1";
    out.fields.at("f:a").member = true;
    return out;
  };
  using Operation = ManagedEntry::Operation;
  const auto list = write_managed_fields(
      {entry("b", Operation::kUpdate, "2026-01-01T00:00:00Z"), entry("z", Operation::kApply, "2026-01-03T00:00:00Z"),
       entry("c", Operation::kApply, "2026-01-02T00:00:00Z"), entry("a", Operation::kUpdate, "2026-01-01T00:00:00Z")});
  std::vector<std::string> order;
  for (const auto& row : list.get_array()) order.push_back(json::string_or(row, "manager"));
  EXPECT_THAT(order, ElementsAre("c", "z", "a", "b"));
}

TEST(ManagedFields, RefusesWhatIsNoEntry) {
  for (const std::string_view list :
       {R"([{"operation":"Frob","fieldsType":"FieldsV1"}])", R"([{"operation":"Apply"}])", "{}", "[1]",
        R"([{"operation":"Apply","fieldsType":"FieldsV1","fieldsV1":{"x":{}}}])"}) {
    EXPECT_FALSE(read_managed_fields(doc(list)).ok()) << list;
  }
}

}  // namespace
}  // namespace chandler::meta
