#include "meta/format.h"

#include <vector>

#include <gtest/gtest.h>

namespace chandler::meta {
namespace {

TEST(Format, AcceptsAndRefusesByName) {
  struct Row {
    const char* format;
    std::vector<const char*> good;
    std::vector<const char*> bad;
  };
  const std::vector<Row> rows = {
      {"bsonobjectid", {"507f1f77bcf86cd799439011"}, {"507f1f77bcf86cd79943901", "507f1f77bcf86cd79943901z"}},
      {"uri",
       {"http://a.b/c?d=e", "/path", "urn:x", "https://a/%20"},
       {"", "a b", "path", ":x", "http://a/%2", "1a:b"}},
      {"email", {"a@b.c", "A B <a.b@c.de>", "\"a b\"@c.d"}, {"", "a", "@b", "a b@c", ".a@b.c", "a@-"}},
      {"hostname", {"a", "a-b.c", "1.2"}, {"", "-a", "a-", "a..b", "a_b", "a b"}},
      {"ipv4", {"1.2.3.4"}, {"1.2.3", "1.2.3.256", "::1", ""}},
      {"ipv6", {"::1", "fe80::1:2"}, {"1.2.3.4", "::g", ""}},
      {"cidr", {"10.0.0.0/8", "::/0"}, {"10.0.0.0", "10.0.0.0/33", "::/129", "10.0.0.0/x"}},
      {"mac", {"00:11:22:33:44:55", "00-11-22-33-44-55", "0011.2233.4455"}, {"00:11:22:33:44", "0:1:2:3:4:5", "x"}},
      {"uuid",
       {"00000000-0000-4000-8000-000000000000", "00000000000040008000000000000000"},
       {"0", "0000000-00000-4000-8000-000000000000"}},
      {"uuid3", {"00000000-0000-3000-0000-000000000000"}, {"00000000-0000-4000-8000-000000000000"}},
      {"uuid4", {"00000000-0000-4000-8000-000000000000"}, {"00000000-0000-4000-0000-000000000000"}},
      {"uuid5", {"00000000-0000-5000-A000-000000000000"}, {"00000000-0000-4000-8000-000000000000"}},
      {"isbn10", {"0-306-40615-2", "080442957X"}, {"0-306-40615-3", "X804429570"}},
      {"isbn13", {"978-0-306-40615-7"}, {"978-0-306-40615-8"}},
      {"isbn", {"0306406152", "9780306406157"}, {"1"}},
      {"creditcard", {"4111 1111 1111 1111"}, {"4111 1111 1111 1112", "4"}},
      {"ssn", {"123-45-6789", "123456789", "123 45 6789"}, {"12-345-6789", "123-45-678", "123-45-67890"}},
      {"hexcolor", {"#fff", "A0b1C2"}, {"#ffff", "ggg"}},
      {"rgbcolor", {"rgb(0, 10,255)"}, {"rgb(0,0,256)", "rgb(0,0)", "rgb(01,0,0)", "0,0,0"}},
      {"byte", {"", "aGk="}, {"%%%", "aGk"}},
      {"date", {"2026-02-28"}, {"2026-02-30", "2026-2-28", "20260228"}},
      {"duration", {"1h30m", "300ms", "3 days", "1w 2d"}, {"", "3 moons", "days", "1h x"}},
      {"date-time", {"2026-01-01T00:00:00Z", "2026-01-01T00:00:00.123+02:00"}, {"2026-01-01", "yesterday"}},
      {"datetime", {"2026-01-01T00:00:00Z"}, {"x"}},
      {"password", {"", "anything"}, {}},
      {"k8s-short-name", {"a-1"}, {"a.b", "A"}},
      {"k8s-long-name", {"a.b"}, {"A.b"}},
      {"never-heard-of", {"x"}, {}},
  };
  for (const auto& row : rows) {
    const Format format = format_named(row.format, false);
    for (const char* text : row.good) EXPECT_TRUE(string_has_format(text, format)) << row.format << ": " << text;
    for (const char* text : row.bad) EXPECT_FALSE(string_has_format(text, format)) << row.format << ": " << text;
  }
}

TEST(Format, QuantityAndMicroTimeAreForBuiltInKinds) {
  EXPECT_EQ(format_named("quantity", false), Format::kNone);
  EXPECT_TRUE(string_has_format("1Gi", format_named("quantity", true)));
  EXPECT_FALSE(string_has_format("abc", format_named("quantity", true)));
  EXPECT_TRUE(string_has_format("2026-01-01T00:00:00.123456Z", format_named("micro-time", true)));
}

TEST(Format, IntegersHaveTheirRanges) {
  EXPECT_TRUE(number_has_format(2147483647, Format::kInt32));
  EXPECT_FALSE(number_has_format(2147483648, Format::kInt32));
  EXPECT_FALSE(number_has_format(-2147483649.0L, Format::kInt32));
  EXPECT_TRUE(number_has_format(9223372036854775807.0L, Format::kInt64));
  EXPECT_FALSE(number_has_format(9223372036854775808.0L, Format::kInt64));
  EXPECT_TRUE(number_has_format(1e300L, Format::kDouble));
}

TEST(Format, DefinitionsAreWarnedOfTheFormatsThatKubeApiserverWarnsOf) {
  struct Row {
    const char* reason;
    const char* type;
    const char* format;
    bool recognized;
  };
  const std::vector<Row> rows = {
      {"a text", "string", "date-time", true},
      {"dashes do not count", "string", "datetime", true},
      {"nor in names with a digit", "string", "k8s-short-name", true},
      {"known, and accepts everything", "string", "password", true},
      {"int-or-string has no type", "", "uuid", true},
      {"of Go types, not of schemas", "", "quantity", false},
      {"likewise", "string", "micro-time", false},
      {"a typo", "string", "date-tiem", false},
      {"for integers", "string", "int32", false},
      {"an integer", "integer", "int64", true},
      {"a format of another type", "integer", "double", false},
      {"a number", "number", "double", true},
      {"integers are narrower", "number", "int32", false},
      {"objects have no formats", "object", "date", false},
  };
  for (const auto& row : rows) EXPECT_EQ(is_recognized_format(row.type, row.format), row.recognized) << row.reason;
}

}  // namespace
}  // namespace chandler::meta
