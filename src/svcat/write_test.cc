// Commands that change something: what is sent, what is asked, what is said.
#include <gtest/gtest.h>

#include "svcat/catalog_objects_fixture.h"
#include "svcat/fake_server_fixture.h"

namespace chandler::svcat {
namespace {

using namespace testing;

const std::string kRoot = "/apis/servicecatalog.k8s.io/v1beta1";
const std::string kNs = kRoot + "/namespaces/default";

struct Write : ::testing::Test {
  Write() {
    for (const auto yaml : {kBrokers, kClasses, kPlans, kMysql}) shell.server.put(yaml);
  }
  std::string stored(const std::string& path, std::string_view field = "spec") {
    const auto* object = shell.server.object(path);
    if (object == nullptr) return "nothing at " + path;
    const auto* found = json::find(*object, field);
    return found == nullptr ? "" : json::write(*found);
  }
  Shell shell;
};

TEST_F(Write, ProvisionSendsWhatTheProposalShows) {
  const struct {
    const char* reason;
    const char* line;
    const char* spec;
  } rows[] = {
      {"class and plan by the names that users know",
       "provision a --class azure-mysql --plan basic50 --param location=westus",
       R"({"clusterServiceClassExternalName":"azure-mysql","clusterServicePlanExternalName":"basic50","parameters":{"location":"westus"}})"},
      {"a type alone", "provision b --type mysql --param location=westus",
       R"({"parameters":{"location":"westus"},"serviceType":"mysql"})"},
      {"by object names", "provision c -k --class 1-redis --plan 1-basic",
       R"({"clusterServiceClassName":"1-redis","clusterServicePlanName":"1-basic"})"},
      {"object names without saying so", "provision d --class 1-redis --plan basic",
       R"({"clusterServiceClassName":"1-redis","clusterServicePlanName":"1-basic"})"},
      {"a class of the namespace", "provision e --class postgres-qa -n qa",
       R"({"serviceClassExternalName":"postgres-qa"})"},
      {"class and plan in one word", "provision f --plan azure-mysql/basic50",
       R"({"clusterServiceClassExternalName":"azure-mysql","clusterServicePlanExternalName":"basic50"})"},
      {"a parameter given twice becomes a list; all are text", "provision g --type mysql -p a=1 -p a=2 -p a=3 -p b=x=y",
       R"({"parameters":{"a":["1","2","3"],"b":"x=y"},"serviceType":"mysql"})"},
      {"JSON keeps its types", R"(provision h --type mysql --params-json '{"n":{"x":1},"l":[true]}')",
       R"({"parameters":{"l":[true],"n":{"x":1}},"serviceType":"mysql"})"},
      {"two keys of one secret", "provision i --type mysql -s 'login[a]' -s 'login[b]' --external-id x1",
       R"({"externalID":"x1","parametersFrom":[{"secretKeyRef":{"key":"a","name":"login"}},{"secretKeyRef":{"key":"b","name":"login"}}],"serviceType":"mysql"})"},
  };
  for (const auto& row : rows) {
    ASSERT_EQ(shell.run(row.line), 0) << row.reason << ": " << shell.err;
    const std::string name(1, row.line[10]);
    const auto ns = std::string_view(row.line).ends_with("-n qa") ? "qa" : "default";
    EXPECT_EQ(stored(fmt::format("{}/namespaces/{}/serviceinstances/{}", kRoot, ns, name)), row.spec) << row.reason;
  }
}

TEST_F(Write, ProvisionByTypeIsOneRequest) {
  ASSERT_EQ(shell.run("provision mydb --type mysql"), 0);
  EXPECT_EQ(shell.server.take_requests().size(), 1u);
  EXPECT_EQ(
      cells(shell.out),
      "Name: mydb\nNamespace: default\nStatus: Pending - no controller has looked at it yet\nType: mysql\nClass: not "
      "decided yet\nPlan: not decided yet\nParameters:\nNo parameters defined\n");
}

TEST_F(Write, ProvisionDryRunShowsWhereEachValueComesFrom) {
  ASSERT_EQ(shell.run("provision mydb --type mysql --param location=westus --dry-run"), 0) << shell.err;
  const auto text = cells(shell.out);
  for (const std::string_view part : {"Dry run: nothing was created, no broker was asked.\n",
                                      "Class: azure-mysql (997b8372-8dac-40ac-ae65-758b4a5075a5)\n",
                                      "Plan: premium-p1 (f9a3cc8e-a6e2-474d-b032-9837ea3dfcaa)\n", "Broker: azure\n",
                                      "backup-schedule 1d plan premium-p1\n", "location westus instance (you)\n",
                                      "resourceGroup default class azure-mysql\n"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nnot in\n" << text;
  }
  for (const auto& request : shell.server.take_requests()) EXPECT_TRUE(request.starts_with("GET ")) << request;
  ASSERT_EQ(shell.run("provision mydb --type mysql --param location=westus --dry-run -o json"), 0);
  const auto object = json::parse(shell.out).value();
  EXPECT_EQ(
      json::write(*json::find_path(object, {"spec", "parameters"})),
      R"({"backup-schedule":"1d","firewallRules":[{"endIPAddress":"255.255.255.255","name":"AllowAll","startIPAddress":"0.0.0.0"}],"location":"westus","resourceGroup":"default","sslEnforcement":"disabled"})");
  EXPECT_EQ(shell.run("provision mydb --type mysq --dry-run"), 1);
  EXPECT_NE(shell.err.find("Did you mean \"mysql\"?"), std::string::npos) << shell.err;
}

TEST_F(Write, DryRunNamesKeysOfSecretsAndNeverValues) {
  shell.server.put(R"(
apiVersion: v1
kind: Secret
metadata: {name: login, namespace: default}
data: {params: eyJsb2NhdGlvbiI6ImhpZGRlbiJ9}
)");
  ASSERT_EQ(shell.run("provision mydb --type mysql -s 'login[params]' -s 'gone[x]' --dry-run"), 0) << shell.err;
  EXPECT_EQ(shell.out.find("hidden"), std::string::npos);
  EXPECT_NE(cells(shell.out).find("location <redacted> secret login, key params\n"), std::string::npos) << shell.out;
  EXPECT_NE(shell.out.find("Unknown: secret gone, key x"), std::string::npos) << shell.out;
}

TEST_F(Write, BindSendsWhatTheProposalShows) {
  shell.server.put(kInstance);
  ASSERT_EQ(shell.run("bind mydb --name mydb-admin --param user=admin"), 0) << shell.err;
  EXPECT_EQ(stored(kNs + "/servicebindings/mydb-admin"),
            R"({"instanceRef":{"name":"mydb"},"parameters":{"user":"admin"}})");
  ASSERT_EQ(shell.run("bind mydb --secret-name s --secret-transform a=b"), 0);
  EXPECT_EQ(
      stored(kNs + "/servicebindings/mydb"),
      R"({"instanceRef":{"name":"mydb"},"secretName":"s","secretTransform":[{"renameKey":{"from":"a","to":"b"}}]})");
  ASSERT_EQ(shell.run("bind mydb --name plain --secret-transform []"), 0);
  EXPECT_EQ(stored(kNs + "/servicebindings/plain"), R"({"instanceRef":{"name":"mydb"},"secretTransform":[]})")
      << "an empty list opts out of the defaults";
}

TEST_F(Write, BindDryRunMergesParametersAndTransforms) {
  shell.server.put(kInstance);
  ASSERT_EQ(shell.run("bind mydb --name x --param user=admin --secret-transform pw=password --dry-run"), 0)
      << shell.err;
  const auto text = cells(shell.out);
  EXPECT_NE(text.find("user admin binding (you)\n"), std::string::npos) << text;
  EXPECT_NE(text.find("Secret Transform:\ndb-name -> database\npw -> password\n"), std::string::npos) << text;
  EXPECT_EQ(shell.server.object(kNs + "/servicebindings/x"), nullptr);
}

TEST_F(Write, UnbindEndsAllBindingsOfAnInstance) {
  shell.server.put(kInstance);
  shell.server.put(kBinding);
  ASSERT_EQ(shell.run("bind mydb --name second"), 0);
  shell.typed = "n\n";
  EXPECT_EQ(shell.run("unbind mydb"), 1);
  EXPECT_NE(shell.err.find("Unbind mydb-admin, second of namespace default?"), std::string::npos) << shell.err;
  EXPECT_NE(shell.server.object(kNs + "/servicebindings/second"), nullptr);
  shell.typed = "y\n";
  EXPECT_EQ(shell.run("unbind mydb"), 0);
  EXPECT_EQ(shell.out, "deleted mydb-admin\ndeleted second\n");
  EXPECT_EQ(shell.run("unbind --name gone --yes"), 1);
  EXPECT_EQ(shell.run("unbind"), 2);
}

TEST_F(Write, UnbindIsContentWithABindingThatEndedByItself) {
  shell.server.put(kInstance);
  shell.server.put(kBinding);
  const auto gone = FakeServer::status(404, "NotFound", "\"mydb-admin\" not found", "mydb-admin");
  shell.server.faults["DELETE " + kNs + "/servicebindings/mydb-admin"] = gone;
  EXPECT_EQ(shell.run("unbind mydb --yes"), 0) << shell.err;
  EXPECT_EQ(shell.out, "deleted mydb-admin\n");
  EXPECT_EQ(shell.run("unbind --name mydb-admin --yes"), 1) << "a name is perhaps wrong";
  shell.server.faults["GET " + kNs + "/servicebindings/mydb-admin"] = gone;
  EXPECT_EQ(shell.run("unbind mydb --abandon --yes"), 0) << shell.err;
}

TEST_F(Write, DeprovisionAsksAndNamesTheWayAround) {
  shell.server.put(kInstance);
  EXPECT_EQ(shell.run("deprovision mydb"), 2) << "nobody to answer";
  EXPECT_NE(shell.err.find("--yes"), std::string::npos);
  EXPECT_EQ(shell.run("deprovision mydb --yes --wait"), 0) << shell.err;
  EXPECT_EQ(shell.out, "deleted mydb\n");
  EXPECT_EQ(shell.run("deprovision mydb --yes"), 1);
}

TEST_F(Write, AbandonMarksTheObjectForOurController) {
  shell.server.put(kInstance);
  std::string last;
  shell.server.after = [&](const std::string& method, const std::string& path) {
    if (method == "PUT") last = json::write(*shell.server.object(path)->as_object().if_contains("metadata"));
  };
  shell.typed = "y\n";
  ASSERT_EQ(shell.run("deprovision mydb --abandon"), 0) << shell.err;
  EXPECT_NE(shell.err.find("without telling its broker"), std::string::npos);
  EXPECT_NE(last.find(R"("servicecatalog.kubernetes.io/abandon":"true")"), std::string::npos) << last;
  EXPECT_NE(last.find("kubernetes-incubator/service-catalog"), std::string::npos)
      << "our controller takes the finalizer";
}

TEST_F(Write, AbandonTakesTheFinalizerWhereNobodyElseDoes) {
  shell.server.put(R"(
apiVersion: servicecatalog.k8s.io/v1beta1
kind: ServiceInstance
metadata: {name: old, namespace: default, finalizers: [kubernetes-incubator/service-catalog, other]}
spec: {}
)");
  shell.server.faults["GET /version"] = {200, {}, R"({"gitVersion":"v1.20.0"})"};
  std::string last;
  shell.server.after = [&](const std::string& method, const std::string& path) {
    if (method == "PUT") last = json::write(*json::find_path(*shell.server.object(path), {"metadata", "finalizers"}));
  };
  ASSERT_EQ(shell.run("deprovision old --abandon --yes"), 0) << shell.err;
  EXPECT_EQ(last, R"(["other"])");
}

TEST_F(Write, RegisterSendsOnlyWhatWasGiven) {
  ASSERT_EQ(shell.run("register mine --url http://b.example"), 0) << shell.err;
  EXPECT_EQ(stored(kNs + "/servicebrokers/mine"), R"({"url":"http://b.example"})");
  ASSERT_EQ(
      shell.run(
          "register all --cluster --url https://b.example --basic-secret login -n ops --relist-behavior duration "
          "--relist-duration 1h --class-restrictions 'spec.externalName in (a, b)' --plan-restrictions spec.free=true"),
      0)
      << shell.err;
  EXPECT_EQ(
      stored(kRoot + "/clusterservicebrokers/all"),
      R"x({"authInfo":{"basic":{"secretRef":{"name":"login","namespace":"ops"}}},"catalogRestrictions":{"serviceClass":["spec.externalName in (a, b)"],"servicePlan":["spec.free=true"]},"relistBehavior":"Duration","relistDuration":"1h0m0s","url":"https://b.example"})x");
  ASSERT_EQ(shell.run("deregister all --scope cluster --yes --wait"), 0) << shell.err;
  EXPECT_EQ(shell.out, "Successfully removed broker \"all\"\n");
}

TEST_F(Write, WarningsOfTheServerAreShownOnce) {
  http::ClientResponse answer;
  answer.status = 201;
  answer.headers.add("Warning", R"(299 - "spec.old is \"deprecated\"")");
  answer.headers.add("Warning", "299 - \"colours \033[31m\"");
  answer.headers.add("Warning", R"(299 - "spec.old is \"deprecated\"")");
  answer.body = R"({"metadata":{"name":"x","namespace":"default"}})";
  shell.server.faults["POST /apis/servicecatalog.k8s.io/v1beta1/namespaces/default/serviceinstances"] = answer;
  EXPECT_EQ(shell.run("provision x --type mysql"), 0);
  EXPECT_TRUE(shell.err.starts_with("Warning: spec.old is \"deprecated\"\nWarning: colours ")) << shell.err;
  EXPECT_EQ(shell.err.find('\033'), std::string::npos) << "nothing that steers a terminal";
  EXPECT_EQ(shell.err.find("deprecated"), shell.err.rfind("deprecated"));
}

TEST_F(Write, SyncAndTouchCount) {
  shell.server.put(kInstance);
  ASSERT_EQ(shell.run("sync broker azure"), 0) << shell.err;
  ASSERT_EQ(shell.run("relist broker azure --cluster"), 0) << shell.err;
  EXPECT_NE(stored(kRoot + "/clusterservicebrokers/azure").find(R"("relistRequests":2)"), std::string::npos);
  ASSERT_EQ(shell.run("touch instance mydb"), 0) << shell.err;
  EXPECT_EQ(number_at(*shell.server.object(kNs + "/serviceinstances/mydb"), {"spec", "updateRequests"}), 1);
}

TEST_F(Write, ChangesAreTriedAgainAfterAConflict) {
  int refused = 0;
  const std::string put = "PUT " + kRoot + "/clusterservicebrokers/azure";
  shell.server.faults[put] = FakeServer::status(409, "Conflict", "changed", "azure");
  shell.server.after = [&](const std::string&, const std::string&) {
    if (++refused == 3) shell.server.faults.clear();  // after two reads and one refused write in between
  };
  ASSERT_EQ(shell.run("sync broker azure --cluster"), 0) << shell.err;
}

TEST_F(Write, SetBrokerChangesOnlyWhatIsGiven) {
  ASSERT_EQ(shell.run("set broker azure --relist-duration 2h --plan-restrictions spec.free=true"), 0) << shell.err;
  EXPECT_EQ(
      stored(kRoot + "/clusterservicebrokers/azure"),
      R"({"catalogRestrictions":{"servicePlan":["spec.free=true"]},"relistDuration":"2h0m0s","url":"https://broker.example"})");
  EXPECT_EQ(shell.run("set broker azure"), 2);
}

TEST_F(Write, SetInstanceChangesPlanAndParameters) {
  shell.server.put(kInstance);
  const auto path = kNs + "/serviceinstances/mydb";
  ASSERT_EQ(shell.run("set instance mydb --plan premium-p1 --param location=north"), 0) << shell.err;
  const auto& changed = *shell.server.object(path);
  EXPECT_EQ(text_at(changed, {"spec", "clusterServicePlanExternalName"}), "premium-p1");
  EXPECT_EQ(json::find_path(changed, {"spec", "clusterServicePlanRef"}), nullptr) << "to be found anew";
  EXPECT_EQ(text_at(changed, {"spec", "parameters", "location"}), "north");
  EXPECT_EQ(text_at(changed, {"spec", "parameters", "resourceGroup"}), "default") << "others stay";
  ASSERT_EQ(shell.run(R"(set instance mydb --params-json '{"a":1}')"), 0) << shell.err;
  EXPECT_EQ(json::write(*json::find_path(*shell.server.object(path), {"spec", "parameters"})), R"({"a":1})");
  EXPECT_EQ(shell.run("set instance mydb --plan gone"), 1);
  EXPECT_EQ(shell.run("set instance mydb"), 2);
}

TEST_F(Write, RebindAsksForTheSameAgain) {
  shell.server.put(kBinding);
  const auto path = kNs + "/servicebindings/mydb-admin";
  shell.server.object(path)->as_object()["spec"].as_object()["externalID"] = "old";
  const std::string applied = "servicecatalog.kubernetes.io/defaults-applied";
  shell.server.object(path)->as_object()["metadata"].as_object()["annotations"] = json::Object{{applied, "true"}};
  const auto uid = text_at(*shell.server.object(path), {"metadata", "uid"});
  ASSERT_EQ(shell.run("rebind mydb-admin --yes"), 0) << shell.err;
  EXPECT_EQ(
      stored(path),
      R"({"instanceRef":{"name":"mydb"},"parameters":{"user":"admin"},"secretName":"mydb-admin","secretTransform":[{"renameKey":{"from":"db-name","to":"database"}}],"serviceType":"mysql"})");
  EXPECT_NE(text_at(*shell.server.object(path), {"metadata", "uid"}), uid);
  EXPECT_EQ(annotation_of(*shell.server.object(path), applied), "true") << "or the defaults would be merged again";
}

TEST_F(Write, SetReplacesDefaultsAndWarnsAboutTheBroker) {
  ASSERT_EQ(shell.run(R"(set class azure-mysql --provision-params '{"location":"north"}' --type mysql5)"), 0)
      << shell.err;
  EXPECT_EQ(shell.err, "");
  const auto& changed = *shell.server.object(kRoot + "/clusterserviceclasses/997b8372-8dac-40ac-ae65-758b4a5075a5");
  EXPECT_EQ(json::write(*json::find_path(changed, {"spec", "defaultProvisionParameters"})), R"({"location":"north"})");
  EXPECT_EQ(type_of(changed), "mysql5");
  ASSERT_EQ(
      shell.run(R"(set plan premium --provision-params '{"a":null}' --bind-params '{"b":1}' --secret-transform x=y)"),
      0);
  EXPECT_NE(shell.err.find("Warning: broker azure provides spec.defaultProvisionParameters of premium"),
            std::string::npos)
      << shell.err;
  EXPECT_EQ(shell.err.find("defaultBindingParameters"), std::string::npos);
  const auto& plan = *shell.server.object(kRoot + "/clusterserviceplans/1-premium");
  EXPECT_EQ(json::write(*json::find_path(plan, {"spec", "defaultProvisionParameters"})), R"({"a":null})")
      << "a null removes a default of the class and must arrive";
  ASSERT_EQ(shell.run("set plan premium --bind-params {} --secret-transform []"), 0);
  EXPECT_EQ(json::find_path(*shell.server.object(kRoot + "/clusterserviceplans/1-premium"),
                            {"spec", "defaultBindingParameters"}),
            nullptr);
  EXPECT_EQ(shell.run("set plan premium"), 2);
}

TEST_F(Write, CreateCopiesForTheUser) {
  ASSERT_EQ(shell.run("create class redis-dev --from azure-redis --with-plans --type cache"), 0) << shell.err;
  EXPECT_EQ(cells(shell.out), "TYPE NAME DESCRIPTION SCOPE\n+-+-+-+-+\ncache redis-dev Azure Redis ns (default)\n");
  EXPECT_EQ(
      stored(kNs + "/serviceclasses/redis-dev"),
      R"({"clusterServiceBrokerName":"azure","description":"Azure Redis","externalID":"1-redis","externalName":"redis-dev","serviceType":"cache"})");
  EXPECT_EQ(json::find_path(*shell.server.object(kNs + "/serviceclasses/redis-dev"), {"metadata", "ownerReferences"}),
            nullptr);
  EXPECT_EQ(
      stored(kNs + "/serviceplans/redis-dev-basic"),
      R"({"clusterServiceBrokerName":"azure","description":"Azure Redis","externalID":"1-basic","externalName":"basic","free":true,"serviceClassRef":{"name":"redis-dev"},"serviceType":"cache"})");
  ASSERT_EQ(
      shell.run(R"(create plan small --from azure-redis/basic --cluster --provision-params '{"size":1}' --default)"), 0)
      << shell.err;
  EXPECT_TRUE(
      shell.out.starts_with("basic is no longer the default plan for redis\nsmall is the default plan for redis\n"));
  EXPECT_EQ(
      stored(kRoot + "/clusterserviceplans/small"),
      R"({"clusterServiceBrokerName":"azure","clusterServiceClassRef":{"name":"1-redis"},"defaultProvisionParameters":{"size":1},"description":"Azure Redis","externalID":"1-basic","externalName":"small","free":true,"serviceType":"redis"})");
  ASSERT_EQ(shell.run("create plan mini --from azure-redis/premium"), 0)
      << "its class has one copy here: " << shell.err;
  EXPECT_NE(stored(kNs + "/serviceplans/mini").find(R"("serviceClassRef":{"name":"redis-dev"})"), std::string::npos);
  EXPECT_EQ(shell.run("create plan none --from azure-mysql/basic50 -n qa"), 1);
  EXPECT_NE(shell.err.find("svcat create class NAME --from azure-mysql"), std::string::npos) << shell.err;
}

TEST_F(Write, CreateWithPlansIsAllOrNothing) {
  shell.server.put(R"(
apiVersion: servicecatalog.k8s.io/v1beta1
kind: ClusterServicePlan
metadata: {name: odd}
spec: {clusterServiceBrokerName: azure, clusterServiceClassRef: {name: 1-redis}, externalID: odd, externalName: "Very_Odd Plan"}
)");
  EXPECT_EQ(shell.run("create class Not_A_Name --from azure-redis --with-plans"), 2);
  EXPECT_NE(shell.err.find("cannot be the name of a class"), std::string::npos) << shell.err;
  EXPECT_EQ(shell.server.object(kNs + "/serviceplans/not_a_name-basic"), nullptr);
  // Something is in the way of the last one.
  shell.server.put(R"(
apiVersion: servicecatalog.k8s.io/v1beta1
kind: ServicePlan
metadata: {name: redis-dev-premium, namespace: default}
spec: {externalName: taken}
)");
  EXPECT_EQ(shell.run("create class redis-dev --from azure-redis --with-plans"), 1);
  EXPECT_NE(shell.err.find("plan premium could not be copied as redis-dev-premium: "), std::string::npos) << shell.err;
  EXPECT_NE(shell.err.find("; nothing was created"), std::string::npos) << shell.err;
  EXPECT_EQ(shell.server.object(kNs + "/serviceclasses/redis-dev"), nullptr);
  EXPECT_EQ(shell.server.object(kNs + "/serviceplans/redis-dev-basic"), nullptr);
  EXPECT_NE(shell.server.object(kNs + "/serviceplans/redis-dev-premium"), nullptr) << "that was there before";
  // With another name all goes well, also the plan that is called what no object can be called.
  EXPECT_EQ(shell.run("create class redis-qa --from azure-redis --with-plans"), 0) << shell.err;
  EXPECT_NE(shell.err.find("3 plans were copied with it."), std::string::npos) << shell.err;
  EXPECT_NE(shell.server.object(kNs + "/serviceclasses/redis-qa"), nullptr);
  EXPECT_NE(stored(kNs + "/serviceplans/redis-qa-veryz5fzoddz20zplan").find(R"("externalName":"Very_Odd Plan")"),
            std::string::npos);
}

TEST_F(Write, CreateWithPlansSaysWhatItCouldNotUndo) {
  shell.server.put(R"(
apiVersion: servicecatalog.k8s.io/v1beta1
kind: ServicePlan
metadata: {name: redis-dev-premium, namespace: default}
spec: {externalName: taken}
)");
  shell.server.faults["DELETE " + kNs + "/serviceplans/redis-dev-basic"] =
      FakeServer::status(403, "Forbidden", "you may not delete plans");
  EXPECT_EQ(shell.run("create class redis-dev --from azure-redis --with-plans"), 1);
  EXPECT_NE(shell.err.find("; one plan made before it could not be removed again: kubectl delete serviceplans "
                           "redis-dev-basic -n default"),
            std::string::npos)
      << shell.err;
}

TEST_F(Write, ADefaultPlanSaysItsTypeItself) {
  shell.server.put(R"(
apiVersion: servicecatalog.k8s.io/v1beta1
kind: ClusterServicePlan
metadata: {name: untyped}
spec: {clusterServiceBrokerName: azure, clusterServiceClassRef: {name: 1-redis}, externalName: untyped, externalID: u, description: Of a class with a type}
)");
  ASSERT_EQ(shell.run("set plan untyped --default"), 0) << shell.err;
  EXPECT_EQ(shell.out, "basic is no longer the default plan for redis\nuntyped is the default plan for redis\n");
  EXPECT_EQ(type_of(*shell.server.object(kRoot + "/clusterserviceplans/untyped")), "redis");
  ASSERT_EQ(shell.run("set plan azure-redis/basic --default"), 0) << shell.err;
  EXPECT_EQ(shell.out, "untyped is no longer the default plan for redis\nbasic is the default plan for redis\n");
}

TEST_F(Write, ADefaultNeedsAType) {
  shell.server.put(R"(
apiVersion: servicecatalog.k8s.io/v1beta1
kind: ClusterServicePlan
metadata: {name: bare}
spec: {clusterServiceBrokerName: azure, clusterServiceClassRef: {name: none}, externalName: bare, externalID: bare, description: Bare}
)");
  EXPECT_EQ(shell.run("set plan bare --default"), 1);
  EXPECT_NE(shell.err.find("--type TYPE"), std::string::npos) << shell.err;
  EXPECT_EQ(shell.run("set plan bare --default --type cache"), 0) << shell.err;
  EXPECT_EQ(shell.out, "plan bare updated\nbare is the default plan for cache\n");
}

}  // namespace
}  // namespace chandler::svcat
