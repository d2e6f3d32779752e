#include "auth/service_account_tokens.h"

#include <gtest/gtest.h>

#include <map>

#include "auth/token_request.h"
#include "base/text.h"
#include "json/reader.h"
#include "support/fake_clock.h"

namespace chandler::auth {
namespace {

using std::chrono::seconds;
using Texts = std::vector<std::string>;

class FakeLookup final : public ServiceAccountLookup {
 public:
  std::optional<std::string> uid_of(std::string_view ns, std::string_view name) const override {
    return bound_uid("ServiceAccount", ns, name);
  }
  std::optional<std::string> bound_uid(std::string_view kind, std::string_view ns,
                                       std::string_view name) const override {
    const auto found = uids.find(std::string(kind) + "/" + std::string(ns) + "/" + std::string(name));
    return found == uids.end() ? std::nullopt : std::optional(found->second);
  }
  std::map<std::string, std::string> uids = {{"ServiceAccount/ns/sa", "sa-uid"},
                                             {"Pod/ns/pod", "pod-uid"},
                                             {"Secret/ns/secret", "secret-uid"},
                                             {"Node//node", "node-uid"}};
};

SigningKey new_key() { return *SigningKey::from_pem(*new_private_key_pem()); }

class ServiceAccountTokensTest : public ::testing::Test {
 protected:
  TokenOrder order() const {
    TokenOrder o;
    o.ns = "ns";
    o.name = "sa";
    o.uid = "sa-uid";
    return o;
  }
  std::string issue(const TokenOrder& o) const { return tokens.issue(o)->token; }
  Result<std::optional<Identity>> use(std::string_view token, const Texts* audiences = nullptr) const {
    Credentials credentials;
    credentials.bearer_token = token;
    credentials.audiences = audiences;
    return tokens.authenticate(credentials);
  }
  std::string refusal(std::string_view token, const Texts* audiences = nullptr) const {
    const auto got = use(token, audiences);
    if (!got.ok()) return got.error().message;
    return got->has_value() ? "accepted" : "not mine";
  }

  FakeLookup lookup;
  testing::FakeClock clock;
  SigningKey key = new_key();
  ServiceAccountTokens tokens{key, {}, lookup, clock};
};

TEST_F(ServiceAccountTokensTest, ATokenMakesItsAccountTheUser) {
  const auto got = use(issue(order()));
  ASSERT_TRUE(got.ok() && got->has_value());
  const auto& user = (*got)->user;
  EXPECT_EQ(user.name, "system:serviceaccount:ns:sa");
  EXPECT_EQ(user.uid, "sa-uid");
  EXPECT_EQ(user.groups, (Texts{"system:serviceaccounts", "system:serviceaccounts:ns"}));
  ASSERT_EQ(user.extra.count("authentication.kubernetes.io/credential-id"), 1u);
  EXPECT_EQ(user.extra.at("authentication.kubernetes.io/credential-id").front().substr(0, 4), "JTI=");
  EXPECT_EQ((*got)->audiences, Texts{"https://kubernetes.default.svc"});
}

TEST_F(ServiceAccountTokensTest, CarriesTheClaimsThatOthersRead) {
  auto o = order();
  o.bound = BoundObject{"Pod", "pod", "pod-uid"};
  const auto token = issue(o);
  const auto jwt = parse_jwt(token);
  ASSERT_TRUE(jwt.ok());
  auto claims = jwt->claims;
  EXPECT_TRUE(json::string_at(claims, "jti").has_value());
  claims.get_object().erase("jti");
  const auto want = json::parse(R"({"iss": "https://kubernetes.default.svc", "sub": "system:serviceaccount:ns:sa",
      "aud": ["https://kubernetes.default.svc"], "iat": 1700000000, "nbf": 1700000000, "exp": 1700003600,
      "kubernetes.io": {"namespace": "ns", "serviceaccount": {"name": "sa", "uid": "sa-uid"},
                        "pod": {"name": "pod", "uid": "pod-uid"}}})");
  EXPECT_TRUE(json::equal(claims, *want));
}

TEST_F(ServiceAccountTokensTest, ABoundPodIsShownInExtra) {
  auto o = order();
  o.bound = BoundObject{"Pod", "pod", "pod-uid"};
  const auto got = use(issue(o));
  ASSERT_TRUE(got.ok() && got->has_value());
  EXPECT_EQ((*got)->user.extra.at("authentication.kubernetes.io/pod-name"), Texts{"pod"});
  EXPECT_EQ((*got)->user.extra.at("authentication.kubernetes.io/pod-uid"), Texts{"pod-uid"});
}

TEST_F(ServiceAccountTokensTest, DiesWithWhatItIsBoundTo) {
  struct Row {
    std::string name;
    std::string reason;
    std::optional<BoundObject> bound;
    std::string gone;  // what is deleted
  };
  const std::vector<Row> rows = {
      {"account", "a deleted account has no rights", std::nullopt, "ServiceAccount/ns/sa"},
      {"pod", "the token lives as long as its pod", BoundObject{"Pod", "pod", "pod-uid"}, "Pod/ns/pod"},
      {"secret", "the token lives as long as its secret", BoundObject{"Secret", "secret", "secret-uid"},
       "Secret/ns/secret"},
      {"node", "a node has no namespace", BoundObject{"Node", "node", "node-uid"}, "Node//node"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name + ": " + row.reason);
    auto o = order();
    o.bound = row.bound;
    const auto token = issue(o);
    EXPECT_EQ(refusal(token), "accepted");  // from here on the signature is cached
    const auto uid = lookup.uids.at(row.gone);
    lookup.uids[row.gone] = "made anew";
    EXPECT_NE(refusal(token).find("does not exist any more"), std::string::npos);
    lookup.uids.erase(row.gone);
    EXPECT_NE(refusal(token).find("does not exist any more"), std::string::npos);
    lookup.uids[row.gone] = uid;
    EXPECT_EQ(refusal(token), "accepted");
  }
}

TEST_F(ServiceAccountTokensTest, ExpiresToTheSecondAlsoWhenCached) {
  auto o = order();
  o.lifetime = seconds(600);
  const auto token = issue(o);
  clock.advance(seconds(599));
  EXPECT_EQ(refusal(token), "accepted");
  clock.advance(seconds(1));
  EXPECT_EQ(refusal(token), "the token has expired");
}

TEST_F(ServiceAccountTokensTest, IsForItsAudiencesOnly) {
  auto o = order();
  o.audiences = {"a", "b"};
  const auto token = issue(o);
  EXPECT_EQ(refusal(token), "the token is not meant for the wanted audiences");
  const Texts wanted = {"c", "b"};
  const auto got = use(token, &wanted);
  ASSERT_TRUE(got.ok() && got->has_value());
  EXPECT_EQ((*got)->audiences, Texts{"b"});
}

TEST_F(ServiceAccountTokensTest, OtherTokensAreNotItsBusinessForgedOnesAre) {
  EXPECT_EQ(refusal("nonsense"), "not mine");
  EXPECT_EQ(refusal(""), "not mine");
  const ServiceAccountTokens foreign(new_key(), {.issuer = "https://elsewhere", .audiences = {}}, lookup, clock);
  EXPECT_EQ(refusal(foreign.issue(order())->token), "not mine");
  const ServiceAccountTokens forger(new_key(), {}, lookup, clock);
  EXPECT_EQ(refusal(forger.issue(order())->token), "the token's signature is not by a key that is trusted");
}

TEST_F(ServiceAccountTokensTest, RetiredKeysStillVerifyAndAreStillPublished) {
  const auto token = issue(order());
  const auto next_key = new_key();
  const ServiceAccountTokens rotated(next_key, {.audiences = {}, .retired_keys = {key.verifying_key()}}, lookup, clock);
  Credentials credentials;
  credentials.bearer_token = token;
  const auto got = rotated.authenticate(credentials);
  ASSERT_TRUE(got.ok());
  EXPECT_TRUE(got->has_value());
  const auto document = rotated.jwks();
  const auto* keys = json::array_at(document, "keys");
  ASSERT_NE(keys, nullptr);
  ASSERT_EQ(keys->size(), 2u);
  EXPECT_EQ(json::string_at((*keys)[0], "kid"), next_key.verifying_key().id());
}

TEST_F(ServiceAccountTokensTest, RefusesSignedTokensWithIncompleteClaims) {
  struct Row {
    std::string name;
    std::string reason;
    std::string claims;
  };
  const std::vector<Row> rows = {
      {"no expiry", "a token that never ends cannot be taken back", R"("sub": "system:serviceaccount:ns:sa",
        "aud": ["https://kubernetes.default.svc"], "kubernetes.io": {"namespace": "ns",
        "serviceaccount": {"name": "sa", "uid": "sa-uid"}})"},
      {"no account", "the account is looked up by it", R"("sub": "system:serviceaccount:ns:sa", "exp": 1800000000,
        "aud": ["https://kubernetes.default.svc"])"},
      {"subject differs", "it must not say two things", R"("sub": "system:serviceaccount:ns:other", "exp": 1800000000,
        "aud": ["https://kubernetes.default.svc"], "kubernetes.io": {"namespace": "ns",
        "serviceaccount": {"name": "sa", "uid": "sa-uid"}})"},
      {"no uid", "an account made anew under the same name is another", R"("sub": "system:serviceaccount:ns:sa",
        "exp": 1800000000, "aud": ["https://kubernetes.default.svc"], "kubernetes.io": {"namespace": "ns",
        "serviceaccount": {"name": "sa"}})"},
      {"no audience", "a token for nobody is not for us", R"("sub": "system:serviceaccount:ns:sa", "exp": 1800000000,
        "kubernetes.io": {"namespace": "ns", "serviceaccount": {"name": "sa", "uid": "sa-uid"}})"},
      {"bound to nothing", "what cannot be looked up is gone", R"("sub": "system:serviceaccount:ns:sa",
        "exp": 1800000000, "aud": ["https://kubernetes.default.svc"], "kubernetes.io": {"namespace": "ns",
        "serviceaccount": {"name": "sa", "uid": "sa-uid"}, "pod": 5})"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name + ": " + row.reason);
    const auto claims = json::parse(R"({"iss": "https://kubernetes.default.svc", )" + row.claims + "}");
    ASSERT_TRUE(claims.ok());
    EXPECT_FALSE(use(*sign_jwt(key, *claims)).ok());
  }
}

TEST_F(ServiceAccountTokensTest, DescribesItselfToOthers) {
  const auto want = json::parse(R"({"issuer": "https://kubernetes.default.svc", "jwks_uri": "https://x/openid/v1/jwks",
      "response_types_supported": ["id_token"], "subject_types_supported": ["public"],
      "id_token_signing_alg_values_supported": ["ES256"]})");
  EXPECT_TRUE(json::equal(tokens.openid_configuration("https://x/openid/v1/jwks"), *want));
}

using TokenRequest = ServiceAccountTokensTest;

TEST_F(TokenRequest, IsAnsweredWithAToken) {
  const auto request = json::parse(R"({"spec": {"audiences": ["a"], "expirationSeconds": 600}})");
  auto got = answer_token_request(*request, "ns", "sa", tokens, lookup, clock.now());
  ASSERT_TRUE(got.ok()) << got.error().message;
  const Texts wanted = {"a"};
  EXPECT_EQ(refusal(*json::string_at(*json::find(*got, "status"), "token"), &wanted), "accepted");
  json::find(*got, "status")->get_object().erase("token");
  json::find(*got, "metadata")->get_object().erase("uid");
  const auto want = json::parse(R"({"kind": "TokenRequest", "apiVersion": "authentication.k8s.io/v1",
      "metadata": {"name": "sa", "namespace": "ns", "creationTimestamp": "2023-11-14T22:13:20Z"},
      "spec": {"audiences": ["a"], "expirationSeconds": 600, "boundObjectRef": null},
      "status": {"expirationTimestamp": "2023-11-14T22:23:20Z"}})");
  EXPECT_TRUE(json::equal(*got, *want));
}

TEST_F(TokenRequest, AnEmptySpecMeansOneHourForThisServer) {
  const auto got = answer_token_request(json::Object(), "ns", "sa", tokens, lookup, clock.now());
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(json::int_at(*json::find(*got, "spec"), "expirationSeconds"), 3600);
  EXPECT_EQ(refusal(*json::string_at(*json::find(*got, "status"), "token")), "accepted");
}

TEST_F(TokenRequest, BindsToTheObjectAsItIsNow) {
  const auto request =
      json::parse(R"({"spec": {"boundObjectRef": {"apiVersion": "v1", "kind": "Pod", "name": "pod"}}})");
  const auto got = answer_token_request(*request, "ns", "sa", tokens, lookup, clock.now());
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(json::string_at(*json::find_path(*got, {"spec", "boundObjectRef"}), "uid"), "pod-uid");
}

TEST_F(TokenRequest, FaultsAreToldTheWayClientsKnow) {
  struct Row {
    std::string name;
    std::string reason;
    std::string account;
    std::string spec;
    int code;
    ObjectRef about;
    std::string field;
  };
  const ObjectRef request_ref{"authentication.k8s.io", "TokenRequest", "", ""};
  const std::vector<Row> rows = {
      {"no account", "there is nobody to issue for", "none", "{}", 404, {"", "serviceaccounts", "none", ""}, ""},
      {"too short", "the minimum is ten minutes", "sa", R"({"expirationSeconds": 5})", 422, request_ref,
       "spec.expirationSeconds"},
      {"too long", "the time must not overflow", "sa", R"({"expirationSeconds": 4294967297})", 422, request_ref,
       "spec.expirationSeconds"},
      {"no number", "types are checked", "sa", R"({"expirationSeconds": "x"})", 422, request_ref,
       "spec.expirationSeconds"},
      {"audience type", "types are checked", "sa", R"({"audiences": ["a", 1]})", 422, request_ref, "spec.audiences[1]"},
      {"missing secret",
       "what is gone cannot be bound to",
       "sa",
       R"({"boundObjectRef": {"apiVersion": "v1", "kind": "Secret", "name": "none"}})",
       404,
       {"", "secrets", "none", ""},
       ""},
      {"other uid",
       "the caller means an object that was replaced",
       "sa",
       R"({"boundObjectRef": {"kind": "Pod", "name": "pod", "uid": "old"}})",
       409,
       {"", "pods", "pod", ""},
       ""},
      {"other kind",
       "only some kinds can be bound to",
       "sa",
       R"({"boundObjectRef": {"kind": "ConfigMap", "name": "c"}})",
       400,
       {},
       ""},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name + ": " + row.reason);
    const auto request = json::parse(R"({"spec": )" + row.spec + "}");
    const auto got = answer_token_request(*request, "ns", row.account, tokens, lookup, clock.now());
    ASSERT_FALSE(got.ok());
    EXPECT_EQ(got.error().http(), row.code);
    EXPECT_EQ(got.error().about, row.about);
    EXPECT_EQ(got.error().causes.empty() ? "" : got.error().causes[0].field, row.field);
  }
}

TEST_F(TokenRequest, SaysWhatItIsAndForWhichAccount) {
  struct Row {
    std::string name;
    std::string reason;
    std::string body;
    int code;           // 0: a token is issued
    std::string words;  // in the message
    std::string field;
  };
  const std::string type = R"("kind": "TokenRequest", "apiVersion": "authentication.k8s.io/v1")";
  const std::vector<Row> rows = {
      {"nothing", "everything has a default", "{}", 0, "", ""},
      {"as kubectl sends it", "null means absent",
       "{" + type + R"(, "metadata": {"creationTimestamp": null}, "spec": {"audiences": null, "expirationSeconds": null,
        "boundObjectRef": null}, "status": {"token": "", "expirationTimestamp": null}})",
       0, "", ""},
      {"nulls", "null means absent", R"({"kind": null, "apiVersion": null, "metadata": null, "spec": null})", 0, "",
       ""},
      {"empty texts", "empty means absent, as in protobuf",
       R"({"kind": "", "apiVersion": "", "metadata": {"name": "", "namespace": ""}})", 0, "", ""},
      {"own name", "body and URL agree", "{" + type + R"(, "metadata": {"name": "sa", "namespace": "ns"}})", 0, "", ""},
      {"another name", "a client that mixes up accounts must not get the token of one for the other",
       R"({"metadata": {"name": "other"}})", 422, "must match the service account name if specified", "metadata.name"},
      {"another namespace", "accounts of different namespaces have equal names",
       R"({"metadata": {"namespace": "other"}})", 400,
       "the namespace of the provided object does not match the namespace sent on the request", ""},
      {"another kind", "it was meant for another URL", R"({"kind": "Pod", "apiVersion": "authentication.k8s.io/v1"})",
       400, "Pod in version \"v1\" cannot be handled as a TokenRequest", ""},
      {"another group", "kinds of other groups have equal names", R"({"kind": "TokenRequest", "apiVersion": "v1"})",
       400, "the API version in the data (v1) does not match the expected API version (authentication.k8s.io/v1)", ""},
      {"kind is a number", "types are checked", R"({"kind": 5})", 400, "kind: expected a string", ""},
      {"version is a list", "types are checked", R"({"apiVersion": []})", 400, "apiVersion: expected a string", ""},
      {"list", "there is nothing to read in it", "[]", 400, "must be of type TokenRequest", ""},
      {"text", "there is nothing to read in it", R"("x")", 400, "must be of type TokenRequest", ""},
      {"null", "there is nothing to read in it", "null", 400, "must be of type TokenRequest", ""},
      {"metadata is a text", "types are checked", R"({"metadata": "sa"})", 400, "metadata: expected an object", ""},
      {"name is a number", "types are checked", R"({"metadata": {"name": 1}})", 400, "metadata.name: expected a string",
       ""},
      {"namespace is an object", "types are checked", R"({"metadata": {"namespace": {}}})", 400,
       "metadata.namespace: expected a string", ""},
      {"spec is a list", "its settings would be ignored", R"({"spec": [{"expirationSeconds": 600}]})", 400,
       "spec: expected an object", ""},
      {"spec is a text", "its settings would be ignored", R"({"spec": "600"})", 400, "spec: expected an object", ""},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name + ": " + row.reason);
    const auto request = json::parse(row.body);
    ASSERT_TRUE(request.ok());
    const auto got = answer_token_request(*request, "ns", "sa", tokens, lookup, clock.now());
    EXPECT_EQ(got.ok(), row.code == 0) << (got.ok() ? "" : got.error().message);
    if (got.ok()) continue;
    EXPECT_EQ(got.error().http(), row.code);
    EXPECT_NE(got.error().message.find(row.words), std::string::npos) << got.error().message;
    EXPECT_EQ(got.error().causes.empty() ? "" : got.error().causes[0].field, row.field);
    EXPECT_EQ(got.error().about.name, row.code == 422 ? "sa" : "");
  }
}

TEST_F(TokenRequest, IsCheckedBeforeTheAccountIsLookedUp) {
  const auto request = json::parse(R"({"metadata": {"name": "other"}})");
  const auto got = answer_token_request(*request, "ns", "none", tokens, lookup, clock.now());
  ASSERT_FALSE(got.ok());
  EXPECT_EQ(got.error().http(), 422);
}

}  // namespace
}  // namespace chandler::auth
