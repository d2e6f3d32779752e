#include "reconcilers/catalog/endpoint.h"

#include <gtest/gtest.h>

#include "controller/fake_api.h"
#include "json/reader.h"
#include "reconcilers/catalog/document.h"

namespace chandler::reconcilers {
namespace {

class Endpoint : public ::testing::Test {
 protected:
  Result<osb::Endpoint> endpoint(Scope scope, const std::string& spec) {
    const bool cluster = scope == Scope::kCluster;
    const auto broker = api.put(names_of(scope).brokers, "{kind: B, metadata: {name: b" +
                                                             std::string(cluster ? "" : ", namespace: dev") +
                                                             "}, spec: {url: 'https://b.example.com', " + spec + "}}");
    controller::View view(api, api, WallTime{}, nullptr);
    auto out = endpoint_of(broker, scope, settings, view);
    reads = view.reads();
    return out;
  }
  void put_secret(const std::string& ns, const std::string& data) {
    api.put(kSecrets, "{kind: Secret, metadata: {name: login, namespace: " + ns + "}, data: {" + data + "}}");
  }

  controller::FakeApi api;
  Settings settings;
  std::vector<controller::Read> reads;
};

TEST_F(Endpoint, WithoutCredentials) {
  const auto found = endpoint(Scope::kCluster, "insecureSkipTLSVerify: true");
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->url, "https://b.example.com");
  EXPECT_EQ(found->authorization, "");
  EXPECT_TRUE(found->tls->insecure);
  EXPECT_EQ(found->addresses, nullptr) << "an operator wrote the URL";
  EXPECT_EQ(found->api_version, settings.osb_api_version);
}

TEST_F(Endpoint, ReadsCredentialsOfBothSorts) {
  put_secret("ops", "username: dXNlcg==, password: cGFzcw==, token: dG9r");
  auto found = endpoint(Scope::kCluster, "authInfo: {basic: {secretRef: {namespace: ops, name: login}}}");
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(found->authorization, "Basic dXNlcjpwYXNz");
  found = endpoint(Scope::kCluster, "authInfo: {bearer: {secretRef: {namespace: ops, name: login}}}");
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(found->authorization, "Bearer tok");
}

TEST_F(Endpoint, ABrokerOfANamespaceReadsOnlyItsOwnSecrets) {
  put_secret("ops", "token: dG9r");
  auto found = endpoint(Scope::kNamespace, "authInfo: {bearer: {secretRef: {namespace: ops, name: login}}}");
  ASSERT_FALSE(found.ok());
  EXPECT_NE(found.error().message.find("dev/login"), std::string::npos);
  ASSERT_EQ(reads.size(), 1u);  // what was missing is watched
  EXPECT_EQ(reads[0].ns, "dev");
  put_secret("dev", "token: dG9r");
  found = endpoint(Scope::kNamespace, "authInfo: {bearer: {secretRef: {name: login}}}");
  ASSERT_TRUE(found.ok());
}

TEST_F(Endpoint, ABrokerOfANamespaceIsHeldToTheRulesOfTheSettings) {
  const auto usual = endpoint(Scope::kNamespace, "insecureSkipTLSVerify: false");
  ASSERT_TRUE(usual.ok() && usual->addresses);
  EXPECT_NE(usual->addresses->refusal("127.0.0.1"), "");
  EXPECT_NE(usual->addresses->refusal("169.254.169.254"), "");
  EXPECT_EQ(usual->addresses->refusal("10.0.0.1"), "");
  settings.namespaced_broker_addresses =
      std::make_shared<http::AddressRules>(http::AddressRules::parse("private", true, {}).value());
  EXPECT_EQ(endpoint(Scope::kNamespace, "insecureSkipTLSVerify: false")->addresses,
            settings.namespaced_broker_addresses);
  EXPECT_EQ(endpoint(Scope::kCluster, "insecureSkipTLSVerify: false")->addresses, nullptr);
}

TEST_F(Endpoint, ErrorsNameWhatIsMissingAndNoValue) {
  struct Row {
    std::string_view reason, data, spec, part;
  };
  const std::string_view basic = "authInfo: {basic: {secretRef: {namespace: ops, name: login}}}";
  for (const auto& row : {Row{"both keys are needed", "username: c2VjcmV0", basic, "password"},
                          Row{"not base64", "username: c2VjcmV0, password: '%%secret'", basic, "password"},
                          Row{"a bundle in PEM has to be encoded", "", "caBundle: '%%'", "caBundle"}}) {
    put_secret("ops", std::string(row.data));
    const auto found = endpoint(Scope::kCluster, std::string(row.spec));
    ASSERT_FALSE(found.ok()) << row.reason;
    EXPECT_NE(found.error().message.find(row.part), std::string::npos) << found.error().message;
    EXPECT_EQ(found.error().message.find("%%secret"), std::string::npos);
  }
}

TEST(Identity, IsWhatBrokersAreTold) {
  const auto user = json::parse(R"({"username":"u","uid":"1","groups":["g"],"extra":{"a":["b"]},"more":1})");
  EXPECT_TRUE(json::equal(*json::parse(identity_of(*user)),
                          *json::parse(R"({"username":"u","uid":"1","groups":["g"],"extra":{"a":["b"]}})")));
  EXPECT_EQ(identity_of(json::Value()), "");
}

}  // namespace
}  // namespace chandler::reconcilers
