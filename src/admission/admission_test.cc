#include "admission/admission.h"

#include "admission/fake_lookup.h"
#include "admission/table.h"
#include "registry/kind_loader.h"

namespace chandler::admission {
namespace {

registry::Kind kind(std::string group, std::string plural, std::string name, bool namespaced = true) {
  registry::Kind made;
  made.group = std::move(group);
  made.plural = std::move(plural);
  made.kind = std::move(name);
  made.namespaced = namespaced;
  return made;
}

class Admission : public ::testing::Test {
 protected:
  Admission() {
    lookup_.add("/namespaces", R"({"metadata":{"name":"here"}})");
    lookup_.add("/namespaces", R"({"metadata":{"name":"going","deletionTimestamp":"2026-01-01T00:00:00Z"}})");
    user_.name = "u";
  }

  registry::AdmissionRequest request(const registry::Kind& of, std::string ns, json::Value* object) {
    registry::AdmissionRequest made;
    made.kind = &of;
    made.ns = std::move(ns);
    made.name = "n";
    made.user = &user_;
    made.object = object;
    return made;
  }

  FakeLookup lookup_;
  auth::PolicyStore policy_;
  auth::User user_;
  KindAdmission admission_{lookup_, policy_, system_clock()};
};

TEST_F(Admission, NothingIsMadeInAMissingNamespace) {
  const auto config_maps = kind("", "configmaps", "ConfigMap");
  json::Value object = document("{}");
  auto create = request(config_maps, "nowhere", &object);
  const auto result = admission_.mutate(create);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().http(), 404);
  EXPECT_EQ(result.error().about, (ObjectRef{"", "namespaces", "nowhere", ""}));
}

TEST_F(Admission, NothingIsMadeInANamespaceThatGoes) {
  const auto deployments = kind("apps", "deployments", "Deployment");
  json::Value object = document("{}");
  auto create = request(deployments, "going", &object);
  const auto result = admission_.mutate(create);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().http(), 403);
  EXPECT_EQ(result.error().about, (ObjectRef{"apps", "deployments", "n", ""}));
  ASSERT_EQ(result.error().causes.size(), 1u);
  EXPECT_EQ(result.error().causes[0].reason, "NamespaceTerminating");
  EXPECT_EQ(result.error().causes[0].field, "metadata.namespace");
}

TEST_F(Admission, ANamespaceThatGoesStillTakesUpdatesAndQuestions) {
  const auto config_maps = kind("", "configmaps", "ConfigMap");
  auto reviews = kind("authorization.k8s.io", "localsubjectaccessreviews", "LocalSubjectAccessReview");
  reviews.stored = false;
  json::Value object = document("{}");
  const json::Value old = document("{}");
  auto update = request(config_maps, "going", &object);
  update.operation = registry::Operation::kUpdate;
  update.old = &old;
  EXPECT_TRUE(admission_.mutate(update).ok());
  auto review = request(reviews, "going", &object);
  EXPECT_TRUE(admission_.mutate(review).ok());
}

TEST_F(Admission, RunsTheStepsOfTheKind) {
  const auto secrets = kind("", "secrets", "Secret");
  json::Value object = document(R"({"stringData":{"a b":"1"}})");
  auto create = request(secrets, "here", &object);
  ASSERT_TRUE(admission_.mutate(create).ok());
  EXPECT_EQ(json::write(object), R"({"data":{"a b":"MQ=="}})");
  meta::FieldErrors errors;
  ASSERT_TRUE(admission_.validate(create, errors).ok());
  EXPECT_EQ(short_causes(errors), std::vector<std::string>{"data[a b] Invalid"});
}

TEST_F(Admission, StatusHasItsOwnRules) {
  const auto namespaces = kind("", "namespaces", "Namespace", false);
  json::Value object =
      document(R"({"metadata":{"name":"a"},"spec":{"finalizers":["plain"]},"status":{"phase":"Terminating"}})");
  const json::Value old = object;
  auto update = request(namespaces, "", &object);
  update.operation = registry::Operation::kUpdate;
  update.subresource = "status";
  update.old = &old;
  ASSERT_TRUE(admission_.mutate(update).ok());
  EXPECT_TRUE(json::equal(object, old));
  meta::FieldErrors errors;
  ASSERT_TRUE(admission_.validate(update, errors).ok());
  EXPECT_EQ(short_causes(errors), std::vector<std::string>{"status.Phase Invalid"});
}

TEST_F(Admission, DeletionIsPermittedFirstAndMarkedThen) {
  const auto namespaces = kind("", "namespaces", "Namespace", false);
  const json::Value old = document(R"({"metadata":{"name":"default"},"status":{"phase":"Active"}})");
  auto remove = request(namespaces, "", nullptr);
  remove.operation = registry::Operation::kDelete;
  remove.old = &old;
  meta::FieldErrors errors;
  const auto permitted = admission_.validate(remove, errors);
  ASSERT_FALSE(permitted.ok());
  EXPECT_EQ(permitted.error().http(), 403);

  json::Value marked = old;
  remove.object = &marked;
  ASSERT_TRUE(admission_.mutate(remove).ok());
  EXPECT_EQ(marked.at("status").at("phase").as_string(), "Terminating");
}

TEST_F(Admission, NobodyEscalates) {
  const auto roles = kind(std::string(auth::kRbacGroup), "roles", "Role");
  json::Value object = document(R"({"kind":"Role","metadata":{"name":"n","namespace":"here"},
      "rules":[{"verbs":["*"],"apiGroups":["*"],"resources":["*"]}]})");
  auto create = request(roles, "here", &object);
  meta::FieldErrors errors;
  const auto refused = admission_.validate(create, errors);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().http(), 403);
  user_.groups.emplace_back(auth::kMasters);
  EXPECT_TRUE(admission_.validate(create, errors).ok());
}

TEST_F(Admission, ADefinitionThatIsLabelledSoHasTheRulesOfClaims) {
  lookup_.add("apiextensions.k8s.io/customresourcedefinitions",
              R"({"metadata":{"name":"queues.example.org","labels":{"core.crossplane.io/claim":"true"}}})");
  lookup_.add("apiextensions.k8s.io/customresourcedefinitions", R"({"metadata":{"name":"boxes.example.org"}})");
  const auto faults_of = [&](const std::string& plural, bool namespaced) {
    auto custom = kind("example.org", plural, "Thing", namespaced);
    custom.crd_uid = "uid";
    const json::Value old = document(
        R"({"spec":{"classReference":{"name":"k"},"resourceRef":{"name":"t"}},"status":{"resource":{"name":"t"}}})");
    json::Value object = document(R"({"spec":{"classReference":{"name":"l"}}})");
    auto update = request(custom, namespaced ? "here" : "", &object);
    update.operation = registry::Operation::kUpdate;
    update.old = &old;
    EXPECT_TRUE(admission_.mutate(update).ok());
    meta::FieldErrors errors;
    EXPECT_TRUE(admission_.validate(update, errors).ok());
    return short_causes(errors);
  };
  EXPECT_EQ(faults_of("queues", true), std::vector<std::string>{"spec.classReference Forbidden"});
  EXPECT_TRUE(faults_of("boxes", true).empty()) << "no label, no claim";
  EXPECT_TRUE(faults_of("others", true).empty()) << "no definition any more";
  EXPECT_TRUE(faults_of("queues", false).empty()) << "claims have a namespace";
}

// A row for a kind that does not exist would never run.
TEST(Table, EveryRowIsForAKindThatIsServed) {
  auto embedded = registry::EmbeddedKinds::load();
  ASSERT_TRUE(embedded.ok()) << embedded.error().message;
  for (const auto& rules : all_rules()) {
    const auto& kinds = (*embedded)->kinds();
    EXPECT_TRUE(
        std::any_of(kinds.begin(), kinds.end(),
                    [&](const auto& served) { return served->group == rules.group && served->plural == rules.plural; }))
        << rules.plural << "." << rules.group;
  }
}

}  // namespace
}  // namespace chandler::admission
