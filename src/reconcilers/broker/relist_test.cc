#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/text.h"
#include "reconcilers/broker/catalog_world_fixture.h"
#include "resolve/provided_record.h"

namespace chandler::reconcilers::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class Relist : public CatalogWorld {
 protected:
  void begin(Settings settings = {}) {
    api.put(kClusterBrokers, kClusterBroker);
    start(settings);
  }
  void listed(std::string_view catalog = kCatalog, Settings settings = {}) {
    begin(settings);
    answer(catalog);
    take_log();
  }
  // Another relist with this catalog; what it wrote besides the broker.
  Log relisted(std::string_view catalog) {
    request_relist(kClusterBrokers, "", "azure");
    answer(catalog);
    Log out;
    for (auto& line : take_log()) {
      if (line != "status clusterservicebrokers azure") out.push_back(std::move(line));
    }
    return out;
  }
  static std::string with(std::string_view from, std::string_view to) {
    std::string out(kCatalog);
    const auto at = out.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return out.replace(at, from.size(), to);
  }
};

TEST_F(Relist, AClassBeginsWithTheCountOfItsPlansWhereItCan) {
  api.both_at_once = true;
  begin();
  answer(kCatalog);
  EXPECT_THAT(take_log(), ElementsAre("update clusterservicebrokers azure", "create clusterserviceplans plan-1",
                                      "create clusterserviceplans plan-2", "create clusterserviceclasses class-1",
                                      "status clusterservicebrokers azure"));
  EXPECT_EQ(show(kClusterClasses, "class-1", "status.planCounts"), R"({"free":1,"paid":1})");
}

TEST_F(Relist, ACountThatABrokerWritesSomewhereElseIsNotTheOneOfTheStatus) {
  listed(with("displayName: MySQL",
              R"(displayName: MySQL, planCounts: {free: 0, paid: 1}, status: {planCounts: {free: 0, paid: 1}})"));
  edit(kClusterPlans, "", "plan-1",
       [](json::Object& root) { object_in(root, "status")["removedFromBrokerCatalog"] = true; });
  settle();
  EXPECT_EQ(show(kClusterClasses, "class-1", "status.planCounts"), R"({"free":0,"paid":1})");
}

TEST_F(Relist, FirstListMakesPlansThenClassesThenTheStatus) {
  begin();
  ASSERT_EQ(sender.sent.size(), 1u);
  EXPECT_EQ(sender.sent[0].call.method, osb::Method::kGetCatalog);
  EXPECT_EQ(sender.sent[0].endpoint.url, "https://azure.example.com");
  EXPECT_EQ(sender.sent[0].call.etag, "");
  answer(kCatalog, "\"v1\"");
  EXPECT_THAT(take_log(), ElementsAre("update clusterservicebrokers azure", "create clusterserviceplans plan-1",
                                      "create clusterserviceplans plan-2", "create clusterserviceclasses class-1",
                                      "status clusterservicebrokers azure", "status clusterserviceclasses class-1"));
  EXPECT_EQ(ready(kClusterBrokers, "azure"), "True FetchedCatalog");
  EXPECT_EQ(show(kClusterBrokers, "azure", "status.catalogETag"), R"("\"v1\"")");
  EXPECT_EQ(show(kClusterBrokers, "azure", "status.catalogCounts"), R"({"classes":1,"plans":2})");
  EXPECT_EQ(show(kClusterBrokers, "azure", "status.reconciledGeneration"), "1");
  EXPECT_EQ(show(kClusterBrokers, "azure", "status.lastConditionState"), R"("Ready")");
  EXPECT_TRUE(has_event("Normal FetchedCatalog"));

  EXPECT_TRUE(json::equal(spec_of(get(kClusterClasses, "class-1")), yaml(R"(
    clusterServiceBrokerName: azure
    externalID: class-1
    externalName: mysql
    description: A database
    bindable: true
    bindingRetrievable: false
    instanceRetrievable: false
    allowContextUpdates: false
    planUpdatable: false
    tags: [ServiceType=mysql, sql]
    serviceType: mysql
    externalMetadata: {displayName: MySQL})")))
      << json::write(spec_of(get(kClusterClasses, "class-1")));
  EXPECT_TRUE(json::equal(spec_of(get(kClusterPlans, "plan-1")), yaml(R"(
    clusterServiceBrokerName: azure
    clusterServiceClassRef: {name: class-1}
    externalID: plan-1
    externalName: small
    description: Small
    free: true
    tags: [SuggestedPlan=true, Cores=1]
    attributes: {Cores: "1"}
    serviceType: mysql)")))
      << json::write(spec_of(get(kClusterPlans, "plan-1")));
  EXPECT_EQ(show(kClusterPlans, "plan-2", "spec.free"), "false");
  EXPECT_EQ(annotation_of(get(kClusterPlans, "plan-1"), kSuggestedPlanAnnotation), "true");
  EXPECT_EQ(annotation_of(get(kClusterPlans, "plan-2"), kSuggestedPlanAnnotation), "");
  EXPECT_EQ(show(kClusterClasses, "class-1", "status.planCounts"), R"({"free":1,"paid":1})");
  const auto broker = get(kClusterBrokers, "azure");
  EXPECT_TRUE(json::equal(member(get(kClusterPlans, "plan-1").value(), {"metadata", "ownerReferences"}),
                          yaml(fmt::format("[{{apiVersion: servicecatalog.k8s.io/v1beta1, kind: ClusterServiceBroker, "
                                           "name: azure, uid: {}, controller: true, blockOwnerDeletion: false}}]",
                                           broker.uid()))));
  EXPECT_TRUE(sender.sent.empty());
}

// Where webhooks are asked, each object goes on in a thread of its own, while its neighbours are still being written.
TEST_F(Relist, NewObjectsShareNoMemory) {
  begin();
  api.hold_writes = true;
  answer(kCatalog);
  ASSERT_EQ(api.held.size(), 2u) << "the plans";
  std::set<const void*> memory;
  for (const auto& [write, done] : api.held) {
    EXPECT_EQ(write.verb, client::Write::Verb::kCreate);
    memory.insert(write.object.storage().get());
    memory.insert(member(write.object, "spec").storage().get());
  }
  EXPECT_EQ(memory.size(), 2u) << "one for each, with all that is in it";
}

TEST_F(Relist, AnUnchangedCatalogWritesNoClassAndNoPlan) {
  listed();
  EXPECT_THAT(relisted(kCatalog), IsEmpty());
}

TEST_F(Relist, OneChangedPlanIsOneWrite) {
  listed();
  EXPECT_THAT(relisted(with("description: Large", "description: Very large")),
              ElementsAre("update clusterserviceplans plan-2"));
  EXPECT_EQ(show(kClusterPlans, "plan-2", "spec.description"), R"("Very large")");
}

TEST_F(Relist, WhatIsGoneFromTheCatalogGoesWithItsLastInstance) {
  listed();
  api.put(kInstances, R"(
kind: ServiceInstance
metadata: {name: db, namespace: dev}
spec: {clusterServiceClassRef: {name: class-1}, clusterServicePlanRef: {name: plan-2}})");
  EXPECT_THAT(relisted("services: []"),
              UnorderedElementsAre("status clusterserviceplans plan-1", "status clusterserviceplans plan-2",
                                   "status clusterserviceclasses class-1", "delete clusterserviceplans plan-1",
                                   "status clusterserviceclasses class-1"));
  EXPECT_FALSE(get(kClusterPlans, "plan-1"));
  EXPECT_EQ(show(kClusterPlans, "plan-2", "status.removedFromBrokerCatalog"), "true");
  EXPECT_EQ(show(kClusterClasses, "class-1", "status.planCounts"), R"({"free":0,"paid":0})");
  api.remove(kInstances, "dev", "db");
  settle();
  EXPECT_THAT(take_log(), ElementsAre("delete clusterserviceplans plan-2", "delete clusterserviceclasses class-1"));
}

TEST_F(Relist, WhatComesBackIsUnflagged) {
  listed();
  api.put(kInstances, R"(
kind: ServiceInstance
metadata: {name: db, namespace: dev}
spec: {clusterServiceClassRef: {name: class-1}, clusterServicePlanRef: {name: plan-2}})");
  relisted("services: []");
  relisted(with("description: Large", "description: Back"));
  EXPECT_EQ(show(kClusterPlans, "plan-2", "status.removedFromBrokerCatalog"), "false");
  EXPECT_EQ(show(kClusterPlans, "plan-2", "spec.description"), R"("Back")");
  EXPECT_EQ(show(kClusterClasses, "class-1", "status.removedFromBrokerCatalog"), "false");
  EXPECT_EQ(show(kClusterClasses, "class-1", "status.planCounts"), R"({"free":1,"paid":1})");
}

TEST_F(Relist, ATypeOfTheClassLeavesAnOperatorsTypeOfAPlanAlone) {
  listed(with("ServiceType=mysql, ", ""));
  edit(kClusterPlans, "", "plan-1", [](json::Object& root) { root["spec"].as_object()["serviceType"] = "mariadb"; });
  relisted(kCatalog);
  EXPECT_EQ(show(kClusterPlans, "plan-1", "spec.serviceType"), R"("mariadb")");
  EXPECT_EQ(show(kClusterPlans, "plan-2", "spec.serviceType"), R"("mysql")");
  // A tag of the plan itself is the broker's word about the plan.
  relisted(with("tags: [SuggestedPlan=true", "tags: [ServiceType=redis, SuggestedPlan=true"));
  EXPECT_EQ(show(kClusterPlans, "plan-1", "spec.serviceType"), R"("redis")");
  EXPECT_TRUE(has_event("Warning FieldsOverwrittenByCatalog"));
  // And what was the broker's goes with the broker's word.
  relisted(with("ServiceType=mysql, ", ""));
  EXPECT_EQ(show(kClusterPlans, "plan-1", "spec.serviceType"), "null");
  EXPECT_EQ(show(kClusterPlans, "plan-2", "spec.serviceType"), "null");
}

TEST_F(Relist, ATypeThatAnOperatorGivesAClassReachesItsPlansAtOnce) {
  const auto untyped = with("ServiceType=mysql, ", "");
  listed(untyped);
  edit(kClusterPlans, "", "plan-1", [](json::Object& root) { root["spec"].as_object()["serviceType"] = "mariadb"; });
  edit(kClusterClasses, "", "class-1", [](json::Object& root) { root["spec"].as_object()["serviceType"] = "sql"; });
  settle();
  EXPECT_EQ(show(kClusterPlans, "plan-1", "spec.serviceType"), R"("mariadb")");
  EXPECT_EQ(show(kClusterPlans, "plan-2", "spec.serviceType"), R"("sql")");
  take_log();
  EXPECT_THAT(relisted(untyped), IsEmpty()) << "the relist finds it as it would have made it";
}

TEST_F(Relist, ALaterTypeOfAClassReachesItsPlansAtOnceToo) {
  const auto untyped = with("ServiceType=mysql, ", "");
  const auto set_type = [&](const client::KindName& kind, std::string_view name, std::string_view type) {
    edit(kind, "", name, [&](json::Object& root) {
      auto& spec = root["spec"].as_object();
      if (type.empty()) {
        spec.erase("serviceType");
      } else {
        spec["serviceType"] = text(type);
      }
    });
    settle();
  };
  const auto types = [&] {
    return show(kClusterPlans, "plan-1", "spec.serviceType") + show(kClusterPlans, "plan-2", "spec.serviceType");
  };
  listed(untyped);
  for (const std::string type : {"sql", "postgresql", "", "mysql"}) {
    set_type(kClusterClasses, "class-1", type);
    const auto expected = type.empty() ? std::string("null") : "\"" + type + "\"";
    EXPECT_EQ(types(), expected + expected);
    take_log();
    EXPECT_THAT(relisted(untyped), IsEmpty()) << "the relist finds it as it would have made it: " << type;
  }
  // Whoever chooses another type for a plan has it, whatever becomes of the class.
  set_type(kClusterPlans, "plan-1", "cache");
  set_type(kClusterClasses, "class-1", "redis");
  EXPECT_EQ(types(), R"("cache""redis")");
  relisted(untyped);
  EXPECT_EQ(types(), R"("cache""redis")");
  EXPECT_EQ(show(kClusterPlans, "plan-1", "metadata.annotations").find(std::string(resolve::kTypeOfClassAnnotation)),
            std::string::npos);
  // The broker's word for the class counts for the plan that has none of its own.
  relisted(kCatalog);
  EXPECT_EQ(types(), R"("cache""mysql")");
  set_type(kClusterClasses, "class-1", "sql");
  EXPECT_EQ(types(), R"("cache""mysql")") << "what the broker provides is the relist's business";
}

TEST_F(Relist, WithoutTypesNothingIsInherited) {
  Settings settings;
  settings.service_types = false;
  listed(kCatalog, settings);
  edit(kClusterClasses, "", "class-1", [](json::Object& root) { root["spec"].as_object()["serviceType"] = "sql"; });
  settle();
  EXPECT_EQ(show(kClusterPlans, "plan-2", "spec.serviceType"), "null");
}

class Adoption : public Relist {
 protected:
  void adopts(std::string_view mark) {
    api.put(kClusterClasses, fmt::format(R"(
apiVersion: servicecatalog.k8s.io/v1beta1
kind: ClusterServiceClass
metadata: {{name: class-1, {}}}
spec: {{externalID: class-1, serviceType: mariadb, defaultProvisionParameters: {{location: eastus}}}})",
                                         mark));
    listed(with("ServiceType=mysql, ", ""));
    EXPECT_EQ(show(kClusterClasses, "class-1", "spec.externalName"), R"("mysql")");
    EXPECT_EQ(show(kClusterClasses, "class-1", "spec.clusterServiceBrokerName"), R"("azure")");
    EXPECT_EQ(show(kClusterClasses, "class-1", "spec.defaultProvisionParameters"), R"({"location":"eastus"})");
    EXPECT_EQ(show(kClusterClasses, "class-1", "spec.serviceType"), R"("mariadb")");
    // Plans are looked up by type, so they have that of their class.
    EXPECT_EQ(show(kClusterPlans, "plan-1", "spec.serviceType"), R"("mariadb")");
    const auto adopted = get(kClusterClasses, "class-1");
    const auto* owners = json::array_at(member(adopted.value(), "metadata"), "ownerReferences");
    ASSERT_NE(owners, nullptr);
    ASSERT_EQ(owners->size(), 1u);
    EXPECT_EQ(text_at((*owners)[0], "name"), "azure");
    EXPECT_THAT(relisted(with("ServiceType=mysql, ", "")), IsEmpty());
  }
};

TEST_F(Adoption, AClassWithABareControllerReferenceIsCompleted) {
  adopts("ownerReferences: [{apiVersion: servicecatalog.k8s.io/v1beta1, controller: true}]");
}

TEST_F(Adoption, AClassThatAsksForItIsCompleted) {
  adopts("annotations: {servicecatalog.kubernetes.io/adopt: 'true'}");
}

TEST_F(Relist, FieldsOfOperatorsSurvive) {
  listed();
  edit(kClusterPlans, "", "plan-1", [](json::Object& root) {
    root["spec"].as_object()["defaultProvisionParameters"] = json::Object{{"size", 5}};
    root["metadata"].as_object()["annotations"].as_object()[kDefaultPlanAnnotation] = "true";
  });
  settle();
  take_log();
  EXPECT_THAT(relisted(with("description: Small", "description: Tiny")),
              ElementsAre("update clusterserviceplans plan-1"));
  EXPECT_EQ(show(kClusterPlans, "plan-1", "spec.defaultProvisionParameters"), R"({"size":5})");
  EXPECT_EQ(annotation_of(get(kClusterPlans, "plan-1"), kDefaultPlanAnnotation), "true");
}

TEST_F(Relist, WhatTheBrokerBeginsToProvideOverwritesWithAnEvent) {
  listed();
  edit(kClusterPlans, "", "plan-1", [](json::Object& root) {
    root["spec"].as_object()["defaultProvisionParameters"] = json::Object{{"size", 5}};
  });
  settle();
  take_log();
  const auto providing =
      with("description: Small", "description: Small, metadata: {defaultProvisionParameters: {size: 1}}");
  EXPECT_THAT(relisted(providing), ElementsAre("update clusterserviceplans plan-1"));
  EXPECT_EQ(show(kClusterPlans, "plan-1", "spec.defaultProvisionParameters"), R"({"size":1})");
  EXPECT_TRUE(has_event("Warning FieldsOverwrittenByCatalog")) << join(events(), "\n");
  EXPECT_TRUE(has_event("spec.defaultProvisionParameters"));
  EXPECT_THAT(relisted(providing), IsEmpty());

  // And takes away again what it stops providing.
  relisted(kCatalog);
  EXPECT_EQ(show(kClusterPlans, "plan-1", "spec.defaultProvisionParameters"), "null");
  EXPECT_EQ(show(kClusterPlans, "plan-1", "spec.externalMetadata"), "null");
}

TEST_F(Relist, TheMarkOfSuggestedPlansFollowsTheTag) {
  listed();
  relisted(with("SuggestedPlan=true, ", ""));
  EXPECT_EQ(annotation_of(get(kClusterPlans, "plan-1"), kSuggestedPlanAnnotation), "");
  // One that an operator set is not the relist's to remove.
  edit(kClusterPlans, "", "plan-2", [](json::Object& root) {
    object_in(root["metadata"].as_object(), "annotations")[kSuggestedPlanAnnotation] = "true";
  });
  settle();
  take_log();
  relisted(with("SuggestedPlan=true, ", ""));
  EXPECT_EQ(annotation_of(get(kClusterPlans, "plan-2"), kSuggestedPlanAnnotation), "true");
}

TEST_F(Relist, ServiceTypesSuggestionsAndDefaultsAreBehindTheirGates) {
  Settings settings;
  settings.service_types = settings.suggested_plans = settings.service_plan_defaults = false;
  listed(with("displayName: MySQL", "defaultProvisionParameters: {a: 1}"), settings);
  EXPECT_EQ(show(kClusterClasses, "class-1", "spec.serviceType"), "null");
  EXPECT_EQ(show(kClusterPlans, "plan-1", "spec.serviceType"), "null");
  EXPECT_EQ(show(kClusterClasses, "class-1", "spec.defaultProvisionParameters"), "null");
  EXPECT_EQ(annotation_of(get(kClusterPlans, "plan-1"), kSuggestedPlanAnnotation), "");
}

TEST_F(Relist, BrokersWithTheSameIdsDoNotGetInEachOthersWay) {
  for (const std::string_view name : {"azure", "blue", "coral"}) {
    api.put(kClusterBrokers, fmt::format("{{apiVersion: servicecatalog.k8s.io/v1beta1, kind: ClusterServiceBroker, "
                                         "metadata: {{name: {}, generation: 1}}, spec: {{url: 'https://x'}}}}",
                                         name));
  }
  start();
  for (int i = 0; i < 3; ++i) answer(kCatalog);
  std::vector<std::string> names;
  for (const auto& object : api.list(kClusterClasses, {})) {
    names.push_back(std::string(object.name()) + " of " + text_at(spec_of(object), "clusterServiceBrokerName"));
  }
  EXPECT_THAT(names, ElementsAre("class-1 of azure", "class-1-blue of blue", "class-1-coral of coral"));
  names.clear();
  for (const auto& object : api.list(kClusterPlans, {})) {
    names.push_back(std::string(object.name()) + " in " + PlanView(Scope::kCluster, object).class_name());
  }
  EXPECT_THAT(names, ElementsAre("plan-1 in class-1", "plan-1-class-1 in class-1-blue",
                                 "plan-1-class-1-coral in class-1-coral", "plan-2 in class-1",
                                 "plan-2-class-1 in class-1-blue", "plan-2-class-1-coral in class-1-coral"));
  for (const std::string_view name : {"azure", "blue", "coral"}) {
    EXPECT_EQ(ready(kClusterBrokers, name), "True FetchedCatalog");
  }
}

TEST_F(Relist, AnObjectKeepsTheNameItHas) {
  api.put(kClusterBrokers, kClusterBroker);
  api.put(kClusterClasses, R"(
apiVersion: servicecatalog.k8s.io/v1beta1
kind: ClusterServiceClass
metadata:
  name: OldName
  ownerReferences: [{apiVersion: servicecatalog.k8s.io/v1beta1, kind: ClusterServiceBroker, name: azure, uid: earlier, controller: true}]
spec: {clusterServiceBrokerName: azure, externalID: OldName, externalName: x, description: x})");
  start();
  answer(
      R"({services: [{id: OldName, name: old, description: d, bindable: false, plans: [{id: p, name: p, description: p}]}]})");
  EXPECT_EQ(api.list(kClusterClasses, {}).size(), 1u);
  EXPECT_EQ(show(kClusterClasses, "OldName", "spec.externalName"), R"("old")");
  EXPECT_EQ(show(kClusterPlans, "p", "spec.clusterServiceClassRef.name"), R"("OldName")");
}

TEST_F(Relist, WhatOperatorsMadeIsLeftAlone) {
  api.put(kClusterClasses, R"(
apiVersion: servicecatalog.k8s.io/v1beta1
kind: ClusterServiceClass
metadata: {name: mysql-dev}
spec: {clusterServiceBrokerName: azure, externalID: class-1, externalName: mysql-dev, description: mine})");
  api.put(kClusterPlans, R"(
apiVersion: servicecatalog.k8s.io/v1beta1
kind: ClusterServicePlan
metadata: {name: plan-1}
spec: {clusterServiceBrokerName: azure, clusterServiceClassRef: {name: class-1}, externalID: plan-1, externalName: own, description: mine})");
  listed();
  EXPECT_EQ(show(kClusterClasses, "mysql-dev", "spec.description"), R"("mine")");
  // It stands where the broker's plan would be: the operator has taken it over.
  EXPECT_EQ(show(kClusterPlans, "plan-1", "spec.externalName"), R"("own")");
  EXPECT_EQ(show(kClusterPlans, "plan-1", "metadata.ownerReferences"), "null");
  relisted("services: []");
  EXPECT_EQ(show(kClusterClasses, "mysql-dev", "status.removedFromBrokerCatalog"), "null");
  EXPECT_EQ(show(kClusterPlans, "plan-1", "status.removedFromBrokerCatalog"), "null");
}

TEST_F(Relist, ABrokerOfANamespaceOffersItsCatalogThere) {
  api.put(kBrokers, R"(
apiVersion: servicecatalog.k8s.io/v1beta1
kind: ServiceBroker
metadata: {name: local, namespace: dev, generation: 1}
spec: {url: "https://local.example.com"})");
  start();
  ASSERT_EQ(sender.sent.size(), 1u);
  EXPECT_NE(sender.sent[0].endpoint.addresses, nullptr);
  answer(kCatalog);
  EXPECT_EQ(ready(kBrokers, "local", "dev"), "True FetchedCatalog");
  EXPECT_EQ(show(kClasses, "class-1", "spec.serviceBrokerName", "dev"), R"("local")");
  EXPECT_EQ(show(kPlans, "plan-1", "spec.serviceClassRef.name", "dev"), R"("class-1")");
  EXPECT_THAT(show(kPlans, "plan-1", "metadata.ownerReferences", "dev"), HasSubstr(R"("kind":"ServiceBroker")"));
  EXPECT_EQ(show(kClasses, "class-1", "status.planCounts", "dev"), R"({"free":1,"paid":1})");
  EXPECT_TRUE(api.list(kClusterClasses, {}).empty());
}

TEST_F(Relist, RestrictionsDecideWhatIsOffered) {
  listed();
  edit(kClusterBrokers, "", "azure", [](json::Object& root) {
    root["spec"].as_object()["catalogRestrictions"] = yaml("servicePlan: ['spec.free = false']");
  });
  relisted(kCatalog);
  EXPECT_FALSE(get(kClusterPlans, "plan-1"));  // flagged, then dropped, since nobody uses it
  EXPECT_TRUE(get(kClusterPlans, "plan-2"));
  edit(kClusterBrokers, "", "azure", [](json::Object& root) {
    root["spec"].as_object()["catalogRestrictions"] = yaml("serviceClass: ['spec.externalName != mysql']");
  });
  relisted(kCatalog);
  EXPECT_TRUE(api.list(kClusterClasses, {}).empty());
  EXPECT_TRUE(api.list(kClusterPlans, {}).empty());
  edit(kClusterBrokers, "", "azure", [](json::Object& root) {
    root["spec"].as_object()["catalogRestrictions"] = yaml("serviceClass: ['nonsense in here']");
  });
  relisted(kCatalog);
  EXPECT_EQ(ready(kClusterBrokers, "azure"), "False ErrorSyncingCatalog");
}

TEST_F(Relist, FaultyEntriesAreNamedAndTheRestIsServed) {
  listed(R"(
services:
  - {id: class-1, name: good, description: d, bindable: true, plans: [{id: plan-1, name: p, description: d}]}
  - {id: class-2, name: bad, description: d, bindable: true, plans: []}
  - id: class-3
    name: odd
    description: d
    bindable: true
    metadata: {defaultSecretTransform: [{renameKey: {from: a, to: "not a key"}}, {removeKey: {key: b}}]}
    plans: [{id: plan-3, name: p, description: d}]
)");
  EXPECT_EQ(ready(kClusterBrokers, "azure"), "True FetchedCatalog");
  EXPECT_TRUE(get(kClusterClasses, "class-1"));
  EXPECT_FALSE(get(kClusterClasses, "class-2"));
  EXPECT_EQ(show(kClusterClasses, "class-3", "spec.defaultSecretTransform"), R"([{"removeKey":{"key":"b"}}])");
  EXPECT_THAT(show(kClusterBrokers, "azure", "status.problems"), HasSubstr("bad"));
  EXPECT_THAT(show(kClusterBrokers, "azure", "status.problems"), HasSubstr("odd"));
  EXPECT_TRUE(has_event("Warning ErrorSyncingCatalog"));
  relisted(kCatalog);
  EXPECT_EQ(show(kClusterBrokers, "azure", "status.problems"), "null");
}

TEST_F(Relist, AWriteThatFailsIsRepeatedWithoutAskingTheBrokerAgain) {
  begin();
  int failures = 3;
  fault = [&](const client::Write& write) -> std::optional<Error> {
    const bool hit = write.kind == kClusterClasses && write.verb == client::Write::Verb::kCreate;
    if (!hit || failures == 0) return std::nullopt;
    --failures;
    return unavailable("the disk is full");
  };
  answer(kCatalog);
  EXPECT_EQ(ready(kClusterBrokers, "azure"), "none");
  for (int i = 0; i < 10; ++i) advance(std::chrono::seconds(1));
  EXPECT_EQ(ready(kClusterBrokers, "azure"), "True FetchedCatalog");
  EXPECT_THAT(annotation_of(get(kClusterClasses, "class-1"), resolve::kProvidedFieldsAnnotation),
              HasSubstr("spec.description"));
  EXPECT_TRUE(sender.sent.empty());
}

TEST_F(Relist, AnObjectThatSomebodyDeletedComesBackAlthoughTheCatalogIsTheSame) {
  begin();
  answer(kCatalog, "\"v1\"");
  api.remove(kClusterPlans, "", "plan-2");
  advance(std::chrono::hours(25));
  ASSERT_EQ(sender.sent.size(), 1u);
  EXPECT_EQ(sender.sent[0].call.etag, "") << "the tag would hide that something is missing";
  answer(kCatalog, "\"v1\"");
  EXPECT_TRUE(get(kClusterPlans, "plan-2"));
}

}  // namespace
}  // namespace chandler::reconcilers::testing
