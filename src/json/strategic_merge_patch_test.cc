#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "json/patch.h"
#include "json/reader.h"
#include "json/writer.h"
#include "support/colliding_texts.h"
#include "support/growth.h"

namespace chandler::json {
namespace {

using ::testing::HasSubstr;

Value doc(std::string_view text) { return parse(text).value(); }

// The rules of a Deployment, a Service and metadata in one: a node is a name, whatever stands around it.
class FieldRules : public MergeRules {
 public:
  Node root() const override { return &kOther; }
  Node member(Node, std::string_view key) const override {
    const auto found = kRules.find(key);
    return found == kRules.end() ? &kOther : &found->second;
  }
  Node item(Node) const override { return &kOther; }
  ListRule rule(Node node) const override { return *static_cast<const ListRule*>(node); }

 private:
  static inline const ListRule kOther{};
  static inline const std::map<std::string_view, ListRule> kRules{
      {"containers", {.merge = true, .key = "name"}}, {"volumes", {.merge = true, .retain_keys = true, .key = "name"}},
      {"env", {.merge = true, .key = "name"}},        {"ports", {.merge = true, .key = "port"}},
      {"finalizers", {.merge = true, .key = ""}},
  };
};

struct Row {
  std::string_view name, reason, target, patch, want;
};

TEST(StrategicMergePatch, MergesByTheRules) {
  const Row rows[] = {
      {"map", "maps merge, null deletes", R"({"data":{"k":"v","l":"w"}})", R"({"data":{"k":null,"n":"1"}})",
       R"({"data":{"l":"w","n":"1"}})"},
      {"noop", "without change", R"({"data":{"k":"v"}})", R"({"data":{"k":"v"}})", R"({"data":{"k":"v"}})"},
      {"atomic", "a list without strategy is replaced", R"({"args":["p","q"]})", R"({"args":["z"]})",
       R"({"args":["z"]})"},
      {"atomic-empty", "also by an empty one", R"({"args":["p"]})", R"({"args":[]})", R"({"args":[]})"},
      {"atomic-objects", "objects in it too", R"({"tolerations":[{"key":"k"}]})", R"({"tolerations":[{"key":"m"}]})",
       R"({"tolerations":[{"key":"m"}]})"},
      {"element-merge", "elements merge by key",
       R"({"containers":[{"name":"a","image":"1"},{"name":"b","image":"1"}]})",
       R"({"containers":[{"name":"b","image":"2"}]})",
       R"({"containers":[{"image":"1","name":"a"},{"image":"2","name":"b"}]})"},
      {"element-add", "a new element comes first", R"({"containers":[{"name":"a"},{"name":"b"}]})",
       R"({"containers":[{"name":"c"}]})", R"({"containers":[{"name":"c"},{"name":"a"},{"name":"b"}]})"},
      {"env-merge", "after an old element of the patch it stays behind it",
       R"({"env":[{"name":"X","value":"1"},{"name":"Y","value":"2"}]})",
       R"({"env":[{"name":"Y","value":"9"},{"name":"Z","value":"3"}]})",
       R"({"env":[{"name":"X","value":"1"},{"name":"Y","value":"9"},{"name":"Z","value":"3"}]})"},
      {"number-key", "keys may be numbers", R"({"ports":[{"port":80,"name":"a"}]})",
       R"({"ports":[{"port":81,"name":"b"}]})", R"({"ports":[{"name":"b","port":81},{"name":"a","port":80}]})"},
      {"new-list", "no list before", "{}", R"({"containers":[{"name":"a","x":null},{"name":"b","$patch":"delete"}]})",
       R"({"containers":[{"name":"a"}]})"},
      {"element-delete", "$patch: delete removes by key", R"({"containers":[{"name":"a"},{"name":"b"}]})",
       R"({"containers":[{"name":"b","$patch":"delete"}]})", R"({"containers":[{"name":"a"}]})"},
      {"list-replace", "$patch: replace in a list replaces it", R"({"containers":[{"name":"a"},{"name":"b"}]})",
       R"({"containers":[{"$patch":"replace"},{"name":"z","image":"9"}]})",
       R"({"containers":[{"image":"9","name":"z"}]})"},
      {"map-replace", "$patch: replace in a map replaces it", R"({"m":{"a":1,"b":2}})",
       R"({"m":{"$patch":"replace","c":3}})", R"({"m":{"c":3}})"},
      {"map-delete", "$patch: delete in a map removes it", R"({"m":{"a":1},"n":1})", R"({"m":{"$patch":"delete"}})",
       R"({"n":1})"},
      {"map-merge", "$patch: merge is the default", R"({"m":{"a":1}})", R"({"m":{"$patch":"merge","b":2}})",
       R"({"m":{"a":1,"b":2}})"},
      {"root-replace", "at the top too", R"({"a":1})", R"({"$patch":"replace","b":2})", R"({"b":2})"},
      {"root-delete", "at the top too", R"({"a":1})", R"({"$patch":"delete"})", "{}"},
      {"set", "scalars merge as a set, the patch's order first", R"({"finalizers":["a"]})",
       R"({"finalizers":["b","a"]})", R"({"finalizers":["b","a"]})"},
      {"set-behind", "others keep their place", R"({"finalizers":["a","b","c"]})", R"({"finalizers":["c","d"]})",
       R"({"finalizers":["a","b","c","d"]})"},
      {"set-delete", "$deleteFromPrimitiveList", R"({"finalizers":["a","b","c"]})",
       R"({"$deleteFromPrimitiveList/finalizers":["b","z"]})", R"({"finalizers":["a","c"]})"},
      {"set-delete-none", "nothing to delete from", "{}", R"({"$deleteFromPrimitiveList/finalizers":["b"]})", "{}"},
      {"order", "$setElementOrder alone", R"({"env":[{"name":"X","v":1},{"name":"Y","v":2}]})",
       R"({"$setElementOrder/env":[{"name":"Y"},{"name":"X"}]})", R"({"env":[{"name":"Y","v":2},{"name":"X","v":1}]})"},
      {"order-with-list", "$setElementOrder with a new element and one of the server's own",
       R"({"env":[{"name":"S"},{"name":"X"},{"name":"Y"}]})",
       R"({"$setElementOrder/env":[{"name":"Y"},{"name":"N"},{"name":"X"}],"env":[{"name":"N","v":1}]})",
       R"({"env":[{"name":"S"},{"name":"Y"},{"name":"N","v":1},{"name":"X"}]})"},
      {"order-set", "$setElementOrder of scalars, as kubectl apply sends it", R"({"finalizers":["a","b","c"]})",
       R"({"$setElementOrder/finalizers":["c","a"],"$deleteFromPrimitiveList/finalizers":["b"]})",
       R"({"finalizers":["c","a"]})"},
      {"order-missing", "$setElementOrder of a list that is not there", "{}",
       R"({"$setElementOrder/env":[{"name":"Y"}]})", "{}"},
      {"order-atomic", "$setElementOrder of a list that does not merge", R"({"args":["a","b"]})",
       R"({"$setElementOrder/args":["b","a"]})", R"({"args":["a","b"]})"},
      {"retain", "$retainKeys drops other members",
       R"({"volumes":[{"name":"v","emptyDir":{}},{"name":"w","configMap":{"name":"c"}}]})",
       R"({"volumes":[{"name":"v","$retainKeys":["name","secret"],"secret":{"secretName":"s"}}]})",
       R"({"volumes":[{"name":"v","secret":{"secretName":"s"}},{"configMap":{"name":"c"},"name":"w"}]})"},
      {"retain-map", "$retainKeys of a map", R"({"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":1}}})",
       R"({"strategy":{"$retainKeys":["type"],"type":"Recreate","rollingUpdate":null}})",
       R"({"strategy":{"type":"Recreate"}})"},
      {"nested", "directives in what is new", "{}",
       R"({"a":{"m":{"$patch":"delete"},"n":{"$patch":"replace","x":1,"y":null},"$setElementOrder/env":[]}})",
       R"({"a":{"n":{"x":1}}})"},
      {"type-change", "another type replaces", R"({"a":[1],"b":{"c":1}})", R"({"a":{"x":1},"b":[2]})",
       R"({"a":{"x":1},"b":[2]})"},
      {"dollar", "names that only look like directives", R"({"properties":{}})", R"({"properties":{"$ref":"x"}})",
       R"({"properties":{"$ref":"x"}})"},
      {"doubled", "an element named twice is merged twice", R"({"env":[]})",
       R"({"env":[{"name":"X","a":1},{"name":"X","b":2}]})", R"({"env":[{"a":1,"b":2,"name":"X"}]})"},
  };
  for (const Row& row : rows) {
    Value target = doc(row.target);
    const auto result = strategic_merge_patch(target, doc(row.patch), FieldRules());
    ASSERT_TRUE(result.ok()) << row.name << ": " << result.error().message;
    EXPECT_EQ(write(target), write(doc(row.want))) << row.name << ": " << row.reason;
  }
}

TEST(StrategicMergePatch, RefusesMalformedDirectives) {
  struct Refusal {
    std::string_view name, target, patch;
    Reason reason;
    std::string_view want;
  };
  const Refusal rows[] = {
      {"not-object", "{}", "[]", Reason::kBadRequest, "object"},
      {"unknown", R"({"m":{}})", R"({"m":{"$patch":"frob"}})", Reason::kBadRequest, "unknown $patch directive"},
      {"no-text", R"({"m":{}})", R"({"m":{"$patch":1}})", Reason::kBadRequest, "unknown $patch directive"},
      {"unknown-in-list", R"({"env":[]})", R"({"env":[{"name":"a","$patch":"x"}]})", Reason::kBadRequest,
       "$patch directive"},
      {"no-key", R"({"env":[]})", R"({"env":[{"value":"a"}]})", Reason::kBadRequest, "merge key \"name\""},
      {"scalar-in-list", R"({"env":[]})", R"({"env":["a"]})", Reason::kBadRequest, "merge key"},
      {"object-in-set", R"({"finalizers":[]})", R"({"finalizers":[{"a":1}]})", Reason::kBadRequest, "scalars"},
      {"list-of-lists", R"({"env":[]})", R"({"env":[[1]]})", Reason::kInvalid, "list of lists"},
      {"retain-type", "{}", R"({"m":{"$retainKeys":"a"}})", Reason::kBadRequest, "$retainKeys"},
      {"retain-missing", "{}", R"({"m":{"$retainKeys":["a"],"b":1}})", Reason::kInvalid, "does not name \"b\""},
      {"delete-type", "{}", R"({"$deleteFromPrimitiveList/f":"a"})", Reason::kBadRequest, "list of scalars"},
      {"delete-objects", "{}", R"({"$deleteFromPrimitiveList/f":[{}]})", Reason::kBadRequest, "list of scalars"},
      {"order-type", R"({"env":[]})", R"({"$setElementOrder/env":1})", Reason::kBadRequest, "must be a list"},
      {"order-lacks", R"({"env":[]})", R"({"$setElementOrder/env":[{"name":"X"}],"env":[{"name":"Y"}]})",
       Reason::kBadRequest, "differs"},
      {"order-differs", R"({"env":[]})",
       R"({"$setElementOrder/env":[{"name":"X"},{"name":"Y"}],"env":[{"name":"Y"},{"name":"X"}]})", Reason::kBadRequest,
       "differs"},
  };
  for (const Refusal& row : rows) {
    Value target = doc(row.target);
    const auto result = strategic_merge_patch(target, doc(row.patch), FieldRules());
    ASSERT_FALSE(result.ok()) << row.name << " gave " << write(target);
    EXPECT_EQ(result.error().reason, row.reason) << row.name;
    EXPECT_THAT(result.error().message, HasSubstr(row.want)) << row.name;
  }
}

TEST(StrategicMergePatch, UnknownPlacesMergeMapsAndReplaceLists) {
  class NoRules : public MergeRules {
   public:
    Node root() const override { return nullptr; }
    Node member(Node, std::string_view) const override { return nullptr; }
    Node item(Node) const override { return nullptr; }
    ListRule rule(Node) const override { return {.merge = true, .key = "name"}; }
  };
  Value target = doc(R"({"m":{"a":1},"containers":[{"name":"a"}]})");
  ASSERT_TRUE(strategic_merge_patch(target, doc(R"({"m":{"b":2},"containers":[{"name":"b"}]})"), NoRules()).ok());
  EXPECT_EQ(write(target), R"({"containers":[{"name":"b"}],"m":{"a":1,"b":2}})");
}

TEST(StrategicMergePatch, MergesLargeLists) {
  Array stored, added;
  for (int i = 0; i < 20'000; ++i) {
    stored.push_back(Value{{"name", "s" + std::to_string(i)}});
    added.push_back(Value{{"name", "p" + std::to_string(i)}});
  }
  Value target{{"env", stored}};
  ASSERT_TRUE(strategic_merge_patch(target, Value{{"env", added}}, FieldRules()).ok());
  EXPECT_EQ(target.at("env").get_array().size(), 40'000U);
}

TEST(StrategicMergePatch, KeysOfOneHashCostNoMoreThanOthers) {
  constexpr size_t kMost = 4096;
  const auto ids = testing::texts_of_one_hash(kMost, "\"", 1);  // an element is known by its key as it is written
  ASSERT_TRUE(testing::have_one_hash(ids, "\"", "\""));
  const auto members = testing::texts_of_one_hash(kMost);
  const auto list = [](const std::vector<std::string>& texts, size_t size, std::string_view begin,
                       std::string_view end) {
    std::string out;
    for (size_t i = 0; i < size; ++i) out.append(i == 0 ? "" : ",").append(begin).append(texts[i]).append(end);
    return out;
  };
  struct Shape {
    std::string_view reason;
    std::function<std::string(size_t)> target, patch;
  };
  const auto nothing = [](size_t) { return std::string("{}"); };
  const auto scalars = [&](std::string_view name) {
    return [&, name](size_t size) { return fmt::format(R"({{"{}":[{}]}})", name, list(ids, size, "\"", "\"")); };
  };
  const Shape shapes[] = {
      {"elements by their key", nothing,
       [&](size_t size) { return "{\"env\":[" + list(ids, size, "{\"name\":\"", "\"}") + "]}"; }},
      {"deleted elements", nothing,
       [&](size_t size) { return "{\"env\":[" + list(ids, size, "{\"$patch\":\"delete\",\"name\":\"", "\"}") + "]}"; }},
      {"scalars of a set", scalars("finalizers"), scalars("finalizers")},
      {"deleted scalars", nothing, scalars("$deleteFromPrimitiveList/finalizers")},
      {"order of a set", scalars("finalizers"), scalars("$setElementOrder/finalizers")},
      {"members that stay", nothing,
       [&](size_t size) { return "{\"$retainKeys\":[" + list(members, size, "\"", "\"") + "]}"; }},
  };
  for (const auto& shape : shapes) {
    EXPECT_TRUE(testing::is_linear(kMost, [&](size_t size) -> testing::Growth::Work {
      return [target = doc(shape.target(size)), patch = doc(shape.patch(size))] {
        Value changed = target;
        EXPECT_TRUE(strategic_merge_patch(changed, patch, FieldRules()).ok());
      };
    })) << shape.reason;
  }
}

// An element with the variables V0, V1 and so on, and a patch that names it as often with those members.
struct RepeatedElement {
  RepeatedElement(size_t size, std::string_view members) {
    std::string variables, elements;
    for (size_t i = 0; i < size; ++i) {
      variables += fmt::format(R"({}{{"name":"V{}"}})", i == 0 ? "" : ",", i);
      elements += fmt::format(R"({}{{"name":"c",{}}})", i == 0 ? "" : ",", members);
    }
    target = doc(fmt::format(R"({{"containers":[{{"name":"c","env":[{}]}}]}})", variables));
    patch = doc(fmt::format(R"({{"containers":[{}]}})", elements));
  }

  Value target;
  Value patch;
};

TEST(StrategicMergePatch, ElementsThatThePatchRepeatsAreBounded) {
  for (const std::string_view members : {R"("env":[{"name":"V1"}])", R"("$setElementOrder/env":[{"name":"V1"}])",
                                         R"("$deleteFromPrimitiveList/env":["x"])", R"("$retainKeys":["name","env"])",
                                         R"("env":[{"name":"V1"},{"$patch":"delete","name":"V2"}])"}) {
    EXPECT_TRUE(testing::is_linear(4'000, [&](size_t size) -> testing::Growth::Work {
      return [input = RepeatedElement(size, members)] {
        Value changed = input.target;
        const auto done = strategic_merge_patch(changed, input.patch, FieldRules());
        EXPECT_TRUE(done.ok() || done.error().reason == Reason::kRequestEntityTooLarge) << done.error().message;
      };
    })) << members;
  }
}

TEST(StrategicMergePatch, NamesTheLimitOfRepeatedElements) {
  RepeatedElement small(100, R"("env":[{"name":"V1"}])");
  EXPECT_TRUE(strategic_merge_patch(small.target, small.patch, FieldRules()).ok());
  RepeatedElement large(2'000, R"("env":[{"name":"V1"}])");
  const auto done = strategic_merge_patch(large.target, large.patch, FieldRules());
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().reason, Reason::kRequestEntityTooLarge);
  EXPECT_THAT(done.error().message, HasSubstr("name each element once"));
}

}  // namespace
}  // namespace chandler::json
