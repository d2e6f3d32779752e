// Requests of users with few rights to a whole server: method, path and query are the fuzzer's. Whatever is sent, no
// byte of an object that the user has no right to is in the answer, and no such object changes. The first byte chooses
// the user and the second the method. The rest is the target: a byte below 128 stands for itself, others for a piece of
// a path or query that is likely to lead somewhere.
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "apiserver/access_lab_fixture.h"
#include "base/check.h"
#include "fuzz/budget/budget.h"

namespace {

using chandler::apiserver::testing::AccessLab;
using chandler::apiserver::testing::Thing;
using chandler::apiserver::testing::Touched;

constexpr std::string_view kRights = R"(
kind: Role
metadata: {name: one-name, namespace: a}
rules: [{apiGroups: ['*'], resources: ['*'], verbs: ['*'], resourceNames: [mine]}]
---
kind: RoleBinding
metadata: {name: one-name, namespace: a}
roleRef: {kind: Role, name: one-name}
subjects: [{kind: User, name: owner}]
---
kind: ClusterRole
metadata: {name: view}
rules: [{apiGroups: ['*'], resources: ['*'], verbs: [get, list, watch]}]
---
kind: RoleBinding
metadata: {name: view, namespace: a}
roleRef: {kind: ClusterRole, name: view}
subjects: [{kind: User, name: viewer}]
---
kind: ClusterRole
metadata: {name: one-secret}
rules: [{apiGroups: [''], resources: [secrets], verbs: ['*'], resourceNames: [mine]}]
---
kind: ClusterRoleBinding
metadata: {name: one-secret}
roleRef: {kind: ClusterRole, name: one-secret}
subjects: [{kind: User, name: keeper}]
)";

constexpr size_t kRequestsPerLab = 5000;  // its store keeps the history of all of them

struct User {
  std::string name;
  bool (*may_touch)(const Thing& thing);
  bool writes;
};

const std::array<User, 3> kUsers = {{
    {"owner", [](const Thing& thing) { return thing.ns == "a" && thing.name == "mine"; }, true},
    {"viewer",
     [](const Thing& thing) { return thing.ns == "a" || (thing.plural == "namespaces" && thing.name == "a"); }, false},
    {"keeper", [](const Thing& thing) { return thing.plural == "secrets" && thing.name == "mine"; }, true},
}};

constexpr std::array<std::string_view, 12> kMethods = {
    "GET", "DELETE", "PATCH", "PUT", "POST", "HEAD", "LIST", "WATCH", "get", "DELETECOLLECTION", "LINK", "OPTIONS"};

constexpr std::array<std::string_view, 52> kPieces = {"/api/v1",
                                                      "/apis/apps/v1",
                                                      "/apis/coordination.k8s.io/v1",
                                                      "/apis/storage.k8s.io/v1",
                                                      "/watch",
                                                      "/namespaces",
                                                      "/namespaces/a",
                                                      "/namespaces/b",
                                                      "/secrets",
                                                      "/deployments",
                                                      "/leases",
                                                      "/storageclasses",
                                                      "/events",
                                                      "/mine",
                                                      "/other",
                                                      "/a",
                                                      "/b",
                                                      "/status",
                                                      "/scale",
                                                      "/finalize",
                                                      "/token",
                                                      "/..",
                                                      "/.",
                                                      "//",
                                                      "%2F",
                                                      "%2e",
                                                      "%00",
                                                      "?watch=1",
                                                      "?watch",
                                                      "&watch=true",
                                                      "?",
                                                      "&",
                                                      "fieldSelector=",
                                                      "metadata.name=mine",
                                                      "metadata.name%3Dother",
                                                      "metadata.name!=mine",
                                                      "metadata.namespace=b",
                                                      ",",
                                                      "labelSelector=",
                                                      "!none",
                                                      "limit=1",
                                                      "continue=",
                                                      "resourceVersion=0",
                                                      "resourceVersion=1",
                                                      "resourceVersionMatch=NotOlderThan",
                                                      "sendInitialEvents=true",
                                                      "allowWatchBookmarks=1",
                                                      "dryRun=All",
                                                      "fieldManager=f",
                                                      "force=1",
                                                      "propagationPolicy=Foreground",
                                                      "gracePeriodSeconds=0"};

std::string target_of(const uint8_t* data, size_t size) {
  std::string out;
  for (size_t i = 0; i < size; ++i) {
    if (data[i] < 0x80) {
      out += static_cast<char>(data[i]);
    } else {
      out += kPieces[(data[i] - 0x80U) % kPieces.size()];
    }
  }
  return out;
}

std::string_view body_for(std::string_view method) {
  if (method == "PATCH") return R"({"metadata":{"labels":{"x":"y"}}})";
  if (method == "PUT")
    return R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"mine"},"stringData":{"k":"v"}})";
  if (method == "POST") return R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"new"}})";
  return "";
}

void check(const User& user, const Touched& touched) {
  for (const auto& thing : touched.all()) CH_CHECK(user.may_touch(thing));
  CH_CHECK(user.writes || (touched.written.empty() && touched.made.empty()));
}

}  // namespace

// Each unit is a request to a whole server, which is not optimized in this build, and a byte may stand for thirty of
// it.
chandler::fuzz::Budget chandler::fuzz::target_budget() {
  return {.fixed = 1024 * 1024, .per_byte = 1024, .has_threads = true};
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static std::unique_ptr<AccessLab> lab;
  static size_t requests = 0;
  if (size < 2) return 0;
  if (requests++ % kRequestsPerLab == 0) {
    lab = std::make_unique<AccessLab>();
    lab->grant(kRights);
  }
  const auto& user = kUsers[data[0] % kUsers.size()];
  const auto method = kMethods[data[1] % kMethods.size()];
  chandler::http::Headers headers;
  if (method == "PATCH") headers.add("Content-Type", "application/merge-patch+json");
  check(user, lab->ask(method, target_of(data + 2, size - 2), body_for(method), user.name, "", headers));
  return 0;
}
