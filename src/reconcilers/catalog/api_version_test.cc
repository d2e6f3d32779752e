#include "reconcilers/catalog/api_version.h"

#include <gtest/gtest.h>

#include "controller/fake_api.h"
#include "reconcilers/catalog/kinds.h"

namespace chandler::reconcilers {
namespace {

TEST(ApiVersion, IsTheLowerOfWhatIsPreferredAndWhatIsAccepted) {
  const struct {
    std::string_view name, reason, preferred, remembered, sent;
  } rows[] = {
      {"nothing remembered", "the usual case", "2.17", "", "2.17"},
      {"lower", "the broker has refused higher ones", "2.17", "2.14", "2.14"},
      {"higher", "an operator has chosen a lower one since", "2.13", "2.15", "2.13"},
      {"numbers", "minor versions are numbers, not texts", "2.17", "2.9", "2.9"},
      {"nonsense", "a status that somebody wrote by hand decides nothing", "2.17", "two", "2.17"},
      {"own choice", "a preference that we cannot read is the operator's", "3", "", "3"},
  };
  for (const auto& row : rows) {
    controller::FakeApi api;
    const auto broker = api.put(kClusterBrokers, fmt::format("{{kind: ClusterServiceBroker, metadata: {{name: b}}, "
                                                             "status: {{osbAPIVersion: \"{}\"}}}}",
                                                             row.remembered));
    Settings settings;
    settings.osb_api_version = row.preferred;
    EXPECT_EQ(api_version_for(broker, settings), row.sent) << row.name << ": " << row.reason;
  }
}

TEST(ApiVersion, GoesDownStepByStepAndEnds) {
  std::string walked;
  for (std::optional<std::string> at = "2.17"; at; at = lower_api_version(*at)) walked += *at + " ";
  EXPECT_EQ(walked, "2.17 2.16 2.15 2.14 2.13 ");
  EXPECT_EQ(lower_api_version("2.40"), "2.17") << "not one that we do not speak";
  EXPECT_EQ(lower_api_version("3.1"), std::nullopt);
  EXPECT_EQ(lower_api_version(""), std::nullopt);
}

}  // namespace
}  // namespace chandler::reconcilers
