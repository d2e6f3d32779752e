// The cost of comparing a claim's selector with the volumes that there are.
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/check.h"
#include "json/reader.h"
#include "json/writer.h"
#include "reconcilers/volume/volume_match.h"
#include "support/growth.h"

namespace chandler::reconcilers {
namespace {

using ::chandler::testing::Growth;
using ::chandler::testing::is_linear;

client::Object object_of(const std::string& text) {
  const auto value = json::parse(text);
  CH_CHECK(value.ok());
  auto document = registry::Document::from_stored(json::write(*value), 1, {});
  CH_CHECK(document.ok());
  return client::Object(std::move(document).value());
}

// Every term holds for every volume, so that no comparison ends early.
client::Object claim_with_terms(size_t count) {
  std::string terms;
  for (size_t i = 0; i < count; ++i) {
    terms += fmt::format(R"({}{{"key":"k{}","operator":"DoesNotExist"}})", i > 0 ? "," : "", i);
  }
  return object_of(
      fmt::format(R"({{"metadata":{{"name":"c","namespace":"ns","uid":"u"}},"spec":{{"accessModes":["ReadWriteOnce"],)"
                  R"("resources":{{"requests":{{"storage":"1Gi"}}}},"selector":{{"matchExpressions":[{}]}}}}}})",
                  terms));
}

std::vector<client::Object> volumes(size_t count) {
  std::vector<client::Object> out;
  for (size_t i = 0; i < count; ++i) {
    out.push_back(
        object_of(fmt::format(R"({{"metadata":{{"name":"v{}","labels":{{"a":"b"}},"uid":"u"}},)"
                              R"("spec":{{"accessModes":["ReadWriteOnce"],"capacity":{{"storage":"1Gi"}}}}}})",
                              i)));
  }
  return out;
}

TEST(VolumeMatchGrowth, TermsAndVolumes) {
  EXPECT_TRUE(is_linear(2'000, [](size_t n) -> Growth::Work {
    return [claim = claim_with_terms(n), all = volumes(n)] { EXPECT_EQ(best_match(claim, "", all).name(), "v0"); };
  }));
}

}  // namespace
}  // namespace chandler::reconcilers
