#include "apiserver/request_info.h"

#include <gtest/gtest.h>

namespace chandler::apiserver {
namespace {

struct Row {
  std::string name;
  std::string reason;
  http::Method method;
  std::string target;
  // verb group/version namespace resource/name/subresource, "-" for an empty part; or the path of what is no resource
  std::string want;
};

std::string part(const std::string& text) { return text.empty() ? "-" : text; }

std::string told(const RequestInfo& info) {
  if (!info.is_resource) return info.verb + " path " + info.path;
  return info.verb + " " + part(info.group) + "/" + part(info.version) + " " + part(info.ns) + " " +
         part(info.resource) + "/" + part(info.name) + "/" + part(info.subresource);
}

TEST(RequestInfo, SaysWhatARequestIsAbout) {
  using enum http::Method;
  const std::vector<Row> rows = {
      {"list all", "every namespace", kGet, "/api/v1/pods", "list -/v1 - pods/-/-"},
      {"list", "one namespace", kGet, "/api/v1/namespaces/a/pods", "list -/v1 a pods/-/-"},
      {"get", "one object", kGet, "/api/v1/namespaces/a/pods/p", "get -/v1 a pods/p/-"},
      {"head", "as get", kHead, "/api/v1/namespaces/a/pods/p", "get -/v1 a pods/p/-"},
      {"create", "post", kPost, "/api/v1/namespaces/a/pods", "create -/v1 a pods/-/-"},
      {"update", "put", kPut, "/api/v1/namespaces/a/pods/p", "update -/v1 a pods/p/-"},
      {"patch", "patch", kPatch, "/api/v1/namespaces/a/pods/p", "patch -/v1 a pods/p/-"},
      {"delete", "one object", kDelete, "/api/v1/namespaces/a/pods/p", "delete -/v1 a pods/p/-"},
      {"delete all", "without a name", kDelete, "/api/v1/namespaces/a/pods", "deletecollection -/v1 a pods/-/-"},
      {"group", "below /apis", kGet, "/apis/apps/v1/namespaces/a/deployments/d", "get apps/v1 a deployments/d/-"},
      {"cluster scope", "no namespace", kGet, "/apis/rbac.authorization.k8s.io/v1/clusterroles/r",
       "get rbac.authorization.k8s.io/v1 - clusterroles/r/-"},
      {"subresource", "status", kPut, "/apis/apps/v1/namespaces/a/deployments/d/status",
       "update apps/v1 a deployments/d/status"},
      {"subresource of many", "post to a name", kPost, "/api/v1/namespaces/a/serviceaccounts/s/token",
       "create -/v1 a serviceaccounts/s/token"},

      {"namespaces", "the list of them", kGet, "/api/v1/namespaces", "list -/v1 - namespaces/-/-"},
      {"namespace", "is its own namespace, for access rules", kGet, "/api/v1/namespaces/a",
       "get -/v1 a namespaces/a/-"},
      {"namespace status", "no resource called status", kPut, "/api/v1/namespaces/a/status",
       "update -/v1 a namespaces/a/status"},
      {"namespace finalize", "no resource called finalize", kPut, "/api/v1/namespaces/a/finalize",
       "update -/v1 a namespaces/a/finalize"},
      {"delete namespace", "one object", kDelete, "/api/v1/namespaces/a", "delete -/v1 a namespaces/a/-"},
      {"create namespace", "post", kPost, "/api/v1/namespaces", "create -/v1 - namespaces/-/-"},

      {"watch", "by parameter", kGet, "/api/v1/pods?watch=true", "watch -/v1 - pods/-/-"},
      {"watch 1", "any true value", kGet, "/api/v1/pods?watch=1", "watch -/v1 - pods/-/-"},
      {"watch bare", "a parameter without value is true", kGet, "/api/v1/pods?watch", "watch -/v1 - pods/-/-"},
      {"no watch", "false", kGet, "/api/v1/pods?watch=false", "list -/v1 - pods/-/-"},
      {"no watch 0", "zero", kGet, "/api/v1/pods?watch=0", "list -/v1 - pods/-/-"},
      {"watch one", "a name is got, not watched", kGet, "/api/v1/namespaces/a/pods/p?watch=1", "get -/v1 a pods/p/-"},
      {"old watch", "the prefix of old", kGet, "/api/v1/watch/namespaces/a/pods", "watch -/v1 a pods/-/-"},
      {"old watch of one", "the prefix of old", kGet, "/api/v1/watch/namespaces/a/pods/p", "watch -/v1 a pods/p/-"},
      {"old watch of all", "the prefix of old", kGet, "/apis/apps/v1/watch/deployments",
       "watch apps/v1 - deployments/-/-"},
      {"just watch", "a resource of that name, if there were one", kGet, "/api/v1/watch", "list -/v1 - watch/-/-"},

      {"one name", "a selector for a name makes rules for that name apply", kGet,
       "/api/v1/namespaces/a/pods?fieldSelector=metadata.name%3Dp", "list -/v1 a pods/p/-"},
      {"one name watched", "the same", kGet, "/api/v1/namespaces/a/pods?watch=1&fieldSelector=metadata.name=p",
       "watch -/v1 a pods/p/-"},
      {"one name deleted", "a collection is deleted by those who may delete all of it", kDelete,
       "/api/v1/namespaces/a/pods?fieldSelector=metadata.name=p", "deletecollection -/v1 a pods/-/-"},
      {"not that name", "an inequality names none", kGet, "/api/v1/pods?fieldSelector=metadata.name!=p",
       "list -/v1 - pods/-/-"},
      {"broken selector", "the list itself will refuse it", kGet, "/api/v1/pods?fieldSelector=a",
       "list -/v1 - pods/-/-"},

      {"trailing slash", "means nothing", kGet, "/api/v1/namespaces/a/pods/", "list -/v1 a pods/-/-"},
      {"doubled slashes", "mean nothing", kGet, "//api//v1/pods", "list -/v1 - pods/-/-"},
      {"escaped", "parts are decoded", kGet, "/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Aadmin",
       "get rbac.authorization.k8s.io/v1 - clusterroles/system:admin/-"},
      {"escaped slash", "makes no part of its own", kGet, "/api/v1/namespaces/a%2Fb/pods", "list -/v1 a/b pods/-/-"},
      {"plus", "stays a plus in a path", kGet, "/api/v1/pods/a+b", "get -/v1 - pods/a+b/-"},
      {"too deep", "nothing of ours is that deep", kGet, "/api/v1/namespaces/a/pods/p/exec/x",
       "get path /api/v1/namespaces/a/pods/p/exec/x"},

      {"root", "no resource", kGet, "/", "get path /"},
      {"nothing", "as the root", kGet, "", "get path /"},
      {"version list", "no resource", kGet, "/api/v1", "get path /api/v1"},
      {"group list", "no resource", kGet, "/apis/apps/v1/", "get path /apis/apps/v1"},
      {"health", "no resource", kGet, "/readyz/store?verbose", "get path /readyz/store"},
      {"post elsewhere", "the method in small letters", kPost, "/healthz", "post path /healthz"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name + ": " + row.reason);
    const auto info = parse_request_info(row.method, row.target);
    if (!info.ok()) {
      ADD_FAILURE() << info.error().message;
      continue;
    }
    EXPECT_EQ(told(*info), row.want);
  }
}

TEST(RequestInfo, KnowsWhetherThePathOrTheSelectorNamesTheObject) {
  const auto in_path = [](std::string_view target) {
    return parse_request_info(http::Method::kGet, target)->name_in_path;
  };
  EXPECT_TRUE(in_path("/api/v1/namespaces/a/pods/p"));
  EXPECT_TRUE(in_path("/api/v1/watch/namespaces/a/pods/p"));
  EXPECT_FALSE(in_path("/api/v1/namespaces/a/pods"));
  EXPECT_FALSE(in_path("/api/v1/namespaces/a/pods?fieldSelector=metadata.name=p"));
}

TEST(RequestInfo, OtherMethodsAreNotAllowedAnywhere) {
  using enum http::Method;
  const std::vector<std::pair<http::Method, std::string_view>> rows = {
      {kOptions, "/api/v1/pods"},
      {kOther, "/api/v1/pods/p"},
      {kOther, "/version"},
      {kOther, "/api/v1/pods/%"},
      {kDelete, "/api/v1/watch/namespaces/a/pods"},
      {kPost, "/apis/apps/v1/watch/namespaces/a/deployments/d"},
  };
  for (const auto& [method, target] : rows) {
    const auto info = parse_request_info(method, target);
    ASSERT_FALSE(info.ok()) << target;
    EXPECT_EQ(info.error().http(), 405) << target;
  }
}

TEST(RequestInfo, BadEscapesAreABadRequest) {
  for (const std::string_view target :
       {"/api/v1/pods/%", "/api/v1/pods/%4", "/api/v1/pods/%zz", "/api/v1/pods?a=%", "/x?%g1=1"}) {
    const auto info = parse_request_info(http::Method::kGet, target);
    ASSERT_FALSE(info.ok()) << target;
    EXPECT_EQ(info.error().reason, Reason::kBadRequest);
  }
}

TEST(QueryParameters, KeepOrderAndDecode) {
  const auto query = QueryParameters::parse("a=1&b=x+y%26z&a=2&&c&=d&flag=False");
  ASSERT_TRUE(query.ok());
  EXPECT_EQ(query->get("a"), "1");
  EXPECT_EQ(query->all("a"), (std::vector<std::string_view>{"1", "2"}));
  EXPECT_EQ(query->get("b"), "x y&z");
  EXPECT_TRUE(query->has("c"));
  EXPECT_EQ(query->get("c"), "");
  EXPECT_TRUE(query->flag("c"));
  EXPECT_FALSE(query->flag("flag"));
  EXPECT_FALSE(query->flag("missing"));
  EXPECT_FALSE(query->has("missing"));
}

TEST(QueryParameters, AreBounded) {
  std::string text;
  for (int i = 0; i < 10'000; ++i) text += "a=1&";
  EXPECT_FALSE(QueryParameters::parse(text).ok());
}

}  // namespace
}  // namespace chandler::apiserver
