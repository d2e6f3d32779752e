#include "http/message.h"

#include <gmock/gmock.h>

namespace chandler::http {
namespace {

TEST(Headers, NamesAreComparedWithoutCase) {
  Headers headers;
  headers.add("Accept", "a");
  headers.add("ACCEPT", "b");
  EXPECT_EQ(headers.get("accept"), "a");
  EXPECT_THAT(headers.all("Accept"), ::testing::ElementsAre("a", "b"));
  EXPECT_TRUE(headers.has("aCCept"));
  EXPECT_FALSE(headers.has("Accept-Encoding"));
  EXPECT_EQ(headers.get("Accept-Encoding"), "");
}

TEST(Headers, SetReplacesAllOfThatName) {
  Headers headers;
  headers.add("A", "1");
  headers.add("a", "2");
  headers.add("B", "3");
  headers.set("A", headers.get("a"));
  EXPECT_THAT(headers.all("A"), ::testing::ElementsAre("1"));
  EXPECT_EQ(headers.fields().size(), 2U);
  headers.remove("b");
  EXPECT_FALSE(headers.has("B"));
}

TEST(Method, NamesAreThoseOfTheWire) {
  EXPECT_EQ(method_name(Method::kGet), "GET");
  EXPECT_EQ(method_name(Method::kPatch), "PATCH");
  EXPECT_EQ(method_name(Method::kDelete), "DELETE");
}

}  // namespace
}  // namespace chandler::http
