#include "admission/kind_rules.h"
#include "admission/rule_rows.h"
#include "base/text.h"

namespace chandler::admission {
namespace {

TEST(ConfigMap, KeysAndSize) {
  const std::string mebibyte(1024 * 1024, 'a');
  expect_checks(
      check_config_map,
      {{"fine", "letters, digits, - _ .", R"({"data":{"A_b-c.1":"v"},"binaryData":{"b":"dg=="}})", "", {}},
       {"dot", "no file has this name", R"({"data":{".":"v"}})", "", {"data[.] Invalid"}},
       {"dotdot", "no way out of a folder", R"({"data":{"..a":"v"}})", "", {"data[..a] Invalid"}},
       {"empty", "a key has a name", R"({"data":{"":"v"}})", "", {"data[] Invalid"}},
       {"slash", "keys are files in one folder", R"({"binaryData":{"a/b":"dg=="}})", "", {"binaryData[a/b] Invalid"}},
       {"both", "a key has one value", R"({"data":{"k":"v"},"binaryData":{"k":"dg=="}})", "", {"data[k] Invalid"}},
       {"largest", "1 MiB fits", R"({"data":{"k":")" + mebibyte + R"("}})", "", {}},
       {"too large",
        "1 MiB and a byte does not",
        R"({"data":{"k":")" + mebibyte + R"("},"binaryData":{"b":"dg=="}})",
        "",
        {"[] TooLong"}}});
}

TEST(ConfigMap, ImmutableMeansIt) {
  const std::string old = R"({"immutable":true,"data":{"a":"1"}})";
  expect_checks(
      check_config_map,
      {{"label", "metadata may change", R"({"immutable":true,"data":{"a":"1"}})", old, {}},
       {"data", "content is frozen", R"({"immutable":true,"data":{"a":"2"}})", old, {"data Forbidden"}},
       {"binary",
        "content is frozen",
        R"({"immutable":true,"data":{"a":"1"},"binaryData":{"b":""}})",
        old,
        {"binaryData Forbidden"}},
       {"thaw", "there is no way back", R"({"immutable":false,"data":{"a":"1"}})", old, {"immutable Forbidden"}},
       {"freeze", "an ordinary one may become immutable", old, R"({"data":{"a":"2"}})", {}}});
}

TEST(ConfigMap, NothingIsLeftOut) {
  expect_defaults(default_config_map, {{"empty maps", "as other servers store it",
                                        R"({"data":{},"binaryData":{"a":""}})", "", R"({"binaryData":{"a":""}})"}});
}

TEST(Secret, StringDataIsMergedAndDropped) {
  expect_defaults(default_secret,
                  {{"merge", "stringData wins over data", R"({"data":{"a":"eA==","b":"Mg=="},"stringData":{"a":"1"}})",
                    "", R"({"data":{"a":"MQ==","b":"Mg=="}})"},
                   {"nothing", "no data, no field", R"({"data":{},"stringData":{}})", "", R"({})"}});
}

TEST(Secret, TypesNeedTheirKeys) {
  expect_checks(
      check_secret,
      {{"opaque", "anything goes", R"({"type":"Opaque","data":{"k":"dg=="}})", "", {}},
       {"own type", "others' types are theirs to check", R"({"type":"x.io/y"})", "", {}},
       {"key",
        "the same rule as for ConfigMaps",
        R"({"type":"Opaque","data":{"a b":"dg=="}})",
        "",
        {"data[a b] Invalid"}},
       {"tls",
        "certificate and key",
        R"({"type":"kubernetes.io/tls"})",
        "",
        {"data[tls.crt] Required", "data[tls.key] Required"}},
       {"tls empty",
        "they may come later",
        R"({"type":"kubernetes.io/tls","data":{"tls.crt":"","tls.key":""}})",
        "",
        {}},
       {"docker", "its file", R"({"type":"kubernetes.io/dockerconfigjson"})", "", {"data[.dockerconfigjson] Required"}},
       {"docker not JSON",
        "its format",
        R"({"type":"kubernetes.io/dockerconfigjson","data":{".dockerconfigjson":"eA=="}})",
        "",
        {"data[.dockerconfigjson] Invalid"}},
       {"docker fine", "an object", R"({"type":"kubernetes.io/dockercfg","data":{".dockercfg":"e30="}})", "", {}},
       {"ssh",
        "its key",
        R"({"type":"kubernetes.io/ssh-auth","data":{"ssh-privatekey":""}})",
        "",
        {"data[ssh-privatekey] Required"}},
       {"basic", "a name or a password", R"({"type":"kubernetes.io/basic-auth","data":{"username":"eA=="}})", "", {}},
       {"basic empty",
        "one of them",
        R"({"type":"kubernetes.io/basic-auth"})",
        "",
        {"data[username] Required", "data[password] Required"}},
       {"account token",
        "whose?",
        R"({"type":"kubernetes.io/service-account-token","metadata":{}})",
        "",
        {"metadata.annotations[kubernetes.io/service-account.name] Required"}}});
}

TEST(Secret, ContentIsNotRepeatedInFaults) {
  auto object = document(R"({"type":"kubernetes.io/dockercfg","data":{".dockercfg":"c2VjcmV0"}})");
  Context context;
  context.object = &object;
  meta::FieldErrors errors;
  check_secret(context, errors);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors.causes()[0].message.find("c2VjcmV0"), std::string::npos);
}

TEST(Secret, SizeIsThatOfTheContent) {
  const auto fits = base64_encode(std::string(1024 * 1024, 'a'));
  const auto above = base64_encode(std::string(1024 * 1024 + 1, 'a'));
  expect_checks(
      check_secret,
      {{"largest", "1 MiB fits", R"({"data":{"k":")" + fits + R"("}})", "", {}},
       {"too large", "one byte more does not", R"({"data":{"k":")" + above + R"("}})", "", {"data TooLong"}}});
}

TEST(Secret, ImmutableMeansIt) {
  expect_checks(check_secret, {{"data",
                                "content is frozen",
                                R"({"immutable":true,"data":{"a":"Mg=="}})",
                                R"({"immutable":true,"data":{"a":"MQ=="}})",
                                {"data Forbidden"}},
                               {"thaw",
                                "there is no way back",
                                R"({"data":{"a":"MQ=="}})",
                                R"({"immutable":true,"data":{"a":"MQ=="}})",
                                {"immutable Forbidden"}}});
}

}  // namespace
}  // namespace chandler::admission
