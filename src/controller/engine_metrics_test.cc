#include "controller/engine_metrics.h"

#include <gmock/gmock.h>

#include <fmt/format.h>

namespace chandler::controller {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;

osb::Call call_of(osb::Method method) {
  osb::Call call;
  call.method = method;
  return call;
}

osb::Answer answer_with(int status) {
  osb::Answer answer;
  answer.status = status;
  return answer;
}

TEST(EngineMetrics, CountsCallsByBrokerMethodAndStatus) {
  metrics::Registry registry;
  EngineMetrics figures(registry);
  for (int i = 0; i < 2; ++i) {
    figures.answered("a", call_of(osb::Method::kProvision), answer_with(201), seconds(1));
    figures.answered("a", call_of(osb::Method::kProvision), answer_with(200), seconds(1));
    figures.answered("a", call_of(osb::Method::kProvision), answer_with(500), seconds(1));
    figures.answered("a", call_of(osb::Method::kBind), answer_with(201), seconds(1));
    figures.answered("b", call_of(osb::Method::kProvision), answer_with(201), seconds(1));
  }
  const auto text = registry.text();
  const auto expect = [&text](std::string_view broker, std::string_view method, std::string_view status, int count) {
    EXPECT_THAT(text, HasSubstr(fmt::format(
                          "servicecatalog_osb_request_count{{broker=\"{}\",method=\"{}\",status=\"{}\"}} {}\n", broker,
                          method, status, count)));
  };
  expect("a", "ProvisionInstance", "2xx", 4);
  expect("a", "ProvisionInstance", "5xx", 2);
  expect("a", "Bind", "2xx", 2);
  expect("b", "ProvisionInstance", "2xx", 2);
  EXPECT_THAT(text, HasSubstr("duration_seconds_count{broker=\"a\",method=\"ProvisionInstance\"} 6\n"));
  EXPECT_THAT(text, HasSubstr("duration_seconds_count{broker=\"a\",method=\"Bind\"} 2\n"));
}

TEST(EngineMetrics, BrokersBeyondALimitShareTheirFigures) {
  metrics::Registry registry;
  EngineMetrics figures(registry);
  for (int i = 0; i < 503; ++i) {
    figures.answered(fmt::format("broker-{}", i), call_of(osb::Method::kBind), answer_with(404), seconds(1));
  }
  const auto text = registry.text();
  EXPECT_THAT(text, HasSubstr("{broker=\"broker-499\",method=\"Bind\",status=\"4xx\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("{broker=\"(other)\",method=\"Bind\",status=\"4xx\"} 3\n"));
}

}  // namespace
}  // namespace chandler::controller
