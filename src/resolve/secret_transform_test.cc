#include "resolve/secret_transform.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "json/reader.h"
#include "json/writer.h"

namespace chandler::resolve {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

json::Value doc(std::string_view text) { return json::parse(text).value(); }

SecretTransforms transforms(std::string_view text) {
  meta::FieldErrors errors;
  auto parsed = parse_secret_transforms(doc(text), meta::Path("t"), errors);
  EXPECT_TRUE(errors.empty()) << text;
  return parsed;
}

struct FaultRow {
  std::string_view name, reason, list, field, word;
};

TEST(ParseSecretTransforms, ReportsEveryFaultAtItsPath) {
  const FaultRow rows[] = {
      {"no-list", "a list is needed", R"({"renameKey":{}})", "t", "list"},
      {"text", "an entry is an object", R"(["renameKey"])", "t[0]", "exactly one"},
      {"two", "one operation per entry", R"([{"removeKey":{"key":"a"},"addKey":{"key":"b"}}])", "t[0]", "exactly one"},
      {"empty", "an entry does something", "[{}]", "t[0]", "exactly one"},
      {"unknown", "only four operations", R"([{"dropKey":{"key":"a"}}])", "t[0].dropKey", "is not a transform"},
      {"no-from", "a rename has two ends", R"([{"renameKey":{"to":"a"}}])", "t[0].renameKey.from", "Required"},
      {"bad-to", "a key of a Secret", R"([{"renameKey":{"from":"a b","to":"a b"}}])", "t[0].renameKey.to", "letters"},
      {"no-value", "an added key has a value", R"([{"addKey":{"key":"a"}}])", "t[0].addKey", "stringValue"},
      {"bad-base64", "bytes are base64", R"([{"addKey":{"key":"a","value":"hunter2!"}}])", "t[0].addKey.value",
       "must be base64"},
      {"number", "texts are texts", R"([{"addKey":{"key":"a","stringValue":7}}])", "t[0].addKey.stringValue",
       "must be a string"},
      {"bad-path", "a template that parses", R"([{"addKey":{"key":"a","jsonPathExpression":"{.a"}}])",
       "t[0].addKey.jsonPathExpression", "JSONPath"},
      {"no-ref", "a secret is named", R"([{"addKeysFrom":{}}])", "t[0].addKeysFrom.secretRef", "Required"},
      {"no-secret", "a secret is named", R"([{"addKeysFrom":{"secretRef":{"namespace":"n"}}}])",
       "t[0].addKeysFrom.secretRef.name", "Required"},
      {"second", "the index is right", R"([{"removeKey":{"key":"a"}},{"removeKey":{"key":null}}])",
       "t[1].removeKey.key", "Required"},
  };
  for (const FaultRow& row : rows) {
    meta::FieldErrors errors;
    parse_secret_transforms(doc(row.list), meta::Path("t"), errors);
    ASSERT_EQ(errors.size(), 1u) << row.name << ": " << row.reason;
    EXPECT_EQ(errors.causes()[0].field, row.field) << row.name << ": " << row.reason;
    EXPECT_THAT(errors.causes()[0].message, HasSubstr(std::string(row.word))) << row.name << ": " << row.reason;
    EXPECT_THAT(errors.causes()[0].message, Not(HasSubstr("hunter2"))) << row.name;
  }
}

TEST(ParseSecretTransforms, WhatIsWrittenIsReadAgain) {
  const std::string text =
      R"([{"renameKey":{"from":"a b","to":"ab"}},{"addKey":{"key":"k","value":"AP8="}},)"
      R"({"addKey":{"jsonPathExpression":"{.u}","key":"k","stringValue":"s"}},)"
      R"({"addKeysFrom":{"secretRef":{"name":"s"}}},{"addKeysFrom":{"secretRef":{"name":"s","namespace":"n"}}},)"
      R"({"removeKey":{"key":"x y"}}])";
  EXPECT_EQ(json::write(to_json(transforms(text))), text);
  EXPECT_TRUE(transforms("null").empty());
}

struct MergeRow {
  std::string_view name, reason, of_class, of_plan;
  std::optional<std::string_view> of_binding;
  std::vector<std::string> want;
};

TEST(MergeSecretTransforms, HigherLayersReplaceInPlace) {
  const MergeRow rows[] = {
      {"concatenated",
       "class, plan, binding",
       R"([{"renameKey":{"from":"a","to":"b"}}])",
       R"([{"removeKey":{"key":"c"}}])",
       R"([{"addKey":{"key":"d","stringValue":"x"}}])",
       {"a -> b", "c -> (removed)", "(fixed value) -> d"}},
      {"rename",
       "same from: in place",
       R"([{"renameKey":{"from":"a","to":"b"}},{"removeKey":{"key":"z"}}])",
       "[]",
       R"([{"renameKey":{"from":"a","to":"c"}}])",
       {"a -> c", "z -> (removed)"}},
      {"add",
       "same key: in place",
       R"([{"addKey":{"key":"k","stringValue":"1"}},{"removeKey":{"key":"z"}}])",
       R"([{"addKey":{"key":"k","jsonPathExpression":"{.x}"}}])",
       std::nullopt,
       {"{.x} -> k", "z -> (removed)"}},
      {"other-kind",
       "add and remove of a key are different",
       R"([{"addKey":{"key":"k","stringValue":"1"}}])",
       R"([{"removeKey":{"key":"k"}}])",
       std::nullopt,
       {"(fixed value) -> k", "k -> (removed)"}},
      {"secret",
       "an empty namespace is the binding's",
       R"([{"addKeysFrom":{"secretRef":{"name":"s"}}}])",
       "[]",
       R"([{"addKeysFrom":{"secretRef":{"name":"s","namespace":"dev"}}}])",
       {"(all keys of secret dev/s)"}},
      {"opt-out",
       "an empty list of the binding",
       R"([{"removeKey":{"key":"a"}}])",
       R"([{"removeKey":{"key":"b"}}])",
       "[]",
       {}},
      {"empty-plan",
       "an empty list of the plan is nothing special",
       R"([{"removeKey":{"key":"a"}}])",
       "[]",
       std::nullopt,
       {"a -> (removed)"}},
      {"repeated",
       "a layer may come back to a key",
       R"([{"addKey":{"key":"a","stringValue":"0"}}])",
       "[]",
       R"([{"addKey":{"key":"a","jsonPathExpression":"{.x}"}},{"renameKey":{"from":"a","to":"b"}},{"addKey":{"key":"a","jsonPathExpression":"{.y}"}}])",
       {"{.x} -> a", "a -> b", "{.y} -> a"}},
  };
  for (const MergeRow& row : rows) {
    std::optional<SecretTransforms> of_binding;
    if (row.of_binding) of_binding = transforms(*row.of_binding);
    const auto merged =
        merge_secret_transforms({transforms(row.of_class)}, {transforms(row.of_plan)}, of_binding, "dev");
    EXPECT_EQ(describe_transforms(merged), row.want) << row.name << ": " << row.reason;
  }
}

TEST(MergeSecretTransforms, ABrokerDoesNotChooseSecrets) {
  const auto list = transforms(R"([{"addKeysFrom":{"secretRef":{"name":"s"}}},{"removeKey":{"key":"a"}}])");
  EXPECT_THAT(describe_transforms(merge_secret_transforms({list, true}, {}, std::nullopt, "dev")),
              ElementsAre("a -> (removed)"));
  EXPECT_EQ(merge_secret_transforms({list, false}, {}, std::nullopt, "dev"), list) << "an operator may";
}

TEST(CompleteSecretTransforms, ReadsTheDocumentsOfClassAndPlan) {
  const std::string rename = R"([{"renameKey":{"from":"a","to":"b"}}])";
  const std::string other = R"([{"removeKey":{"key":"c"}}])";
  const std::string keys = R"([{"addKeysFrom":{"secretRef":{"name":"s"}}}])";
  const struct {
    const char* reason;
    std::string of_class, of_plan, of_binding;
    std::string expected;
    bool by_broker = false;
  } rows[] = {
      {"no defaults: the binding's list stands", "", "", rename, "null"},
      {"nobody says anything", "", "", "", "null"},
      {"an empty list opts out", rename, other, "[]", "null"},
      {"defaults alone", rename, "", "", rename},
      {"all of them, in order", rename, other, keys,
       R"([{"renameKey":{"from":"a","to":"b"}},{"removeKey":{"key":"c"}},{"addKeysFrom":{"secretRef":{"name":"s"}}}])"},
      {"an operator may have secrets read", keys, "", "", keys},
      {"a broker may not", keys, other, "", other, true},
  };
  const auto offer = [](const std::string& list, bool by_broker) {
    json::Object spec;
    if (!list.empty()) spec["defaultSecretTransform"] = json::parse(list).value();
    json::Object annotations;
    if (by_broker) annotations["servicecatalog.kubernetes.io/broker-provided-fields"] = "spec.defaultSecretTransform";
    return json::Value(
        json::Object{{"metadata", json::Object{{"annotations", std::move(annotations)}}}, {"spec", std::move(spec)}});
  };
  for (const auto& row : rows) {
    const auto own = row.of_binding.empty() ? json::Value() : json::parse(row.of_binding).value();
    EXPECT_EQ(json::write(complete_secret_transforms(offer(row.of_class, row.by_broker),
                                                     offer(row.of_plan, row.by_broker), own, "dev")),
              row.expected)
        << row.reason;
  }
}

TEST(ReferencedSecrets, AreNamedOnceWithTheirNamespace) {
  const auto list = transforms(
      R"([{"addKeysFrom":{"secretRef":{"name":"s"}}},{"addKeysFrom":{"secretRef":{"name":"s","namespace":"dev"}}},)"
      R"({"addKeysFrom":{"secretRef":{"name":"s","namespace":"qa"}}}])");
  EXPECT_THAT(referenced_secrets(list, "dev"), ElementsAre(SecretName{"dev", "s"}, SecretName{"qa", "s"}));
}

struct ApplyRow {
  std::string_view name, reason, credentials, list, want;
};

const SecretEntries* extra_secret(const SecretName& name) {
  static const SecretEntries kEntries = {{"a", "from secret"}, {"raw", std::string("\x00\xFF", 2)}};
  return name == SecretName{"dev", "extra"} ? &kEntries : nullptr;
}

TEST(ApplySecretTransforms, InOrder) {
  const ApplyRow rows[] = {
      {"none", "nothing to do", R"({"a":1})", "[]", R"({"a":1})"},
      {"null", "no credentials are fine", "null", R"([{"addKey":{"key":"k","stringValue":"v"}}])", R"({"k":"v"})"},
      {"rename", "the seed's", R"({"db-name":"x","u":1})", R"([{"renameKey":{"from":"db-name","to":"database"}}])",
       R"({"database":"x","u":1})"},
      {"rename-missing", "ignored", R"({"u":1})", R"([{"renameKey":{"from":"a","to":"u"}}])", R"({"u":1})"},
      {"rename-over", "the target is overwritten", R"({"a":1,"b":2})", R"([{"renameKey":{"from":"a","to":"b"}}])",
       R"({"b":1})"},
      {"rename-same", "a name for itself", R"({"a":1})", R"([{"renameKey":{"from":"a","to":"a"}}])", R"({"a":1})"},
      {"swap", "in order", R"({"a":1,"b":2})",
       R"([{"renameKey":{"from":"a","to":"t"}},{"renameKey":{"from":"b","to":"a"}},{"renameKey":{"from":"t","to":"b"}}])",
       R"({"a":2,"b":1})"},
      {"precedence", "path, then text, then bytes", R"({"u":{"h":"host"}})",
       R"([{"addKey":{"key":"x","jsonPathExpression":"{.u.h}","stringValue":"s","value":"Yg=="}},)"
       R"({"addKey":{"key":"y","stringValue":"s","value":"Yg=="}},{"addKey":{"key":"z","value":"Yg=="}}])",
       R"({"u":{"h":"host"},"x":"host","y":"s","z":"b"})"},
      {"path-is-text", "the result is a string", R"({"p":3306,"o":{"b":1,"a":2}})",
       R"([{"addKey":{"key":"q","jsonPathExpression":"{.p}"}},{"addKey":{"key":"r","jsonPathExpression":"{.o}"}}])",
       R"({"o":{"a":2,"b":1},"p":3306,"q":"3306","r":"{\"a\":2,\"b\":1}"})"},
      {"path-sees-earlier", "what was added before is there", "{}",
       R"([{"addKey":{"key":"a","stringValue":"1"}},{"addKey":{"key":"b","jsonPathExpression":"<{.a}>"}}])",
       R"({"a":"1","b":"<1>"})"},
      {"overwrite", "an added key replaces", R"({"a":{"x":1}})", R"([{"addKey":{"key":"a","stringValue":""}}])",
       R"({"a":""})"},
      {"remove", "and what is missing is ignored", R"({"a":1,"b":2})",
       R"([{"removeKey":{"key":"a"}},{"removeKey":{"key":"zz"}}])", R"({"b":2})"},
      {"from-secret", "all entries, overwriting", R"({"a":1})",
       R"([{"addKeysFrom":{"secretRef":{"name":"extra"}}},{"removeKey":{"key":"raw"}}])", R"({"a":"from secret"})"},
  };
  for (const ApplyRow& row : rows) {
    const auto applied = apply_secret_transforms(doc(row.credentials), transforms(row.list), "dev", extra_secret);
    ASSERT_TRUE(applied.ok()) << row.name << ": " << applied.error().message;
    EXPECT_EQ(json::write(*applied), row.want) << row.name << ": " << row.reason;
  }
}

TEST(ApplySecretTransforms, FaultsNameTheKeyAndNoValue) {
  const json::Value credentials = doc(R"({"password":"hunter2"})");
  const auto missing = apply_secret_transforms(
      credentials, transforms(R"([{"addKey":{"key":"host","jsonPathExpression":"{.uri.host}"}}])"), "dev", {});
  ASSERT_FALSE(missing.ok());
  EXPECT_THAT(missing.error().message, HasSubstr("addKey \"host\": \"{.uri.host}\""));
  EXPECT_THAT(missing.error().message, Not(HasSubstr("hunter2")));

  const auto no_secret = apply_secret_transforms(
      credentials, transforms(R"([{"addKeysFrom":{"secretRef":{"name":"gone"}}}])"), "dev", extra_secret);
  ASSERT_FALSE(no_secret.ok());
  EXPECT_THAT(no_secret.error().message, HasSubstr("there is no secret \"gone\" in namespace \"dev\""));

  const auto text = apply_secret_transforms("hunter2", {}, "dev", {});
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.error().message, "the broker must give credentials as an object, not string");
}

TEST(ApplySecretTransforms, DoesNotGrowWithoutEnd) {
  SecretTransforms list;
  for (int i = 0; i < 64; ++i) {
    SecretTransform transform;
    transform.kind = SecretTransform::Kind::kAddKey;
    transform.key = "k" + std::to_string(i);
    transform.json_path = "{..*}{..*}";
    list.push_back(transform);
  }
  EXPECT_FALSE(apply_secret_transforms(doc(R"({"a":"0123456789"})"), list, "dev", {}).ok());
}

TEST(EncodeSecretData, TextsAsBytesAndTheRestAsJson) {
  const json::Value credentials =
      doc(R"({"s":"text","e":"","n":3306,"f":1.5,"b":true,"z":null,"o":{"b":1,"a":[1,2]},"A-b_c.1":"x"})");
  const auto data = encode_secret_data(credentials.get_object());
  ASSERT_TRUE(data.ok());
  const auto at = [&](std::string_view key) { return *base64_decode(json::view(data->at(key).get_string())); };
  EXPECT_EQ(at("s"), "text");
  EXPECT_EQ(at("e"), "");
  EXPECT_EQ(at("n"), "3306");
  EXPECT_EQ(at("f"), "1.5");
  EXPECT_EQ(at("b"), "true");
  EXPECT_EQ(at("z"), "null");
  EXPECT_EQ(at("o"), R"({"a":[1,2],"b":1})");
  EXPECT_EQ(at("A-b_c.1"), "x");

  const auto applied = apply_secret_transforms(
      json::Value(), transforms(R"([{"addKeysFrom":{"secretRef":{"name":"extra"}}}])"), "dev", extra_secret);
  EXPECT_EQ(*base64_decode(json::view(encode_secret_data(*applied)->at("raw").get_string())),
            std::string("\x00\xFF", 2))
      << "any bytes survive";
}

TEST(EncodeSecretData, BadKeysAreNamedWithARemedy) {
  const auto refused = encode_secret_data(doc(R"({"db name":"hunter2","ok":"x","a/b":"hunter3"})").get_object());
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr(R"("db name", "a/b")"));
  EXPECT_THAT(refused.error().message, HasSubstr(R"({renameKey: {from: "db name", to: db_name}})"));
  EXPECT_THAT(refused.error().message, Not(HasSubstr("hunter")));
  for (const std::string& key : {std::string("."), std::string("..a"), std::string(), std::string(254, 'k')}) {
    json::Object credentials;
    credentials.emplace(key, "v");
    EXPECT_FALSE(encode_secret_data(credentials).ok()) << key;
  }
}

TEST(EncodeSecretData, IsBoundedByWhatASecretHolds) {
  json::Object credentials;
  credentials.emplace("k", std::string(1024 * 1024, 'x'));
  EXPECT_TRUE(encode_secret_data(credentials).ok());
  credentials.emplace("l", "x");
  EXPECT_THAT(encode_secret_data(credentials).error().message, HasSubstr("removeKey"));
}

}  // namespace
}  // namespace chandler::resolve
