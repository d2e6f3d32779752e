#include "resolve/engine_version.h"

#include <random>

#include <gtest/gtest.h>

#include "base/text.h"

namespace chandler::resolve {
namespace {

TEST(EngineVersion, IsAgreedOnComponentByComponent) {
  const struct {
    std::string_view asked, offered, agreed, why;
  } rows[] = {
      {"9.6", "9.6", "9.6", "equal"},
      {"5.7", "5.7.21", "5.7.21", "the class is more precise"},
      {"5", "5.7.21", "5.7.21", "a major version leaves the rest open"},
      {"5", "56", "none", "components are compared, not letters"},
      {"5.7", "5.70", "none", "components are compared, not letters"},
      {"5.7.21", "5.7", "none", "the class does not promise what is asked for"},
      {"9.6", "11", "none", "different"},
      {"09.6", "9.06", "9.06", "numbers count by value"},
      {"8.0.aurora", "8.0.aurora.3", "8.0.aurora.3", "components may be words"},
      {"8.0.Aurora", "8.0.aurora", "none", "words are compared as they are"},
      {"", "9.6", "9.6", "the claim leaves it to the class"},
      {"9.6", "", "9.6", "the class leaves it to the claim"},
      {"", "", "", "nobody cares"},
      {"9.", "9", "none", "an empty component is no version, but no crash either"},
      {"0", "00", "00", "zeros"},
      {"99999999999999999999999", "99999999999999999999999.1", "99999999999999999999999.1", "no number is too large"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(agree_on_version(row.asked, row.offered).value_or("none"), row.agreed)
        << row.asked << " against " << row.offered << ": " << row.why;
  }
}

TEST(EngineVersion, AnythingAgreesWithItselfAndWithItsBeginnings) {
  std::mt19937 random(7);
  for (int round = 0; round < 2'000; ++round) {
    std::string version;
    for (size_t i = 0, count = 1 + random() % 5; i < count; ++i) {
      version += (version.empty() ? "" : ".") + std::to_string(random() % 30);
    }
    EXPECT_EQ(agree_on_version(version, version), version);
    for (size_t dot = version.find('.'); dot != std::string::npos; dot = version.find('.', dot + 1)) {
      EXPECT_EQ(agree_on_version(version.substr(0, dot), version), version);
      EXPECT_EQ(agree_on_version(version, version.substr(0, dot)), std::nullopt) << "the class promises less";
    }
    EXPECT_EQ(agree_on_version(version + "1", version), std::nullopt);
  }
}

}  // namespace
}  // namespace chandler::resolve
