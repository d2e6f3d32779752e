#include "auth/pki_renewal.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "auth/certificate.h"
#include "base/file.h"
#include "base/ids.h"
#include "support/fake_clock.h"

namespace chandler::auth {
namespace {

using std::chrono::days;

class PkiRenewalTest : public ::testing::Test {
 protected:
  ~PkiRenewalTest() override { std::filesystem::remove_all(directory_); }
  Pki open() { return *load_or_create_pki(directory_, {"chandler.example"}, clock_); }

  const std::string directory_ = std::filesystem::temp_directory_path() / ("pki-renewal-" + new_uuid());
  testing::FakeClock clock_;
};

TEST_F(PkiRenewalTest, RenewsWhatIsAboutToExpireAndTellsOnce) {
  const Pki first = open();
  std::vector<Pki> told;
  PkiRenewal renewal(directory_, {"chandler.example"}, first, clock_, [&](const Pki& pki) { told.push_back(pki); });
  EXPECT_FALSE(*renewal.check());
  clock_.advance(days(334));
  EXPECT_FALSE(*renewal.check()) << "31 days are left";
  clock_.advance(days(2));
  EXPECT_TRUE(*renewal.check()) << "29 days are left";
  EXPECT_FALSE(*renewal.check()) << "all is new";
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(Certificate::from_pem(told[0].server_chain_pem)->expires(), clock_.now() + days(365));
  EXPECT_EQ(Certificate::from_pem(told[0].admin_cert_pem)->expires(), clock_.now() + days(365));
  EXPECT_EQ(told[0].ca_pem, first.ca_pem) << "clients go on trusting the same authority";
  EXPECT_EQ(told[0].server_key_pem, first.server_key_pem);
  EXPECT_EQ(told[0].sa_key_pem, first.sa_key_pem);
  EXPECT_EQ(open(), told[0]) << "the next start finds the same";
}

TEST_F(PkiRenewalTest, AFaultIsTheCallersToTell) {
  const Pki first = open();
  PkiRenewal renewal(directory_, {"chandler.example"}, first, clock_, [](const Pki&) { ADD_FAILURE(); });
  std::filesystem::remove(directory_ + "/ca.key");
  const auto looked = renewal.check();
  ASSERT_FALSE(looked.ok());
  EXPECT_NE(looked.error().message.find("ca.key"), std::string::npos) << looked.error().message;
}

}  // namespace
}  // namespace chandler::auth
