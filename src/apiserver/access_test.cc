// A handler touches exactly what was authorized: for every method, every shape of path and every query. Each request is
// sent twice: without rights, where the 403 names the right that was checked, and as an administrator, which shows what
// it touches. The verdicts in the table are those of Kubernetes, not of the code.
#include <gmock/gmock.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "apiserver/access_lab_fixture.h"
#include "base/text.h"
#include "json/reader.h"

namespace chandler::apiserver {
namespace {

using testing::AccessLab;
using ::testing::HasSubstr;
using testing::Thing;
using testing::Things;
using testing::Touched;

constexpr std::string_view kMergePatch = "application/merge-patch+json";

std::string list_of(const Things& things) {
  std::vector<std::string> out;
  for (const auto& thing : things) out.push_back(thing.str());
  return join(out, ", ");
}

// What RBAC was asked.
struct Question {
  std::string verb;
  std::string resource;  // "secrets", "deployments/status"
  std::string name;      // empty: any
  std::string ns;        // empty: the cluster

  std::string str() const {
    return fmt::format("{} {} {} in {}", verb, resource, name.empty() ? "*" : name, ns.empty() ? "cluster" : ns);
  }
  // By the rules of RBAC: what somebody with exactly this right may touch.
  bool covers(const Thing& thing) const {
    if (resource.substr(0, resource.find('/')) != thing.plural) return false;
    if (!name.empty() && name != thing.name) return false;
    // Rights in a namespace reach what is in it, and the namespace itself.
    return ns.empty() || ns == thing.ns || (thing.plural == "namespaces" && ns == thing.name);
  }
};

// The part of `text` between `before` and `after`.
std::string between(std::string_view text, std::string_view before, std::string_view after) {
  const auto at = text.find(before);
  if (at == std::string_view::npos) return "";
  text.remove_prefix(at + before.size());
  return std::string(text.substr(0, text.find(after)));
}

class AccessTest : public ::testing::Test {
 protected:
  Touched as_master(std::string_view method, std::string_view target, std::string_view body = "") {
    return lab_.ask(method, target, body, "admin", std::string(auth::kMasters), headers(method));
  }
  // Nothing when the request is refused for another reason, or needs no right.
  std::optional<Question> question(std::string_view method, std::string_view target, std::string_view body = "") {
    const auto refused = lab_.ask(method, target, body, "nobody", "", headers(method));
    EXPECT_EQ(list_of(refused.all()), "") << method << " " << target << " of somebody without any right";
    if (refused.status != 403) return std::nullopt;
    const auto status = json::parse(refused.body);
    EXPECT_TRUE(status.ok());
    const auto message = json::string_or(*status, "message");
    Question out;
    out.verb = between(message, "cannot ", " ");
    out.resource = between(message, "resource \"", "\"");
    out.ns = between(message, "in the namespace \"", "\"");
    if (const auto* details = json::find(*status, "details")) out.name = json::string_or(*details, "name");
    return out;
  }
  static http::Headers headers(std::string_view method) {
    http::Headers out;
    if (method == "PATCH") out.add("Content-Type", kMergePatch);
    return out;
  }

  AccessLab lab_;
};

struct AccessRow {
  const char* reason;
  const char* method;
  const char* target;
  const char* asked;    // the right that is asked for; "": none, the answer has the code below all the same
  const char* touched;  // what the request touches when it is allowed
  int status;
};

TEST_F(AccessTest, AsksForTheRightsOfKubernetesAndTouchesWhatTheyAreAbout) {
  constexpr const char* kPatch = R"({"metadata":{"labels":{"x":"y"}}})";
  const std::vector<AccessRow> rows = {
      {"a collection of all namespaces", "GET", "/api/v1/secrets", "list secrets * in cluster",
       "secrets a/mine, secrets a/other, secrets b/mine, secrets b/other", 200},
      {"a collection", "GET", "/api/v1/namespaces/a/secrets", "list secrets * in a", "secrets a/mine, secrets a/other",
       200},
      {"HEAD is a GET", "HEAD", "/api/v1/namespaces/a/secrets", "list secrets * in a",
       "secrets a/mine, secrets a/other", 200},
      {"an object", "GET", "/api/v1/namespaces/a/secrets/mine", "get secrets mine in a", "secrets a/mine", 200},
      {"watch is a parameter of collections only", "GET", "/api/v1/namespaces/a/secrets/mine?watch=1",
       "get secrets mine in a", "secrets a/mine", 200},
      {"a selector for one name", "GET", "/api/v1/namespaces/a/secrets?fieldSelector=metadata.name%3Dmine",
       "list secrets mine in a", "secrets a/mine", 200},
      {"the same in all namespaces", "GET", "/api/v1/secrets?fieldSelector=metadata.name=mine",
       "list secrets mine in cluster", "secrets a/mine, secrets b/mine", 200},
      {"the same, watched", "GET", "/api/v1/namespaces/a/secrets?watch=1&fieldSelector=metadata.name=mine",
       "watch secrets mine in a", "secrets a/mine", 200},
      {"a selector for all but one name asks for all", "GET",
       "/api/v1/namespaces/a/secrets?fieldSelector=metadata.name!=mine", "list secrets * in a", "secrets a/other", 200},
      {"of two selectors the first counts, for both", "GET",
       "/api/v1/namespaces/a/secrets?fieldSelector=metadata.name=mine&fieldSelector=metadata.name=other",
       "list secrets mine in a", "secrets a/mine", 200},
      {"two names are no object", "GET",
       "/api/v1/namespaces/a/secrets?fieldSelector=metadata.name=mine,metadata.name=other", "list secrets mine in a",
       "", 200},
      {"a continue token leads nowhere else", "GET",
       "/api/v1/namespaces/a/secrets?fieldSelector=metadata.name=mine&continue="
       "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTEsInN0YXJ0IjoiYi9hIn0",
       "list secrets mine in a", "", 200},

      {"the old form of a watch", "GET", "/api/v1/watch/namespaces/a/secrets", "watch secrets * in a",
       "secrets a/mine, secrets a/other", 200},
      {"of one object: metadata.name", "GET", "/api/v1/watch/namespaces/a/secrets/mine", "watch secrets mine in a",
       "secrets a/mine", 200},
      {"of what does not exist", "GET", "/api/v1/watch/namespaces/a/secrets/none", "watch secrets none in a", "", 200},
      {"with the same name selected", "GET", "/api/v1/watch/namespaces/a/secrets/mine?fieldSelector=metadata.name=mine",
       "watch secrets mine in a", "secrets a/mine", 200},
      {"with another name selected", "GET", "/api/v1/watch/namespaces/a/secrets/mine?fieldSelector=metadata.name=other",
       "watch secrets mine in a", "", 400},
      {"with something else selected", "GET", "/api/v1/watch/namespaces/a/secrets/mine?fieldSelector=type=x",
       "watch secrets mine in a", "", 400},
      {"of a namespace: that one", "GET", "/api/v1/watch/namespaces/a", "watch namespaces a in a", "namespaces a", 200},
      {"of an object of the cluster", "GET", "/apis/storage.k8s.io/v1/watch/storageclasses/mine",
       "watch storageclasses mine in cluster", "storageclasses mine", 200},
      {"an object without its namespace", "GET", "/api/v1/watch/secrets/mine", "watch secrets mine in cluster", "",
       404},
      {"there is nothing else to do below /watch", "DELETE", "/api/v1/watch/namespaces/a/secrets/mine", "", "", 405},
      {"nor with a collection", "DELETE", "/api/v1/watch/namespaces/a/secrets", "", "", 405},
      {"a part cannot be watched", "GET", "/apis/apps/v1/watch/namespaces/a/deployments/mine/status",
       "watch deployments/status mine in a", "", 404},

      {"a namespace is in itself", "GET", "/api/v1/namespaces/a", "get namespaces a in a", "namespaces a", 200},
      {"rights in a namespace do not reach the list of namespaces", "GET", "/api/v1/namespaces/a/namespaces",
       "list namespaces * in a", "", 404},
      {"nor another namespace", "GET", "/api/v1/namespaces/a/namespaces/b", "get namespaces b in a", "", 404},
      {"nor by a watch", "GET", "/api/v1/watch/namespaces/a/namespaces/b", "watch namespaces b in a", "", 404},
      {"nor by a selector", "GET", "/api/v1/namespaces/a/namespaces?fieldSelector=metadata.name=b",
       "list namespaces b in a", "", 404},
      {"nor its deletion", "DELETE", "/api/v1/namespaces/a/namespaces/b", "delete namespaces b in a", "", 404},
      {"nor a change", "PATCH", "/api/v1/namespaces/a/namespaces/b", "patch namespaces b in a", "", 404},
      {"nor of its part", "PATCH", "/api/v1/namespaces/a/namespaces/b/status", "patch namespaces/status b in a", "",
       404},
      {"nor what else is of the cluster", "GET", "/apis/storage.k8s.io/v1/namespaces/a/storageclasses/mine",
       "get storageclasses mine in a", "", 404},
      {"nor a collection of it", "DELETE", "/apis/storage.k8s.io/v1/namespaces/a/storageclasses",
       "deletecollection storageclasses * in a", "", 404},
      {"an object without its namespace", "GET", "/api/v1/secrets/mine", "get secrets mine in cluster", "", 404},
      {"a collection of all namespaces is not deleted", "DELETE", "/api/v1/secrets",
       "deletecollection secrets * in cluster", "", 405},

      {"a collection", "DELETE", "/api/v1/namespaces/a/secrets", "deletecollection secrets * in a",
       "secrets a/mine, secrets a/other", 200},
      {"a right for one name is not enough to delete by selector", "DELETE",
       "/api/v1/namespaces/a/secrets?fieldSelector=metadata.name=mine", "deletecollection secrets * in a",
       "secrets a/mine", 200},
      {"an object", "DELETE", "/api/v1/namespaces/a/secrets/mine", "delete secrets mine in a", "secrets a/mine", 200},
      {"a selector does not widen it", "DELETE",
       "/api/v1/namespaces/a/secrets/mine?fieldSelector=metadata.name=other&labelSelector=a",
       "delete secrets mine in a", "secrets a/mine", 200},
      {"a change", "PATCH", "/api/v1/namespaces/a/secrets/mine", "patch secrets mine in a", "secrets a/mine", 200},
      {"a change of a part", "PATCH", "/apis/apps/v1/namespaces/a/deployments/mine/status",
       "patch deployments/status mine in a", "deployments a/mine", 200},
      {"a part is not a collection", "DELETE", "/apis/apps/v1/namespaces/a/deployments/mine/status",
       "delete deployments/status mine in a", "", 405},
      {"an object is not created by name", "POST", "/api/v1/namespaces/a/secrets/mine", "create secrets mine in a", "",
       405},
      {"a review has no name", "POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews/mine",
       "create subjectaccessreviews mine in cluster", "", 405},
      {"what no resource has", "GET", "/api/v1/namespaces/a/secrets/mine/status", "get secrets/status mine in a", "",
       404},

      {"a method that Kubernetes does not have", "LIST", "/api/v1/namespaces/a/secrets/mine", "", "", 405},
      {"nor this", "WATCH", "/api/v1/namespaces/a/secrets/mine", "", "", 405},
      {"nor this", "DELETECOLLECTION", "/api/v1/namespaces/a/secrets/mine", "", "", 405},
      {"nor this, on a collection", "LIST", "/api/v1/namespaces/a/secrets", "", "", 405},
      {"nor this, outside of the API", "LIST", "/version", "", "", 405},
      {"methods are written in capital letters", "get", "/api/v1/namespaces/a/secrets/mine", "", "", 405},
      {"known to HTTP, not to Kubernetes", "OPTIONS", "/api/v1/namespaces/a/secrets", "", "", 405},
      {"nor this", "TRACE", "/api/v1/namespaces/a/secrets/mine", "", "", 405},

      // Ours. Kubernetes takes what is deeper for the same resource, and decodes a path before it splits it.
      {"what is deeper than any resource", "GET", "/api/v1/namespaces/a/secrets/mine/status/x", "get  * in cluster", "",
       404},
      {"an escaped slash makes no part of its own", "GET", "/api/v1/namespaces/a%2Fsecrets/mine",
       "list mine * in a/secrets", "", 404},
      {"nor joins two", "GET", "/api/v1/namespaces/a/secrets%2Fmine", "list secrets/mine * in a", "", 404},
      {"dots are names", "GET", "/api/v1/namespaces/b/../a/secrets/mine", "get  * in cluster", "", 404},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(fmt::format("{}: {} {}", row.reason, row.method, row.target));
    const std::string_view body = std::string_view(row.method) == "PATCH" ? kPatch : "";
    const auto asked = question(row.method, row.target, body);
    EXPECT_EQ(asked ? asked->str() : "", row.asked);
    const auto touched = as_master(row.method, row.target, body);
    EXPECT_EQ(touched.status, row.status) << touched.body;
    EXPECT_EQ(list_of(touched.all()), row.touched);
  }
}

// Paths of every shape that exists, and of those that must not.
std::vector<std::string> path_shapes(const AccessLab& lab) {
  std::set<std::string> out;
  std::set<std::string> plurals;
  for (const auto& thing : lab.things()) plurals.insert(thing.plural);
  for (const auto& plural : plurals) {
    const auto& kind = *lab.kind(plural);
    const auto root = kind.group.empty() ? std::string("/api/v1") : fmt::format("/apis/{}/v1", kind.group);
    for (const std::string prefix : {"", "/watch"}) {
      for (const std::string scope : {"", "/namespaces/a", "/namespaces/b"}) {
        const auto collection = root + prefix + scope + "/" + plural;
        out.insert(collection);
        for (const std::string name : {"mine", "other", "a", "b"}) out.insert(collection + "/" + name);
        for (const std::string part : {"status", "scale", "finalize", "token", "status/more"}) {
          out.insert(collection + "/mine/" + part);
        }
      }
    }
  }
  return {out.begin(), out.end()};
}

// Whatever a request touches, it has asked for; and a read without selectors shows all that it asked for.
TEST_F(AccessTest, TouchesWhatItAskedFor) {
  const std::vector<std::string> reads = {"",
                                          "watch=1",
                                          "watch=0",
                                          "fieldSelector=metadata.name%3Dmine",
                                          "fieldSelector=metadata.name=other&watch=1",
                                          "fieldSelector=metadata.name!=mine",
                                          "fieldSelector=metadata.namespace=b",
                                          "fieldSelector=metadata.name=mine&fieldSelector=metadata.name=other",
                                          "labelSelector=!none&limit=1",
                                          "watch=1&resourceVersion=1",
                                          "watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"};
  const std::vector<std::string> writes = {"", "fieldSelector=metadata.name=mine", "dryRun=All", "watch=1"};
  size_t requests = 0;
  size_t touching = 0;
  for (const auto& path : path_shapes(lab_)) {
    for (const std::string method : {"GET", "HEAD", "PUT", "PATCH", "DELETE", "POST", "LIST", "DELETECOLLECTION"}) {
      const bool is_read = method == "GET" || method == "HEAD";
      for (const auto& query : is_read ? reads : writes) {
        const auto target = query.empty() ? path : path + "?" + query;
        const std::string body = method == "PATCH" ? R"({"metadata":{"labels":{"x":"y"}}})" : "";
        const auto touched = as_master(method, target, body);
        const bool shows_all = is_read && touched.status == 200 && (query.empty() || query == "watch=1");
        ++requests;
        if (touched.all().empty() && !shows_all) continue;
        ++touching;
        const auto asked = question(method, target, body);
        ASSERT_TRUE(asked) << method << " " << target << " touches " << list_of(touched.all()) << " and needs no right";
        for (const auto& thing : touched.all()) {
          EXPECT_TRUE(asked->covers(thing))
              << method << " " << target << " touches " << thing.str() << " and asks for " << asked->str();
        }
        EXPECT_TRUE(touched.written.empty() || !is_read) << method << " " << target;
        if (!shows_all) continue;
        auto covered = lab_.things();
        std::erase_if(covered, [&](const Thing& thing) { return !asked->covers(thing); });
        EXPECT_EQ(list_of(touched.shown), list_of(covered)) << method << " " << target;
      }
    }
  }
  // Most of these paths lead nowhere, but not all of them.
  EXPECT_GT(touching, requests / 20) << requests;
}

// A PUT that creates needs the right to create, in a dry run too.
TEST_F(AccessTest, APutCreatesOnlyWithTheRightToCreate) {
  lab_.grant(R"(
kind: ClusterRole
metadata: {name: updates}
rules: [{apiGroups: ['*'], resources: ['*'], verbs: [update, bind, escalate]}]
---
kind: ClusterRole
metadata: {name: creates}
rules: [{apiGroups: ['*'], resources: ['*'], verbs: [create]}]
---
kind: ClusterRoleBinding
metadata: {name: updates}
roleRef: {kind: ClusterRole, name: updates}
subjects: [{kind: User, name: updater}, {kind: User, name: creator}]
---
kind: ClusterRoleBinding
metadata: {name: creates}
roleRef: {kind: ClusterRole, name: creates}
subjects: [{kind: User, name: creator}]
)");
  constexpr std::string_view kRoleRef =
      R"("roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"creates"})";
  const std::map<std::string, std::string> contents = {
      {"leases", R"("spec":{"holderIdentity":"x"})"},
      {"events", R"("regarding":{"namespace":"a"},"involvedObject":{"namespace":"a"},"reason":"r","action":"a",)"
                 R"("type":"Normal","reportingController":"c","reportingComponent":"c","reportingInstance":"i",)"
                 R"("eventTime":"2024-01-01T00:00:00.000000Z")"},
      {"services", R"("spec":{"ports":[{"port":80}]})"},
      {"roles", R"("rules":[])"},
      {"clusterroles", R"("rules":[])"},
      {"rolebindings", std::string(kRoleRef)},
      {"clusterrolebindings", std::string(kRoleRef)},
  };
  size_t kinds = 0;
  for (const auto& kind : testing::embedded_kinds()) {
    if (!kind->create_on_update) continue;
    ++kinds;
    SCOPED_TRACE(kind->group + "/" + kind->plural);
    ASSERT_TRUE(contents.contains(kind->plural)) << "say here what such an object needs";
    const auto& version = kind->storage_version();
    const auto name = fmt::format("new-{}", kinds);  // events of both groups are the same objects
    const auto target = fmt::format("{}/{}{}/{}/{}", kind->group.empty() ? "/api" : "/apis/" + kind->group,
                                    version.name, kind->namespaced ? "/namespaces/a" : "", kind->plural, name);
    const auto body = fmt::format(R"({{"apiVersion":"{}","kind":"{}","metadata":{{"name":"{}"}},{}}})",
                                  version.api_version, kind->kind, name, contents.at(kind->plural));
    for (const std::string query : {"", "?dryRun=All"}) {
      const auto refused = lab_.ask("PUT", target + query, body, "updater");
      EXPECT_EQ(refused.status, 403) << refused.body;
      EXPECT_THAT(refused.body, HasSubstr("cannot create resource"));
      EXPECT_EQ(list_of(refused.made), "");
    }
    EXPECT_EQ(lab_.ask("GET", target, "", "admin", std::string(auth::kMasters)).status, 404);
    for (const std::string query : {"?dryRun=All", ""}) {
      const auto made = lab_.ask("PUT", target + query, body, "creator");
      EXPECT_EQ(made.status, 201) << made.body;
    }
  }
  EXPECT_EQ(kinds, 8U);
}

}  // namespace
}  // namespace chandler::apiserver
