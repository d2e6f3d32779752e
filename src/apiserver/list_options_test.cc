#include "apiserver/list_options.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace chandler::apiserver {
namespace {

TEST(ContinueToken, ComesBackAsItWasHandedOut) {
  for (const auto& token : {ContinueToken{17, "ns", "name"}, ContinueToken{1, "", "node-1"},
                            ContinueToken{-1, "ns", "a.b-c"}, ContinueToken{INT64_MAX, "ns", "system:a/b"}}) {
    const auto text = token.encode();
    EXPECT_EQ(percent_encode(text), text) << "it goes into a URL as it is";
    const auto back = ContinueToken::decode(text);
    ASSERT_TRUE(back.ok()) << text;
    EXPECT_EQ(back->revision, token.revision);
    EXPECT_EQ(back->ns, token.ns);
    EXPECT_EQ(back->name, token.name);
  }
}

TEST(ContinueToken, WhatWasNotHandedOutIsRefused) {
  struct Row {
    std::string name;
    std::string reason;
    std::string text;
  };
  const std::vector<Row> rows = {
      {"empty", "no token at all", ""},
      {"no base64", "another alphabet", "!!!"},
      {"no JSON", "well encoded nonsense", base64url_encode("nonsense")},
      {"no object", "well encoded nonsense", base64url_encode("[1]")},
      {"other version", "of another server", base64url_encode(R"({"v":"meta.k8s.io/v9","rv":1,"start":"a/b"})")},
      {"no version", "a part is missing", base64url_encode(R"({"rv":1,"start":"a/b"})")},
      {"no revision", "a part is missing", base64url_encode(R"({"v":"meta.k8s.io/v1","start":"a/b"})")},
      {"zero revision", "no state has it", base64url_encode(R"({"v":"meta.k8s.io/v1","rv":0,"start":"a/b"})")},
      {"negative revision", "only -1 has a meaning",
       base64url_encode(R"({"v":"meta.k8s.io/v1","rv":-2,"start":"a/b"})")},
      {"text revision", "wrong type", base64url_encode(R"({"v":"meta.k8s.io/v1","rv":"1","start":"a/b"})")},
      {"no start", "a part is missing", base64url_encode(R"({"v":"meta.k8s.io/v1","rv":1})")},
      {"half a start", "a part is missing", base64url_encode(R"({"v":"meta.k8s.io/v1","rv":1,"start":"a"})")},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name + ": " + row.reason);
    const auto token = ContinueToken::decode(row.text);
    ASSERT_FALSE(token.ok());
    EXPECT_EQ(token.error().reason, Reason::kBadRequest);
  }
}

}  // namespace
}  // namespace chandler::apiserver
