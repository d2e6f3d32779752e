#include "meta/quantity.h"

#include <gtest/gtest.h>

namespace chandler::meta {
namespace {

TEST(Quantity, WritesTheCanonicalForm) {
  struct Row {
    const char* reason;
    const char* input;
    const char* want;
  };
  const Row rows[] = {
      {"plain number", "5", "5"},
      {"sign is kept", "-5", "-5"},
      {"plus is dropped", "+5", "5"},
      {"zero has no suffix", "0Gi", "0"},
      {"binary stays binary", "1Gi", "1Gi"},
      {"binary moves up", "2048Mi", "2Gi"},
      {"binary moves down to stay whole", "1.5Gi", "1536Mi"},
      {"a binary amount below 1024 is decimal", "0.5Ki", "512"},
      {"a binary amount that is not whole is decimal", "1025.5Ki", "1050112"},
      {"milli", "500m", "500m"},
      {"milli that is whole", "1000m", "1"},
      {"fraction becomes milli", "0.1", "100m"},
      {"leading point", ".5", "500m"},
      {"trailing point", "5.", "5"},
      {"kilo", "1000", "1k"},
      {"kilo with rest", "1500", "1500"},
      {"exa", "1E", "1E"},
      {"exponent", "1e3", "1e3"},
      {"capital exponent", "12E2", "1200"},
      {"negative exponent", "1500e-3", "1500e-3"},
      {"exponent with plus", "1e+6", "1e6"},
      {"below nano is rounded up", "0.1n", "1n"},
      {"tiny negative is rounded away from zero", "-0.1n", "-1n"},
      {"beyond the limit is cut", "1e100", "9223372036854775807"},
      {"beyond the limit, binary", "100000Ei", "9223372036854775807"},
      {"a huge exponent of zero is zero", "0e9999999", "0"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.reason);
    const auto quantity = parse_quantity(row.input);
    ASSERT_TRUE(quantity.has_value()) << row.input;
    EXPECT_EQ(quantity->str(), row.want);
    const auto again = parse_quantity(quantity->str());
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(again->str(), quantity->str()) << "canonical form is stable";
  }
}

TEST(Quantity, RefusesWhatIsNone) {
  for (const char* text : {"", "abc", "1.2.3", "1Zi", "Gi", "-", "+", ".", "1 Gi", " 1", "1e", "1e1.5", "0x10", "1K",
                           "--1", "1e+-3", "1i"}) {
    EXPECT_FALSE(parse_quantity(text).has_value()) << text;
  }
  EXPECT_FALSE(parse_quantity(std::string(300, '1')).has_value()) << "bounded length";
}

TEST(Quantity, ComparesByAmountOnly) {
  EXPECT_EQ(*parse_quantity("1Gi"), *parse_quantity("1073741824"));
  EXPECT_EQ(*parse_quantity("1000m"), *parse_quantity("1e0"));
  EXPECT_LT(*parse_quantity("1G"), *parse_quantity("1Gi"));
  EXPECT_GT(*parse_quantity("2"), *parse_quantity("1999m"));
  EXPECT_LT(*parse_quantity("-1"), *parse_quantity("0"));
}

}  // namespace
}  // namespace chandler::meta
