#include "brokers/bundled.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "brokers/temp_directory_fixture.h"
#include "http/test_client.h"

namespace chandler::brokers {
namespace {

int catalog_status(const BundledBrokers& bundled, const std::string& password) {
  const auto port = parse_uint64(bundled.url().substr(bundled.url().rfind(':') + 1)).value();
  http::testing::Client client(static_cast<uint16_t>(port));
  client.send("GET /v2/catalog HTTP/1.1\r\nHost: x\r\nX-Broker-API-Version: 2.17\r\nAuthorization: Basic " +
              base64_encode(bundled.username() + ":" + password) + "\r\n\r\n");
  return client.receive().status;
}

TEST(BundledBrokers, ServeWithAPasswordOfTheirOwnAtEachStart) {
  const TempDirectory directory;
  std::string first;
  {
    const auto bundled = BundledBrokers::start(directory.path(), {}).value();
    first = bundled->password();
    EXPECT_GE(first.size(), 32u);
    EXPECT_EQ(catalog_status(*bundled, first), 200);
    EXPECT_EQ(catalog_status(*bundled, "guess"), 401);
    bundled->stop();
    bundled->stop();
  }
  const auto again = BundledBrokers::start(directory.path(), {}).value();
  EXPECT_NE(again->password(), first);
  EXPECT_EQ(catalog_status(*again, again->password()), 200);
}

TEST(BundledBrokers, TwoCannotShareADirectory) {
  const TempDirectory directory;
  const auto one = BundledBrokers::start(directory.path(), {});
  ASSERT_TRUE(one.ok());
  const auto two = BundledBrokers::start(directory.path(), {});
  ASSERT_FALSE(two.ok());
  EXPECT_NE(two.error().message.find("broker.lock"), std::string::npos) << two.error().message;
}

}  // namespace
}  // namespace chandler::brokers
