#include "reconcilers/claim/claim_world_fixture.h"

namespace chandler::reconcilers::claims {
namespace {

class ClaimStory : public testing::ClaimWorld {};
using testing::kPostgres;
using testing::kServers;

TEST_F(ClaimStory, ADefaultServesAClaimThatNamesNothing) {
  install_servers();
  create_class("cloud-postgresql", kServerClass, "crossplane-system", kIsDefault);
  const auto uid = std::string(create_claim("db", "{engineVersion: '9.6'}").uid());
  settle();
  EXPECT_EQ(conditions(claim()), kBoundConditions);
  EXPECT_EQ(at(claim(), "status.bindingPhase"), "Bound");
  EXPECT_EQ(at(claim(), "spec.classReference"), R"({"name":"cloud-postgresql","namespace":"crossplane-system"})");
  EXPECT_EQ(at(claim(), "status.resolution.source"), "OperatorDefault");
  EXPECT_EQ(at(claim(), "status.resolution.reclaimPolicy"), "Delete");
  EXPECT_EQ(at(claim(), "status.resolution.engineVersion"), "9.6");
  EXPECT_EQ(at(claim(), "status.provisioner"), "postgresqlserver.database.example.org/v1");
  ASSERT_EQ(servers().size(), 1u);
  const auto server = servers().front();
  EXPECT_EQ(server.name(), "postgresqlinstance-" + uid);
  EXPECT_EQ(server.ns(), "crossplane-system");
  EXPECT_EQ(at(server, "spec.size"), "20") << "a number, as the kind wants it";
  EXPECT_EQ(json::write(member(spec_of(server), "size")), "20");
  EXPECT_EQ(at(server, "spec.tier"), "gold");
  EXPECT_EQ(at(server, "spec.engineVersion"), "9.6");
  EXPECT_EQ(at(server, "spec.claimRef.name"), "db");
  EXPECT_EQ(password(), "s3cret");
  EXPECT_TRUE(has_event("OperatorDefault"));
  EXPECT_TRUE(has_event("Available"));

  // Looking again changes nothing.
  restart();
  settle();
  EXPECT_EQ(processes.front()->api.writes, 0u);
}

TEST_F(ClaimStory, WhatIsMissingIsToldAndPickedUp) {
  create_claim("db", "{engineVersion: '9.6'}");
  settle();
  EXPECT_EQ(conditions(claim()), "Ready=False:NoDefaultClass ClassResolved=False:NoDefaultClass");
  EXPECT_EQ(at(claim(), "status.bindingPhase"), "Unbound");
  EXPECT_NE(message(claim()).find("No class is the default for postgresqlinstance.storage.crossplane.io"),
            std::string::npos);
  EXPECT_EQ(processes.front()->engine->next_due(), std::nullopt) << "woken by what changes, not by time";

  create_class("cloud", kServerClass, "crossplane-system", kIsDefault);
  settle();
  EXPECT_EQ(conditions(claim()), "Ready=False:UnknownProvisioner ClassResolved=True:OperatorDefault");
  EXPECT_NE(message(claim()).find("there is no kind postgresqlserver.database.example.org/v1"), std::string::npos);
  EXPECT_EQ(at(claim(), "spec.resourceRef"), "null") << "nothing is promised yet";
  EXPECT_EQ(processes.front()->engine->next_due(), std::nullopt);

  install_servers();
  settle();
  EXPECT_EQ(conditions(claim()), kBoundConditions);
}

TEST_F(ClaimStory, SeveralDefaultsAreRefusedUntilOneIsLeft) {
  install_servers();
  create_class("a", kServerClass, "crossplane-system", kIsDefault);
  create_class("b", kServerClass, "crossplane-system", kIsDefault);
  create_claim();
  settle();
  EXPECT_EQ(conditions(claim()), "Ready=False:SeveralDefaultClasses ClassResolved=False:SeveralDefaultClasses");
  EXPECT_NE(message(claim()).find("crossplane-system/a, crossplane-system/b"), std::string::npos);
  EXPECT_EQ(json::array_at(member(status_of(claim()), "resolution"), "candidates")->size(), 2u);
  EXPECT_TRUE(servers().empty());

  update(kResourceClasses, "crossplane-system", "a",
         [](json::Object& root) { object_in(root, "metadata").erase("labels"); });
  settle();
  EXPECT_EQ(conditions(claim()), kBoundConditions);
  EXPECT_EQ(at(claim(), "spec.classReference.name"), "b");
}

TEST_F(ClaimStory, OperatorsMayLetNewestOrPriorityDecide) {
  install_servers();
  create_class("old", kServerClass, "crossplane-system", kIsDefault);
  clock.advance(std::chrono::seconds(60));
  create_class("new", kServerClass, "crossplane-system", kIsDefault);
  update(kResourceClasses, "crossplane-system", "old", [](json::Object& root) {
    object_in(object_in(root, "metadata"), "annotations")["core.crossplane.io/default-priority"] = "5";
  });
  settings.several_defaults = resolve::TieRule::kNewest;
  create_claim("newest");
  settle();
  EXPECT_EQ(at(claim("newest"), "spec.classReference.name"), "new");
  settings.several_defaults = resolve::TieRule::kPriority;
  create_claim("priority");
  restart();
  settle();
  EXPECT_EQ(at(claim("priority"), "spec.classReference.name"), "old");
  EXPECT_EQ(at(claim("newest"), "spec.classReference.name"), "new") << "decided once";
}

TEST_F(ClaimStory, ADefaultOfTheNamespaceComesFirstAndNobodySetsOneForOthers) {
  install_servers();
  create_class("mine", kServerClass, "demo", kIsDefault);
  create_class("theirs", kServerClass, "other", kIsDefault);
  create_class("all", kServerClass, "crossplane-system", kIsDefault);
  create_claim();
  settle();
  EXPECT_EQ(at(claim(), "status.resolution.source"), "NamespaceDefault");
  EXPECT_EQ(at(claim(), "spec.classReference.namespace"), "demo");
  EXPECT_EQ(servers().front().ns(), "demo");
  create_claim("foreign", "{classReference: {name: theirs, namespace: other}}");
  settle();
  EXPECT_EQ(conditions(claim("foreign")), "Ready=False:ClassNotAllowed ClassResolved=False:ClassNotAllowed");
}

TEST_F(ClaimStory, AWrongGroupIsToldOnBothSides) {
  create_class("cloud",
               "provisioner: postgresqlserver.database.example.org/v1, defaultForClaimKinds: "
               "[postgresqlinstance.database.crossplane.io]");
  create_claim();
  settle();
  EXPECT_EQ(conditions(get(kResourceClasses, "crossplane-system", "cloud")), "DefaultsServed=False:NoSuchClaimKind");
  EXPECT_NE(
      message(claim()).find("crossplane-system/cloud is a default for a kind of the same name in another API group"),
      std::string::npos)
      << message(claim());
  update(kResourceClasses, "crossplane-system", "cloud", [](json::Object& root) {
    root["defaultForClaimKinds"] = json::Array{text("postgresqlinstance.storage.crossplane.io")};
  });
  settle();
  EXPECT_EQ(conditions(get(kResourceClasses, "crossplane-system", "cloud")), "");
  EXPECT_EQ(conditions(claim()), "Ready=False:UnknownProvisioner ClassResolved=True:OperatorDefault");
}

TEST_F(ClaimStory, ASelectorIsAFullOne) {
  install_servers();
  create_class("small", kServerClass, "crossplane-system", "tier: small");
  create_class("large", kServerClass, "crossplane-system", "tier: large, region: eu");
  create_claim("a",
               "{classSelector: {matchExpressions: [{key: tier, operator: In, values: [large, huge]}, {key: region, "
               "operator: Exists}]}}");
  create_claim("b", "{classSelector: {matchExpressions: [{key: tier, operator: NotIn, values: [large]}]}}");
  create_claim("c", "{classSelector: {matchLabels: {tier: huge}}}");
  create_claim("d", "{classSelector: {}}");
  settle();
  EXPECT_EQ(at(claim("a"), "spec.classReference.name"), "large");
  EXPECT_EQ(at(claim("a"), "status.resolution.source"), "Selector");
  EXPECT_EQ(at(claim("b"), "spec.classReference.name"), "small");
  EXPECT_EQ(conditions(claim("c")), "Ready=False:NoMatchingClass ClassResolved=False:NoMatchingClass");
  EXPECT_EQ(conditions(claim("d")), "Ready=False:SeveralMatchingClasses ClassResolved=False:SeveralMatchingClasses");
  create_class("huge", kServerClass, "crossplane-system", "tier: huge");
  settle();
  EXPECT_EQ(at(claim("c"), "spec.classReference.name"), "huge");
}

TEST_F(ClaimStory, AnotherWishIsHeardUntilSomethingIsMade) {
  create_class("small", kServerClass, "crossplane-system", "tier: small");
  create_class("large", kServerClass, "crossplane-system", fmt::format("tier: large, {}", kIsDefault));
  create_claim("db", "{classSelector: {matchLabels: {tier: small}}}");
  settle();
  EXPECT_EQ(at(claim(), "spec.classReference.name"), "small");
  update(kPostgres, "demo", "db", [](json::Object& root) { object_in(root, "spec").erase("classSelector"); });
  settle();
  EXPECT_EQ(at(claim(), "spec.classReference.name"), "large");
  EXPECT_EQ(at(claim(), "status.resolution.source"), "OperatorDefault");
  install_servers();
  settle();
  EXPECT_EQ(conditions(claim()), kBoundConditions);
}

TEST_F(ClaimStory, VersionsMustAgree) {
  install_servers();
  create_class("eleven", "provisioner: postgresqlserver.database.example.org/v1, parameters: {engineVersion: '11.2'}",
               "crossplane-system", kIsDefault);
  create_claim("db", "{engineVersion: '9.6'}");
  create_claim("new", "{engineVersion: '11'}");
  settle();
  EXPECT_EQ(conditions(claim()), "Ready=False:EngineVersionMismatch ClassResolved=False:EngineVersionMismatch");
  EXPECT_EQ(at(claim("new"), "status.resolution.engineVersion"), "11.2");
  update(kPostgres, "demo", "db", [](json::Object& root) { object_in(root, "spec")["engineVersion"] = "11.2"; });
  settle();
  EXPECT_EQ(conditions(claim()), kBoundConditions);
}

TEST_F(ClaimStory, ParametersThatDoNotFitAreTold) {
  install_servers();
  create_class("cloud",
               "provisioner: postgresqlserver.database.example.org/v1, parameters: {size: twenty, color: red, public: "
               "'yes'}",
               "crossplane-system", kIsDefault);
  create_claim();
  settle();
  EXPECT_EQ(conditions(claim()), "Ready=False:InvalidParameters ClassResolved=True:OperatorDefault");
  EXPECT_NE(
      message(claim()).find("\"color\" is no field of the kind, \"public\" must be true or false, \"size\" must be a "
                            "whole number"),
      std::string::npos)
      << message(claim());
  update(kResourceClasses, "crossplane-system", "cloud", [](json::Object& root) { root.erase("parameters"); });
  settle();
  EXPECT_EQ(conditions(claim()), kBoundConditions);
}

TEST_F(ClaimStory, AClassInUseStays) {
  install_servers();
  create_class("cloud", kServerClass, "crossplane-system", kIsDefault);
  create_claim();
  settle();
  update(kResourceClasses, "crossplane-system", "cloud",
         [](json::Object& root) { object_in(root, "parameters")["size"] = "40"; });
  settle();
  EXPECT_NE(conditions(claim()).find("OutdatedClass=True:ClassChanged"), std::string::npos);
  EXPECT_EQ(at(servers().front(), "spec.size"), "20") << "nothing changes silently";

  remove(kResourceClasses, "crossplane-system", "cloud");
  create_claim("late");
  settle();
  const auto kept = get(kResourceClasses, "crossplane-system", "cloud");
  ASSERT_TRUE(kept);
  EXPECT_EQ(message(kept, kInUse), "Used by PostgreSQLInstance demo/db: it goes when they are gone.");
  EXPECT_EQ(conditions(claim("late")), "Ready=False:NoDefaultClass ClassResolved=False:NoDefaultClass");

  remove(kPostgres, "demo", "db");
  settle();
  EXPECT_FALSE(claim());
  EXPECT_FALSE(get(kResourceClasses, "crossplane-system", "cloud"));
}

TEST_F(ClaimStory, AProviderInUseStays) {
  create(kProviders, "crossplane-system",
         "{apiVersion: core.crossplane.io/v1alpha1, kind: Provider, metadata: {name: aws}, spec: {type: aws}}");
  create_class("cloud", "provisioner: postgresqlserver.database.example.org/v1, providerRef: {name: aws}");
  settle();
  remove(kProviders, "crossplane-system", "aws");
  settle();
  EXPECT_EQ(conditions(get(kProviders, "crossplane-system", "aws")), "InUse=True:Used");
  remove(kResourceClasses, "crossplane-system", "cloud");
  settle();
  EXPECT_FALSE(get(kProviders, "crossplane-system", "aws"));
}

TEST_F(ClaimStory, DeletingTakesEverythingAlong) {
  install_servers();
  create_class("cloud", kServerClass, "crossplane-system", kIsDefault);
  create_claim();
  settle();
  ASSERT_EQ(password(), "s3cret");
  remove(kPostgres, "demo", "db");
  settle();
  EXPECT_FALSE(claim());
  EXPECT_TRUE(servers().empty());
  EXPECT_EQ(password(), "no secret");
}

TEST_F(ClaimStory, RetainedResourcesOutliveTheirClaim) {
  install_servers();
  create_class("cloud", fmt::format("{}, reclaimPolicy: Retain", kServerClass), "crossplane-system", kIsDefault);
  create_claim();
  settle();
  ASSERT_EQ(conditions(claim()), kBoundConditions);
  remove(kPostgres, "demo", "db");
  settle();
  EXPECT_FALSE(claim());
  ASSERT_EQ(servers().size(), 1u);
  const auto server = servers().front();
  EXPECT_EQ(annotation_of(server, kReleasedAnnotation), "postgresqlinstance.storage.crossplane.io/demo/db");
  EXPECT_FALSE(server.document().label(kClaimUidLabel));
  EXPECT_EQ(password(), "no secret") << "the way in goes with the claim";

  // Another claim of the same name is another claim.
  create_claim();
  settle();
  EXPECT_EQ(servers().size(), 2u);
  // Offered anew, it can be taken by name.
  update(kServers, "crossplane-system", server.name(), [](json::Object& root) {
    object_in(object_in(root, "metadata"), "annotations")[kClaimAnnotation] =
        "postgresqlinstance.storage.crossplane.io/demo/second";
  });
  const auto named = fmt::format(
      "{{resourceRef: {{apiVersion: database.example.org/v1, kind: PostgreSQLServer, namespace: "
      "crossplane-system, name: {}}}}}",
      server.name());
  create_claim("second", named);
  create_claim("third", named);
  settle();
  EXPECT_EQ(conditions(claim("second")),
            "Ready=True:Available ClassResolved=True:ResourceGiven ConnectionSecretPropagated=True:Propagated");
  EXPECT_EQ(password("second"), "s3cret");
  EXPECT_EQ(conditions(claim("third")), "Ready=False:ResourceConflict");
  remove(kPostgres, "demo", "second");
  settle();
  EXPECT_FALSE(claim("second"));
  EXPECT_TRUE(get(kServers, "crossplane-system", server.name())) << "it was not made for the claim";
}

TEST_F(ClaimStory, NobodyTakesWhatIsNotOffered) {
  install_servers();
  create(kServers, "other",
         "{apiVersion: database.example.org/v1, kind: PostgreSQLServer, metadata: {name: s}, spec: {size: 1}}");
  provider_works = false;
  create_claim("db",
               "{resourceRef: {apiVersion: database.example.org/v1, kind: PostgreSQLServer, namespace: other, name: "
               "s}}");
  create_claim("secret", "{resourceRef: {apiVersion: v1, kind: Secret, namespace: other, name: s}}");
  create_claim("role",
               "{resourceRef: {apiVersion: rbac.authorization.k8s.io/v1, kind: Role, namespace: other, name: s}}");
  settle();
  EXPECT_EQ(conditions(claim()), "Ready=False:ResourceNotOffered");
  EXPECT_EQ(conditions(claim("secret")), "Ready=False:ResourceNotFound");
  EXPECT_EQ(conditions(claim("role")), "Ready=False:ResourceNotOffered");
  for (const auto name : {"db", "secret", "role"}) remove(kPostgres, "demo", name);
  settle();
  for (const auto name : {"db", "secret", "role"}) EXPECT_FALSE(claim(name)) << name;
  EXPECT_TRUE(get(kServers, "other", "s"));
}

TEST_F(ClaimStory, DeletionEndsInEveryState) {
  const struct {
    std::string_view why;
    std::function<void()> bring_about;
  } rows[] = {
      {"no class", [&] {}},
      {"no kind", [&] { create_class("cloud", kServerClass, "crossplane-system", kIsDefault); }},
      {"resource not ready", [&] { install_servers(); }},
      {"resource gone",
       [&] {
         provider_works = true;
         settle();
         remove(kServers, "crossplane-system", servers().front().name());
         settle();
         EXPECT_EQ(conditions(claim()).substr(0, 25), "Ready=False:ResourceLost ") << conditions(claim());
       }},
  };
  provider_works = false;
  for (const auto& row : rows) {
    SCOPED_TRACE(row.why);
    row.bring_about();
    if (!claim()) create_claim();
    settle();
    if (row.why == "resource gone") continue;
    remove(kPostgres, "demo", "db");
    settle();
    advance(std::chrono::seconds(11));
    EXPECT_FALSE(claim()) << conditions(claim());
    if (row.why == "resource not ready") create_claim();
  }
  remove(kPostgres, "demo", "db");
  settle();
  EXPECT_FALSE(claim());
  EXPECT_TRUE(servers().empty());
}

TEST_F(ClaimStory, ASecretOfOthersIsLeftAlone) {
  install_servers();
  create_class("cloud", kServerClass, "crossplane-system", kIsDefault);
  create(kSecrets, "demo", "{apiVersion: v1, kind: Secret, metadata: {name: db}, data: {password: bWluZQ==}}");
  create_claim();
  settle();
  EXPECT_NE(conditions(claim()).find("ConnectionSecretPropagated=False:SecretBelongsToOthers"), std::string::npos);
  EXPECT_EQ(password(), "mine");
  remove(kSecrets, "demo", "db");
  settle();
  EXPECT_EQ(conditions(claim()), kBoundConditions);
  EXPECT_EQ(password(), "s3cret");
}

TEST_F(ClaimStory, BothSidesMustAgreeToPassSecretsOn) {
  install_servers();
  create_class("cloud", kServerClass, "crossplane-system", kIsDefault);
  create_claim();
  settle();
  const std::string source(servers().front().name());
  const auto change = [&](std::string_view content) {
    update(kSecrets, "crossplane-system", source,
           [&](json::Object& root) { object_in(root, "data")["password"] = text(base64_encode(content)); });
    settle();
  };
  change("renewed");
  EXPECT_EQ(password(), "renewed");
  update(kSecrets, "crossplane-system", source, [&](json::Object& root) {
    object_in(object_in(root, "metadata"), "annotations")
        .erase("to.propagate.crossplane.io/" + std::string(get(kSecrets, "demo", "db").uid()));
  });
  change("withheld");
  EXPECT_EQ(password(), "renewed");
  EXPECT_NE(conditions(claim()).find("ConnectionSecretPropagated=False:ConsentWithdrawn"), std::string::npos);

  // A secret that somebody else put there is not read.
  create_claim("two");
  provider_works = false;
  settle();
  const auto server = get(kServers, "crossplane-system", at(claim("two"), "status.resource.name"));
  create(
      kSecrets, "crossplane-system",
      fmt::format("{{apiVersion: v1, kind: Secret, metadata: {{name: {}}}, data: {{password: eA==}}}}", server.name()));
  set_ready(kServers, "crossplane-system", server.name());
  settle();
  EXPECT_NE(conditions(claim("two")).find("ConnectionSecretPropagated=False:SourceNotControlled"), std::string::npos);
  EXPECT_EQ(password("two"), "no secret");
}

TEST_F(ClaimStory, AServiceOfTheCatalogServesAClaim) {
  create_class("catalog",
               "provisioner: serviceinstance.servicecatalog.k8s.io/v1beta1, parameters: {serviceType: postgresql, "
               "provisionParameters: '{\"size\": 3}', bindingParameters: '{\"role\": \"rw\"}'}",
               "crossplane-system", kIsDefault);
  create_claim("db", "{writeConnectionSecretToRef: {name: access}}");
  settle();
  const auto name = at(claim(), "spec.resourceRef.name");
  auto instance = get(kInstances, "crossplane-system", name);
  ASSERT_TRUE(instance);
  EXPECT_EQ(at(instance, "spec.serviceType"), "postgresql");
  EXPECT_EQ(at(instance, "spec.parameters"), R"({"size":3})");
  EXPECT_FALSE(get(kBindings, "crossplane-system", name)) << "not before the service is there";
  set_ready(kInstances, "crossplane-system", name);
  settle();
  const auto binding = get(kBindings, "crossplane-system", name);
  ASSERT_TRUE(binding);
  EXPECT_EQ(at(binding, "spec.parameters"), R"({"role":"rw"})");
  EXPECT_EQ(conditions(claim()), "Ready=False:WaitingForBinding ClassResolved=True:OperatorDefault");
  create(kSecrets, "crossplane-system",
         fmt::format("{{apiVersion: v1, kind: Secret, metadata: {{name: {}, ownerReferences: [{{apiVersion: "
                     "servicecatalog.k8s.io/v1beta1, kind: ServiceBinding, name: {}, uid: {}, controller: true}}]}}, "
                     "data: {{password: eA==}}}}",
                     name, name, binding.uid()));
  set_ready(kBindings, "crossplane-system", name);
  settle();
  EXPECT_EQ(conditions(claim()), kBoundConditions);
  EXPECT_EQ(password("access"), "x");

  // Back in the reverse order.
  const auto finish = [&](const client::KindName& kind) {
    update(kind, "crossplane-system", name,
           [](json::Object& root) { object_in(root, "metadata").erase("finalizers"); });
    settle();
  };
  remove(kPostgres, "demo", "db");
  settle();
  EXPECT_EQ(password("access"), "no secret");
  EXPECT_TRUE(get(kBindings, "crossplane-system", name).deleting());
  EXPECT_FALSE(get(kInstances, "crossplane-system", name).deleting());
  EXPECT_EQ(conditions(claim()).substr(0, 21), "Ready=False:Deleting ");
  finish(kBindings);
  EXPECT_TRUE(get(kInstances, "crossplane-system", name).deleting());
  finish(kInstances);
  EXPECT_FALSE(claim());
}

TEST_F(ClaimStory, ACatalogClassSaysWhatItWants) {
  const struct {
    std::string_view parameters, part;
  } rows[] = {
      {"{}", "nothing says which service is wanted"},
      {"{class: x, serviceType: mysql}", "\"class\": not known"},
      {"{serviceType: mysql, provisionParameters: '[1]'}", "provisionParameters must be an object as JSON"},
      {"{serviceType: mysql, bindingParameters: '{'}", "bindingParameters must be an object as JSON"},
  };
  int i = 0;
  for (const auto& row : rows) {
    const auto name = fmt::format("c{}", ++i);
    create_class(name, fmt::format("provisioner: serviceinstance.servicecatalog.k8s.io/v1beta1, parameters: {}",
                                   row.parameters));
    create_claim(name, fmt::format("{{classReference: {{name: {}, namespace: crossplane-system}}}}", name));
    settle();
    EXPECT_NE(message(claim(name)).find(row.part), std::string::npos) << message(claim(name));
    EXPECT_EQ(at(claim(name), "spec.resourceRef"), "null");
  }
}

TEST_F(ClaimStory, WhatIsRefusedIsTold) {
  install_servers();
  // The namespace is on its way out, so nothing new may be made in it.
  create_class("mine", kServerClass, "other", "postgresqlinstance.storage.crossplane.io/default: 'true'");
  create_claim("db", "{}", "other");
  start_process(2);  // the intent is stored
  settle();
  update(kNamespaces, "", "other",
         [](json::Object& root) { object_in(root, "metadata")["finalizers"] = json::Array{text("example.org/stay")}; });
  remove(kNamespaces, "", "other");
  restart();
  settle();
  advance(std::chrono::seconds(1));
  const auto now = get(kPostgres, "other", "db");
  EXPECT_EQ(conditions(now).substr(0, 25), "Ready=False:CreateFailed ") << conditions(now);
}

// People who see the claim may not see the class.
TEST_F(ClaimStory, ARefusalDoesNotRepeatWhatTheClassSays) {
  std::string definition(testing::kServerDefinition);
  const std::string_view open = "tier: {type: string}";
  definition.replace(definition.find(open), open.size(), "tier: {type: string, pattern: '^(gold|silver)$'}");
  install(definition);
  create_class("cloud", "provisioner: postgresqlserver.database.example.org/v1, parameters: {tier: hunter2}",
               "crossplane-system", kIsDefault);
  create_claim();
  settle();
  advance(std::chrono::seconds(1));
  EXPECT_EQ(condition_reason(status_of(claim()), kReady), "CreateFailed") << conditions(claim());
  EXPECT_NE(message(claim()).find("spec.tier: Invalid value: (not shown)"), std::string::npos) << message(claim());
  EXPECT_EQ(json::write(claim().value()).find("hunter2"), std::string::npos) << json::write(claim().value());
  for (const auto& event : world.state().list({"", "events"}, {})) {
    EXPECT_EQ(json::write(event.value()).find("hunter2"), std::string::npos) << json::write(event.value());
  }
  update(kResourceClasses, "crossplane-system", "cloud",
         [](json::Object& root) { object_in(root, "parameters")["tier"] = "gold"; });
  settle();
  advance(std::chrono::seconds(30));
  EXPECT_EQ(condition_reason(status_of(claim()), kReady), "Available") << conditions(claim());
}

TEST_F(ClaimStory, AKindOfClaimMayComeAtRunTime) {
  constexpr std::string_view kQueues = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: queues.messaging.example.org, labels: {{core.crossplane.io/claim: 'true'}}}}
spec:
  group: messaging.example.org
  scope: Namespaced
  names: {{plural: queues, singular: queue, kind: Queue, listKind: QueueList}}
  versions:
    - name: v1
      served: true
      storage: true
      subresources: {{status: {{}}}}
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec: {{type: object, x-kubernetes-preserve-unknown-fields: true}}
            status: {}
)";
  const client::KindName queues{"messaging.example.org", "queues"};
  install_servers();
  settle();
  install(fmt::format(kQueues, "{type: object, properties: {phase: {type: string}}}"));
  create_class("q", kServerClass, "crossplane-system", "queue.messaging.example.org/default: 'true'");
  create(queues, "demo",
         "{apiVersion: messaging.example.org/v1, kind: Queue, metadata: {name: orders}, spec: {tier: gold}}");
  settle();
  EXPECT_TRUE(has_event("IncompleteClaimKind"));
  EXPECT_TRUE(servers().empty()) << "what is decided could not be written down";

  const auto better = fmt::format(kQueues, "{type: object, x-kubernetes-preserve-unknown-fields: true}");
  world.serve(better);
  update(kDefinitions, "", "queues.messaging.example.org",
         [&](json::Object& root) { root["spec"] = json::parse_yaml(better).value().at("spec"); });
  settle();
  const auto queue = get(queues, "demo", "orders");
  EXPECT_EQ(conditions(queue), kBoundConditions);
  ASSERT_EQ(servers().size(), 1u);
  EXPECT_TRUE(servers().front().name().starts_with("queue-"));
  EXPECT_EQ(password("orders"), "s3cret");
  remove(kResourceClasses, "crossplane-system", "q");
  settle();
  EXPECT_NE(message(get(kResourceClasses, "crossplane-system", "q"), kInUse).find("Queue demo/orders"),
            std::string::npos);
  remove(queues, "demo", "orders");
  settle();
  EXPECT_FALSE(get(queues, "demo", "orders"));
  EXPECT_FALSE(get(kResourceClasses, "crossplane-system", "q"));
  EXPECT_TRUE(servers().empty());
}

}  // namespace
}  // namespace chandler::reconcilers::claims
