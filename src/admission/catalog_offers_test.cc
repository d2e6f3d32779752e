#include "admission/catalog_rows.h"
#include "admission/kind_rules.h"

namespace chandler::admission {
namespace {

constexpr std::string_view kSeedClass = R"({"metadata":{"name":"997b8372-8dac-40ac-ae65-758b4a5075a5",
    "ownerReferences":[{"apiVersion":"servicecatalog.k8s.io/v1beta1","controller":true}]},
    "spec":{"externalID":"997b8372-8dac-40ac-ae65-758b4a5075a5","serviceType":"mysql",
            "defaultProvisionParameters":{"location":"eastus"}}})";

std::string offer(const std::string& spec, const std::string& metadata = R"("name":"n")") {
  return R"({"metadata":{)" + metadata + R"(},"spec":{"externalID":"i","externalName":"e","description":"d")" +
         (spec.empty() ? "" : ",") + spec + "}}";
}

TEST(ServiceClass, SaysWhatItIsAndWhose) {
  const auto named = [](const std::string& name) { return R"("name":")" + name + R"(")"; };
  expect_checks(
      check_service_class,
      {{"complete", "all that users need", offer(R"("clusterServiceBrokerName":"b")"), "", {}},
       {"nothing", "may be completed later", R"({"metadata":{"name":"n"},"spec":{}})", "", {}},
       {"seed", "made by a chart before the broker is there", std::string(kSeedClass), "", {}},
       {"annotated",
        "the same on a cluster that refuses such references",
        R"({"metadata":{"name":"n","annotations":{"servicecatalog.kubernetes.io/adopt":"true"}},"spec":{"externalID":"i"}})",
        "",
        {}},
       {"annotated without ID",
        "nothing to adopt it by",
        R"({"metadata":{"name":"n","annotations":{"servicecatalog.kubernetes.io/adopt":"true"}},"spec":{"externalId":"i"}})",
        "",
        {"spec.externalID Required"}},
       {"namespaced broker",
        "cannot be the broker of a cluster-wide class",
        offer(R"("clusterServiceBrokerName":"b","serviceBrokerName":"c")"),
        "",
        {"spec.serviceBrokerName Forbidden"}},
       {"long name",
        "does not fit into the fields that refer to it",
        offer(R"("clusterServiceBrokerName":"b")", named(std::string(64, 'n'))),
        "",
        {"metadata.name TooLong"}},
       {"deep defaults",
        "nothing recurses without end",
        offer(R"("clusterServiceBrokerName":"b","defaultBindingParameters":{"a":)" + std::string(40, '[') +
              std::string(40, ']') + "}"),
        "",
        {"spec.defaultBindingParameters Forbidden"}}},
      false);
  expect_checks(check_service_class,
                {{"of the namespace", "the usual case", offer(R"("serviceBrokerName":"b")"), "", {}},
                 {"of the cluster", "defaults of one namespace", offer(R"("clusterServiceBrokerName":"b")"), "", {}},
                 {"both",
                  "which one would be called?",
                  offer(R"("clusterServiceBrokerName":"b","serviceBrokerName":"c")"),
                  "",
                  {"spec.clusterServiceBrokerName Forbidden"}},
                 {"none", "nobody provides it", offer(""), "", {}}});
}

TEST(ServicePlan, BelongsToAClass) {
  const std::string broker = R"("clusterServiceBrokerName":"b",)";
  expect_checks(check_service_plan,
                {{"complete", "a usual plan", offer(broker + R"("clusterServiceClassRef":{"name":"c"})"), "", {}},
                 {"no class",
                  "a plan is a tier of something",
                  offer(R"("clusterServiceBrokerName":"b")"),
                  "",
                  {"spec.clusterServiceClassRef Required"}},
                 {"class of a namespace",
                  "others could not see it",
                  offer(broker + R"("clusterServiceClassRef":{"name":"c"},"serviceClassRef":{"name":"c"})"),
                  "",
                  {"spec.serviceClassRef Forbidden"}},
                 {"seed", "a chart may make plans ahead as well", std::string(kSeedClass), "", {}}},
                false);
  expect_checks(check_service_plan,
                {{"own class", "both here", offer(R"("serviceBrokerName":"b","serviceClassRef":{"name":"c"})"), "", {}},
                 {"broker of the cluster",
                  "defaults of one namespace",
                  offer(broker + R"("serviceClassRef":{"name":"c"})"),
                  "",
                  {}},
                 {"class of the cluster",
                  "an instance could not name the two together",
                  offer(broker + R"("clusterServiceClassRef":{"name":"c"})"),
                  "",
                  {"spec.clusterServiceClassRef Forbidden", "spec.serviceClassRef Required"}}});
}

TEST(ServicePlan, TransformsCanBeCarriedOut) {
  const auto plan = [](const std::string& list) {
    return offer(R"("clusterServiceBrokerName":"b","clusterServiceClassRef":{"name":"c"},"defaultSecretTransform":[)" +
                 list + "]");
  };
  expect_checks(
      check_service_plan,
      {{"fine",
        "one of each",
        plan(R"({"renameKey":{"from":"db-name","to":"database"}},{"addKey":{"key":"a","jsonPathExpression":"{.uri}"}},
                {"addKey":{"key":"b","stringValue":""}},{"addKey":{"key":"c","value":"aGk="}},{"removeKey":{"key":"x"}},
                {"addKeysFrom":{"secretRef":{"namespace":"a","name":"s"}}})"),
        "",
        {}},
       {"no value",
        "nothing to add",
        plan(R"({"addKey":{"key":"a"}})"),
        "",
        {"spec.defaultSecretTransform[0].addKey Required"}},
       {"no path",
        "a template is needed",
        plan(R"({"removeKey":{"key":"x"}},{"addKey":{"key":"a","jsonPathExpression":"{.uri"}})"),
        "",
        {"spec.defaultSecretTransform[1].addKey.jsonPathExpression Invalid"}},
       {"empty path",
        "the same",
        plan(R"({"addKey":{"key":"a","jsonPathExpression":""}})"),
        "",
        {"spec.defaultSecretTransform[0].addKey.jsonPathExpression Required"}},
       {"dots",
        "no secret has such keys",
        plan(R"({"renameKey":{"from":"a","to":".."}},{"addKey":{"key":".","stringValue":"x"}})"),
        "",
        {"spec.defaultSecretTransform[0].renameKey.to Invalid", "spec.defaultSecretTransform[1].addKey.key Invalid"}},
       {"namespace",
        "cannot exist",
        plan(R"({"addKeysFrom":{"secretRef":{"namespace":"A_","name":"s"}}})"),
        "",
        {"spec.defaultSecretTransform[0].addKeysFrom.secretRef.namespace Invalid"}}},
      false);
}

TEST(ServiceClass, WarnsOfWhatIsMissing) {
  CatalogWorld world;
  auto object = document(R"({"metadata":{"name":"n"},"spec":{}})");
  std::vector<std::string> warnings;
  auto context = world.context("clusterserviceclasses", false, object, nullptr);
  context.warnings = &warnings;
  meta::FieldErrors errors;
  check_service_class(context, errors);
  EXPECT_TRUE(errors.empty());
  ASSERT_EQ(warnings.size(), 3u);
  EXPECT_THAT(warnings[0], ::testing::HasSubstr("spec.externalID"));
  EXPECT_THAT(warnings[1], ::testing::HasSubstr("spec.externalName"));
  EXPECT_THAT(warnings[2], ::testing::HasSubstr("spec.clusterServiceBrokerName"));
}

TEST(ServicePlan, IsFoundByHashedLabels) {
  CatalogWorld world;
  const auto plan =
      completed(world, default_service_plan,
                R"({"metadata":{"labels":{"x":"y","servicecatalog.k8s.io/spec.serviceBrokerName":"stale"}},
      "spec":{"externalID":"abc","clusterServiceClassRef":{"name":"abc"}}})");
  const std::string hash = "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7";  // SHA-224 of abc
  EXPECT_EQ(json::write(plan.at("metadata").at("labels")),
            json::write(document(R"({"x":"y","servicecatalog.k8s.io/spec.externalID":")" + hash +
                                 R"(","servicecatalog.k8s.io/spec.clusterServiceClassRef.name":")" + hash + R"("})")));
  const auto bare = completed(world, default_service_class, R"({"metadata":{},"spec":{}})");
  EXPECT_EQ(json::write(bare), R"({"metadata":{},"spec":{}})") << "no empty map is left behind";
}

TEST(ServicePlan, OfANamespaceStandsForWhatTheBrokerOffers) {
  CatalogWorld world;
  const auto offered = [&](const std::string& resource, const std::string& id, const std::string& status) {
    world.lookup.add("servicecatalog.k8s.io/" + resource,
                     R"({"metadata":{"name":"n-)" + id + R"("},"spec":{"clusterServiceBrokerName":"azure",)" +
                         R"("externalID":")" + id + R"("},"status":{)" + status + "}}");
  };
  offered("clusterserviceplans", "small", "");
  offered("clusterserviceplans", "large", R"("removedFromBrokerCatalog":true)");
  offered("clusterserviceclasses", "mysql", "");
  const auto plan = [](const std::string& broker, const std::string& id) {
    return R"({"metadata":{"name":"p","namespace":"a"},"spec":{"clusterServiceBrokerName":")" + broker +
           R"(","externalID":")" + id + R"("}})";
  };
  const auto local = R"({"metadata":{"name":"p","namespace":"a"},"spec":{"serviceBrokerName":"b","externalID":"x"}})";
  const std::vector<PermitRow> refused = {
      {"kept out", "restrictions hold for every namespace", plan("azure", "large"), "", "offers nothing with the ID"},
      {"invented", "the broker may know it, nobody was offered it", plan("azure", "huge"), "", "\"huge\""},
      {"of a class", "an ID of another kind", plan("azure", "mysql"), "", "svcat get plans"},
      {"other broker", "the same ID is another plan there", plan("gcp", "small"), "", "\"gcp\""},
      {"completed", "the ID counts when it comes", plan("azure", "huge"), plan("azure", ""), "huge"}};
  expect_permits(world, permit_offer, "serviceplans", true, refused);
  expect_permits(world, permit_offer, "serviceplans", true,
                 {{"offered", "its defaults are the namespace's own", plan("azure", "small"), "", ""},
                  {"was there", "the operator made it, or it was offered then", plan("azure", "large"),
                   plan("azure", "large"), ""},
                  {"incomplete", "serves nobody yet", plan("azure", ""), "", ""},
                  {"own broker", "whoever has a broker knows what it offers", local, "", ""}});
  expect_permits(world, permit_offer, "serviceclasses", true,
                 {{"class", "looked for among classes", plan("azure", "mysql"), "", ""},
                  {"plan", "no class has that ID", plan("azure", "small"), "", "svcat get classes"}});
  expect_permits(world, permit_offer, "clusterserviceplans", false,
                 {{"of the cluster", "who may write these is an operator", plan("azure", "huge"), "", ""}});

  world.grant("in-namespace", "a", "servicecatalog.k8s.io", "clusterservicebrokers", "update");
  expect_permits(world, permit_offer, "serviceplans", true, refused);  // a right in a namespace is none over the broker
  world.grant_in_cluster("operator", "servicecatalog.k8s.io", "clusterservicebrokers", "update", "azure");
  expect_permits(world, permit_offer, "serviceplans", true,
                 {{"operator", "who may change the restrictions", plan("azure", "huge"), "", ""},
                  {"other broker", "not that one", plan("gcp", "small"), "", "\"gcp\""}});
  world.user.name = kCatalogController;
  expect_permits(world, permit_offer, "serviceplans", true,
                 {{"controller", "writes what others wanted", plan("azure", "huge"), "", ""}});
}

TEST(ServiceClass, DefaultsCopyOnlyWhatTheirAuthorMayRead) {
  CatalogWorld world;
  world.grant("r", "a", "", "secrets", "get", "mine");
  const auto from = [](const std::string& ref) {
    return R"({"metadata":{"name":"n"},"spec":{"defaultSecretTransform":[{"addKeysFrom":{"secretRef":)" + ref + "}}]}}";
  };
  const auto other = from(R"({"namespace":"a","name":"other"})");
  expect_permits(world, permit_offer, "clusterserviceclasses", false,
                 {{"mine", "ann may read it", from(R"({"namespace":"a","name":"mine"})"), "", ""},
                  {"other", "every binding would get it", other, "", "secret \"other\""},
                  {"was there", "somebody else put it there", other, other, ""},
                  {"of the binding", "known only when there is one", from(R"({"name":"other"})"), "", ""}});
  world.user.name = kCatalogController;
  expect_permits(world, permit_offer, "clusterserviceclasses", false,
                 {{"controller", "writes what others wanted", other, "", ""}});
}

}  // namespace
}  // namespace chandler::admission
