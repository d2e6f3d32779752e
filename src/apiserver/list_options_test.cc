#include "apiserver/list_options.h"

#include <gtest/gtest.h>

#include "apiserver/health.h"
#include "apiserver/housekeeping/world_fixture.h"
#include "apiserver/openapi.h"
#include "apiserver/request_metrics.h"
#include "apiserver/watch_stream.h"
#include "base/text.h"

namespace chandler::apiserver {
namespace {

class NoAccounts final : public auth::ServiceAccountLookup {
 public:
  std::optional<std::string> uid_of(std::string_view, std::string_view) const override { return std::nullopt; }
  std::optional<std::string> bound_uid(std::string_view, std::string_view, std::string_view) const override {
    return std::nullopt;
  }
};

// Everything a handler may use, of which these functions use the cache alone.
class ListOptionsTest : public ::testing::Test {
 protected:
  ListOptionsTest() {
    world_.follow();
    for (const char* name : {"a", "b", "c"}) world_.create_namespace(name);  // revisions 1 to 3
  }
  Result<ListOptions> read(std::string_view query, bool watch, std::string_view plural = "events") {
    Call call;
    call.kind = world_.kind(plural);
    call.version = &call.kind->storage_version();
    call.info.ns = "ns";
    call.info.query = *QueryParameters::parse(query);
    return list_options(services_, call, watch);
  }

  testing::World world_;
  auth::ClientCertificates authenticator_;
  auth::PolicyStore policy_;
  NoAccounts accounts_;
  auth::ServiceAccountTokens tokens_{
      *auth::SigningKey::from_pem(*auth::new_private_key_pem()), {}, accounts_, world_.clock};
  OpenApi openapi_{world_.kinds, world_.cache};
  Health health_;
  WatchTimer timer_{world_.clock};
  RequestMetrics request_metrics_{world_.metrics};
  Pool pool_{"test", 1, 1};
  Services services_{world_.kinds,     world_.cache,   world_.objects, authenticator_, policy_,
                     tokens_,          accounts_,      openapi_,       health_,        timer_,
                     request_metrics_, world_.metrics, pool_,          world_.clock};
};

TEST_F(ListOptionsTest, ReadsWhatTheClientAsksFor) {
  const auto options = read("limit=5&labelSelector=app%3Dx&fieldSelector=type%3DWarning&resourceVersion=2", false);
  ASSERT_TRUE(options.ok()) << options.error().message;
  EXPECT_EQ(options->limit, 5u);
  EXPECT_EQ(options->revision, 2);
  EXPECT_EQ(options->query.ns(), "ns");
  EXPECT_EQ(options->query.labels().str(), "app=x");
  ASSERT_EQ(options->query.terms().size(), 1u);
  EXPECT_EQ(options->query.terms()[0].value, "Warning");
  EXPECT_EQ(read("limit=-1", false)->limit, 0u) << "no limit";
  EXPECT_EQ(read("", false, "namespaces")->query.ns(), "") << "namespaces are not in a namespace";
}

TEST_F(ListOptionsTest, RefusesWhatMakesNoSense) {
  struct Row {
    std::string name;
    std::string reason;
    bool watch;
    std::string query;
    std::string want;  // the reason of the refusal, "" when fine
  };
  const std::string token = ContinueToken{2, "ns", "a"}.encode();
  const std::vector<Row> rows = {
      {"plain", "nothing asked", false, "", ""},
      {"limit", "no number", false, "limit=many", "BadRequest"},
      {"labels", "no selector", false, "labelSelector=a+b", "BadRequest"},
      {"fields", "no selector", false, "fieldSelector=a", "BadRequest"},
      {"field", "not selectable", false, "fieldSelector=message%3Dx", "BadRequest"},
      {"version", "no number", false, "resourceVersion=x", "BadRequest"},
      {"negative version", "no number of ours", false, "resourceVersion=-1", "BadRequest"},
      {"huge version", "no number of ours", false, "resourceVersion=9223372036854775808", "BadRequest"},
      {"future", "a list cannot wait", false, "resourceVersion=1000", "Timeout"},
      {"future watched", "a watch can", true, "resourceVersion=1000", ""},
      {"exact", "a state of the past", false, "resourceVersion=2&resourceVersionMatch=Exact", ""},
      {"not older", "or newer", false, "resourceVersion=2&resourceVersionMatch=NotOlderThan", ""},
      {"match alone", "matches what?", false, "resourceVersionMatch=Exact", "Invalid"},
      {"match of zero", "any state is not an exact one", false, "resourceVersion=0&resourceVersionMatch=Exact",
       "Invalid"},
      {"unknown match", "no such word", false, "resourceVersion=2&resourceVersionMatch=Nearly", "Invalid"},
      {"match and continue", "the token has its own", false, "resourceVersionMatch=Exact&continue=" + token, "Invalid"},
      {"version and continue", "the token has its own", false, "resourceVersion=2&continue=" + token, "BadRequest"},
      {"zero and continue", "zero asks for nothing", false, "resourceVersion=0&continue=" + token, ""},
      {"watched match", "only with initial events", true, "resourceVersion=2&resourceVersionMatch=Exact", "Invalid"},
      {"initial events", "as client libraries ask", true, "sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
       ""},
      {"initial events alone", "the match is demanded", true, "sendInitialEvents=true", "Invalid"},
      {"initial events of a list", "a list is all initial", false,
       "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=2", "Invalid"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name + ": " + row.reason);
    const auto options = read(row.query, row.watch);
    EXPECT_EQ(options.ok() ? "" : reason_name(options.error().reason), row.want);
  }
}

TEST_F(ListOptionsTest, AFutureVersionIsTriedAgainLater) {
  const auto refused = read("resourceVersion=1000", false);
  ASSERT_FALSE(refused.ok());
  EXPECT_TRUE(refused.error().retry_after_seconds.has_value());
  ASSERT_EQ(refused.error().causes.size(), 1u);
  EXPECT_EQ(refused.error().causes[0].reason, "ResourceVersionTooLarge");
}

TEST(ContinueToken, ComesBackAsItWasHandedOut) {
  for (const auto& token : {ContinueToken{17, "ns", "name"}, ContinueToken{1, "", "node-1"},
                            ContinueToken{-1, "ns", "a.b-c"}, ContinueToken{INT64_MAX, "ns", "system:a/b"}}) {
    const auto text = token.encode();
    EXPECT_EQ(percent_encode(text), text) << "it goes into a URL as it is";
    const auto back = ContinueToken::decode(text);
    ASSERT_TRUE(back.ok()) << text;
    EXPECT_EQ(back->revision, token.revision);
    EXPECT_EQ(back->ns, token.ns);
    EXPECT_EQ(back->name, token.name);
  }
}

TEST(ContinueToken, WhatWasNotHandedOutIsRefused) {
  struct Row {
    std::string name;
    std::string reason;
    std::string text;
  };
  const std::vector<Row> rows = {
      {"empty", "no token at all", ""},
      {"no base64", "another alphabet", "!!!"},
      {"no JSON", "well encoded nonsense", base64url_encode("nonsense")},
      {"no object", "well encoded nonsense", base64url_encode("[1]")},
      {"other version", "of another server", base64url_encode(R"({"v":"meta.k8s.io/v9","rv":1,"start":"a/b"})")},
      {"no version", "a part is missing", base64url_encode(R"({"rv":1,"start":"a/b"})")},
      {"no revision", "a part is missing", base64url_encode(R"({"v":"meta.k8s.io/v1","start":"a/b"})")},
      {"zero revision", "no state has it", base64url_encode(R"({"v":"meta.k8s.io/v1","rv":0,"start":"a/b"})")},
      {"negative revision", "only -1 has a meaning",
       base64url_encode(R"({"v":"meta.k8s.io/v1","rv":-2,"start":"a/b"})")},
      {"text revision", "wrong type", base64url_encode(R"({"v":"meta.k8s.io/v1","rv":"1","start":"a/b"})")},
      {"no start", "a part is missing", base64url_encode(R"({"v":"meta.k8s.io/v1","rv":1})")},
      {"half a start", "a part is missing", base64url_encode(R"({"v":"meta.k8s.io/v1","rv":1,"start":"a"})")},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name + ": " + row.reason);
    const auto token = ContinueToken::decode(row.text);
    ASSERT_FALSE(token.ok());
    EXPECT_EQ(token.error().reason, Reason::kBadRequest);
  }
}

}  // namespace
}  // namespace chandler::apiserver
