#include "controller/parsed_objects.h"

#include <gtest/gtest.h>

#include <string>

namespace chandler::controller {
namespace {

registry::DocumentPtr document(const std::string& name) {
  return *registry::Document::from_stored(
      R"({"apiVersion":"v1","kind":"Note","metadata":{"name":")" + name + R"(","uid":"u"}})", 1, {});
}

TEST(ParsedObjects, TheSameDocumentIsParsedOnce) {
  ParsedObjects parsed(10'000);
  const auto a = document("a");
  const auto& value = parsed.share(client::Object(a)).value();
  EXPECT_EQ(&parsed.share(client::Object(a)).value(), &value);
  EXPECT_NE(&parsed.share(client::Object(document("a"))).value(), &value) << "another document of the same object";
  EXPECT_EQ(parsed.size(), 2);
}

TEST(ParsedObjects, NoObjectStaysNoObject) {
  ParsedObjects parsed(10'000);
  EXPECT_FALSE(parsed.share(client::Object()));
  EXPECT_EQ(parsed.size(), 0);
}

TEST(ParsedObjects, TheLongestUnusedGoFirst) {
  const auto a = document("a");
  const auto b = document("b");
  const auto c = document("c");
  ParsedObjects parsed(2 * a->bytes().size());
  const auto first = parsed.share(client::Object(a));
  const auto second = parsed.share(client::Object(b));
  parsed.share(client::Object(a));
  parsed.share(client::Object(c));
  EXPECT_EQ(parsed.size(), 2);
  EXPECT_EQ(&parsed.share(client::Object(a)).value(), &first.value());
  EXPECT_NE(&parsed.share(client::Object(b)).value(), &second.value()) << "it had been dropped";
}

TEST(ParsedObjects, WhatIsTooLargeIsNotKept) {
  const auto a = document("a");
  ParsedObjects parsed(a->bytes().size() - 1);
  EXPECT_TRUE(parsed.share(client::Object(a)));
  EXPECT_EQ(parsed.size(), 0);
}

}  // namespace
}  // namespace chandler::controller
