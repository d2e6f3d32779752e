#include "admission/catalog_rows.h"
#include "admission/kind_rules.h"
#include "auth/certificate.h"
#include "auth/key.h"
#include "base/text.h"

namespace chandler::admission {
namespace {

std::string broker(const std::string& spec) {
  return R"({"metadata":{"name":"b","namespace":"a"},"spec":{"url":"https://b",)" + spec + "}}";
}

TEST(Broker, HasNoContradictions) {
  expect_checks(
      check_broker,
      {{"fine", "the least", R"({"metadata":{},"spec":{"url":"https://b"}})", "", {}},
       {"url", "must be callable", R"({"metadata":{},"spec":{"url":"b"}})", "", {"spec.url Invalid"}},
       {"zero", "a relist all the time", broker(R"("relistDuration":"0s")"), "", {"spec.relistDuration Invalid"}},
       {"for ever", "does not fit", broker(R"("relistDuration":"99999999999h")"), "", {"spec.relistDuration Invalid"}},
       {"duration", "as Go writes it", broker(R"("relistDuration":"1h15m0s")"), "", {}},
       {"bundle",
        "not PEM",
        broker(R"("caBundle":")" + base64_encode("rubbish") + R"(")"),
        "",
        {"spec.caBundle Invalid"}},
       {"broken certificate",
        "PEM of nothing",
        broker(R"("caBundle":")" + base64_encode("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n") +
               R"(")"),
        "",
        {"spec.caBundle Invalid"}},
       {"cut off",
        "an end is missing",
        broker(R"("caBundle":")" + base64_encode("-----BEGIN CERTIFICATE-----\nAAAA\n") + R"(")"),
        "",
        {"spec.caBundle Invalid"}},
       {"key",
        "a private key must not be stored in the clear",
        broker(R"("caBundle":")" + base64_encode("-----BEGIN PRIVATE KEY-----\nAA\n-----END PRIVATE KEY-----\n") +
               R"(")"),
        "",
        {"spec.caBundle Invalid"}},
       {"insecure",
        "verify or not; all faults at once",
        broker(R"("insecureSkipTLSVerify":true,"caBundle":"cnViYmlzaA==","relistDuration":"0h")"),
        "",
        {"spec.insecureSkipTLSVerify Invalid", "spec.caBundle Invalid", "spec.relistDuration Invalid"}},
       {"insecure alone", "fine without a bundle", broker(R"("insecureSkipTLSVerify":true,"caBundle":"")"), "", {}},
       {"restrictions",
        "every string is a restriction with known properties",
        broker(
            R"("catalogRestrictions":{"serviceClass":["spec.externalName in (a, b) ","x=1"],"servicePlan":["spec.free=maybe("]})"),
        "",
        {"spec.catalogRestrictions.serviceClass[1] Invalid", "spec.catalogRestrictions.servicePlan[0] Invalid"}},
       {"fewer relists",
        "somebody already asked for more",
        broker(R"("relistRequests":2)"),
        broker(R"("relistRequests":3)"),
        {"spec.relistRequests Invalid"}},
       {"more relists", "that is how one asks", broker(R"("relistRequests":4)"), broker(R"("relistRequests":3)"), {}}});
}

TEST(Broker, CredentialsAreInASecret) {
  const auto basic = [](const std::string& ref) { return broker(R"("authInfo":{"basic":{"secretRef":)" + ref + "}}"); };
  expect_checks(check_broker, {{"own namespace", "said twice", basic(R"({"name":"s","namespace":"a"})"), "", {}},
                               {"without", "the usual form", basic(R"({"name":"s"})"), "", {}},
                               {"other namespace",
                                "a namespaced broker reaches no other",
                                basic(R"({"name":"s","namespace":"x"})"),
                                "",
                                {"spec.authInfo.basic.secretRef.namespace Invalid"}}});
  expect_checks(check_broker,
                {{"anywhere", "a broker of the cluster says where", basic(R"({"name":"s","namespace":"x"})"), "", {}},
                 {"nowhere",
                  "and has to",
                  broker(R"("authInfo":{"bearer":{"secretRef":{"name":"s"}}})"),
                  "",
                  {"spec.authInfo.bearer.secretRef.namespace Required"}},
                 {"no namespace",
                  "cannot exist",
                  basic(R"({"name":"s","namespace":"A_"})"),
                  "",
                  {"spec.authInfo.basic.secretRef.namespace Invalid"}}},
                false);
}

TEST(Broker, TakesTheCertificatesOfAuthorities) {
  const auto key = auth::new_private_key_pem();
  ASSERT_TRUE(key.ok());
  const auto from = WallTime(std::chrono::hours(24 * 365 * 50));
  const auto pem = auth::new_authority("test", auth::read_private_key(*key), from, from + std::chrono::hours(24));
  ASSERT_TRUE(pem.ok());
  expect_checks(check_broker, {{"two",
                                "bundles hold several, with comments between them",
                                broker(R"("caBundle":")" + base64_encode("# one\n" + *pem + "# two\n" + *pem) + R"(")"),
                                "",
                                {}}});
}

TEST(Broker, IsCompleted) {
  CatalogWorld world;
  EXPECT_EQ(json::write(completed(world, default_broker, R"({"metadata":{},"spec":{}})")),
            R"({"metadata":{"finalizers":["kubernetes-incubator/service-catalog"]},"spec":{}})");
  EXPECT_EQ(json::write(completed(world, default_broker, R"({"metadata":{"finalizers":["x/y"]},"spec":{}})")),
            R"({"metadata":{"finalizers":["x/y","kubernetes-incubator/service-catalog"]},"spec":{}})")
      << "what users put there stays";
  EXPECT_EQ(json::write(completed(world, default_broker, R"({"metadata":{},"spec":{"relistRequests":0}})",
                                  R"({"metadata":{},"spec":{"relistRequests":5}})")),
            R"({"metadata":{},"spec":{"relistRequests":5}})")
      << "0 keeps the value, and a finalizer that is gone does not come back";
}

TEST(Broker, CredentialsAreSentOnlyByWhoMayReadThem) {
  CatalogWorld world;
  world.grant("r", "a", "", "secrets", "get", "mine");
  const std::string mine = R"("authInfo":{"basic":{"secretRef":{"name":"mine","namespace":"a"}}})";
  const std::string other = R"("authInfo":{"bearer":{"secretRef":{"name":"other","namespace":"a"}}})";
  const std::vector<PermitRow> rows = {
      {"none", "nothing to read", broker(R"("relistRequests":1)"), "", ""},
      {"mine", "ann may read it", broker(mine), "", ""},
      {"other", "she may not read that one", broker(other), "", "secret \"other\" in namespace \"a\""},
      {"sync", "asking for a relist sends nothing elsewhere", broker(other + R"(,"relistRequests":2)"), broker(other),
       ""},
      {"redirected", "the credentials would go to a server of her own",
       R"({"metadata":{"name":"b","namespace":"a"},"spec":{"url":"https://evil",)" + other + "}}", broker(other),
       "spec.authInfo.bearer.secretRef"},
      {"unverified", "so that somebody in between gets them", broker(other + R"(,"insecureSkipTLSVerify":true)"),
       broker(other), "may not get"}};
  expect_permits(world, permit_broker, "servicebrokers", true, rows);
  expect_permits(world, permit_broker, "clusterservicebrokers", false, rows);
}

}  // namespace
}  // namespace chandler::admission
