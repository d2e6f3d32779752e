#include "admission/catalog_rows.h"
#include "admission/kind_rules.h"

namespace chandler::admission {
namespace {

std::string instance(const std::string& spec, const std::string& status = "", const std::string& annotations = "") {
  return R"({"metadata":{"name":"i","namespace":"a")" +
         (annotations.empty() ? "" : R"(,"annotations":{)" + annotations + "}") + R"(},"spec":{)" + spec + "}" +
         (status.empty() ? "" : R"(,"status":{)" + status + "}") + "}";
}

const std::string kByName = R"("clusterServiceClassExternalName":"c","clusterServicePlanExternalName":"p")";

TEST(ServiceInstance, SaysWhatItWantsInOneWay) {
  expect_checks(
      check_service_instance,
      {{"names", "as charts do", instance(kByName), "", {}},
       {"objects", "as svcat does", instance(R"("clusterServiceClassName":"c","clusterServicePlanName":"p")"), "", {}},
       {"IDs", "as programs do", instance(R"("serviceClassExternalID":"c","servicePlanExternalID":"p")"), "", {}},
       {"class alone", "has one plan or a default", instance(R"("serviceClassExternalName":"c")"), "", {}},
       {"type alone", "the default of the type", instance(R"("serviceType":"mysql")"), "", {}},
       {"type and class",
        "must agree, which the controller sees",
        instance(R"("serviceType":"mysql",)" + kByName),
        "",
        {}},
       {"type and plan",
        "a plan is looked for in its class",
        instance(R"("serviceType":"mysql","clusterServicePlanName":"p")"),
        "",
        {"spec.clusterServiceClassName Required"}},
       {"type and another plan",
        "of the class that was found for the type",
        instance(R"("serviceType":"mysql","clusterServicePlanName":"q","clusterServiceClassRef":{"name":"c"})"),
        instance(R"("serviceType":"mysql","clusterServiceClassRef":{"name":"c"})"),
        {}},
       {"empty texts",
        "of a chart with unset values count as absent",
        instance(R"("serviceType":"mysql","clusterServiceClassName":"","clusterServicePlanName":"")"),
        "",
        {}},
       {"nothing", "what is it to be?", instance(""), "", {"spec.clusterServiceClassExternalName Required"}},
       {"plan alone",
        "plans have equal names in different classes",
        instance(R"("servicePlanExternalID":"p")"),
        "",
        {"spec.serviceClassExternalID Required"}},
       {"two classes",
        "one of them",
        instance(R"("clusterServiceClassExternalName":"c","clusterServiceClassName":"d")"),
        "",
        {"spec.clusterServiceClassName Forbidden"}},
       {"two plans",
        "one of them; the faults of class and plan together",
        instance(
            R"("serviceClassName":"c","serviceClassExternalID":"c","servicePlanName":"p","servicePlanExternalID":"q")"),
        "",
        {"spec.serviceClassName Forbidden", "spec.servicePlanName Forbidden"}},
       {"two ways",
        "name and ID are looked up differently",
        instance(R"("clusterServiceClassExternalName":"c","clusterServicePlanExternalID":"p")"),
        "",
        {"spec.clusterServicePlanExternalID Forbidden"}},
       {"two scopes",
        "class here, plan there",
        instance(R"("clusterServiceClassExternalName":"c","servicePlanExternalName":"p")"),
        "",
        {"spec.servicePlanExternalName Forbidden"}},
       {"two scopes with class",
        "one of them",
        instance(R"("clusterServiceClassExternalName":"c","serviceClassExternalName":"p")"),
        "",
        {"spec.serviceClassExternalName Forbidden"}},
       {"references",
        "are the controller's",
        instance(kByName + R"(,"clusterServiceClassRef":{"name":"c"},"servicePlanRef":{"name":"p"})"),
        "",
        {"spec.clusterServiceClassRef Forbidden", "spec.servicePlanRef Forbidden"}},
       {"old fault",
        "stored before there was a rule; a new label must not fail on it",
        instance(R"("clusterServicePlanName":"p","updateRequests":1)"),
        instance(R"("clusterServicePlanName":"p")"),
        {}},
       {"deep parameters",
        "nothing recurses without end",
        instance(kByName + R"(,"parameters":{"a":)" + std::string(40, '[') + std::string(40, ']') + "}"),
        "",
        {"spec.parameters Forbidden"}},
       {"fewer updates",
        "somebody already asked for more",
        instance(kByName + R"(,"updateRequests":1)"),
        instance(kByName + R"(,"updateRequests":2)"),
        {"spec.updateRequests Invalid"}}});
}

TEST(ServiceInstance, ReferencesAgree) {
  const auto old = instance(kByName);
  expect_checks(check_service_instance,
                {{"cluster",
                  "found there",
                  instance(kByName + R"(,"clusterServiceClassRef":{"name":"c"},"clusterServicePlanRef":{"name":"p"})"),
                  old,
                  {}},
                 {"mixed",
                  "class and plan are of one scope",
                  instance(kByName + R"(,"clusterServiceClassRef":{"name":"c"},"servicePlanRef":{"name":"p"})"),
                  old,
                  {"spec.servicePlanRef Forbidden"}},
                 {"both",
                  "never",
                  instance(kByName + R"(,"clusterServiceClassRef":{"name":"c"},"serviceClassRef":{"name":"c"},
                                         "clusterServicePlanRef":{"name":"c"},"servicePlanRef":{"name":"p"})"),
                  old,
                  {"spec.serviceClassRef Forbidden", "spec.servicePlanRef Forbidden", "spec.servicePlanRef Forbidden",
                   "spec.clusterServicePlanRef Forbidden"}}});
}

TEST(ServiceInstance, TypeStaysOnceResolved) {
  const std::string resolved = R"("resolution":{"serviceType":"mysql"})";
  const auto of = [](const std::string& type) { return R"("serviceType":")" + type + R"(")"; };
  expect_checks(
      check_service_instance,
      {{"before", "nothing was chosen yet", instance(of("redis")), instance(of("mysql")), {}},
       {"after",
        "the plan was chosen for it",
        instance(of("redis")),
        instance(of("mysql"), resolved),
        {"spec.serviceType Invalid"}},
       {"referenced",
        "the same, known by the reference",
        instance(of("redis") + R"(,"servicePlanRef":{"name":"p"})"),
        instance(of("mysql") + R"(,"servicePlanRef":{"name":"p"})"),
        {"spec.serviceType Invalid"}},
       {"named later", "it is the one", instance(kByName + "," + of("mysql")), instance(kByName, resolved), {}},
       {"named wrongly",
        "it is not the one",
        instance(kByName + "," + of("redis")),
        instance(kByName, resolved),
        {"spec.serviceType Invalid"}}});
}

TEST(ServiceInstance, IsCompleted) {
  CatalogWorld world;
  const auto made =
      completed(world, default_service_instance, instance(kByName + R"(,"userInfo":{"username":"root"})"));
  EXPECT_EQ(json::write(made.at("metadata").at("finalizers")), R"(["kubernetes-incubator/service-catalog"])");
  EXPECT_EQ(made.at("spec").at("externalID").as_string().size(), 36u);
  EXPECT_EQ(json::write(made.at("spec").at("userInfo")), R"({"groups":["dev"],"uid":"7","username":"ann"})")
      << "what the client says about the user counts for nothing";

  const auto given = completed(world, default_service_instance, instance(kByName + R"(,"externalID":"x")"));
  EXPECT_EQ(given.at("spec").at("externalID").as_string(), "x");
}

TEST(ServiceInstance, HasAnIdThatAnyBrokerCanBeAskedFor) {
  const auto with = [](const std::string& id) { return instance(kByName + R"(,"externalID":")" + id + "\""); };
  expect_checks(check_service_instance,
                {{"good", "as users choose them", with("Shop.db_1~a-b"), "", {}},
                 {"slash", "it would be another URL", with("a/b"), "", {"spec.externalID Invalid"}},
                 {"dots", "it would be another URL", with(".."), "", {"spec.externalID Invalid"}},
                 {"none", "one is generated", with(""), "", {}},
                 {"filled in", "as on create", with("a b"), instance(kByName), {"spec.externalID Invalid"}},
                 {"changed", "as on create", with("a b"), with("a/b"), {"spec.externalID Invalid"}},
                 {"stored", "what is there must not be locked up", with("a/b"), with("a/b"), {}}});
}

TEST(ServiceInstance, KeepsWhatTheServerFilledIn) {
  CatalogWorld world;
  const std::string found = R"(,"clusterServiceClassRef":{"name":"c"},"clusterServicePlanRef":{"name":"p"})";
  const std::string info = R"(,"externalID":"x","userInfo":{"username":"bob"})";
  const auto old = instance(kByName + found + info + R"(,"updateRequests":3)");
  const auto same = completed(world, default_service_instance, instance(kByName), old);
  EXPECT_EQ(json::write(same.at("spec")), json::write(document(old).at("spec"))) << "a manifest knows nothing of it";

  const auto touched = completed(world, default_service_instance, instance(kByName + R"(,"updateRequests":4)"), old);
  EXPECT_EQ(touched.at("spec").at("userInfo").at("username").as_string(), "ann") << "now it is she who asks";
  EXPECT_EQ(touched.at("spec").at("externalID").as_string(), "x");
}

TEST(ServiceInstance, ANewPlanIsLookedUpAnew) {
  CatalogWorld world;
  const auto moved = [&](const std::string& scope) {
    const auto lower = scope.empty() ? "service" : "clusterService";
    const std::string fields = std::string("\"") + lower + R"(ClassName":"c")";
    const std::string refs =
        std::string(",\"") + lower + R"(ClassRef":{"name":"c"},")" + lower + R"(PlanRef":{"name":"p"})";
    const auto old = instance(fields + ",\"" + lower + R"(PlanName":"p")" + refs);
    return completed(world, default_service_instance, instance(fields + ",\"" + lower + R"(PlanName":"q")" + refs),
                     old);
  };
  const auto of_cluster = moved("cluster");
  EXPECT_EQ(json::find_path(of_cluster, {"spec", "clusterServicePlanRef"}), nullptr);
  EXPECT_NE(json::find_path(of_cluster, {"spec", "clusterServiceClassRef"}), nullptr);
  const auto local = moved("");
  EXPECT_EQ(json::find_path(local, {"spec", "servicePlanRef"}), nullptr);
  EXPECT_NE(json::find_path(local, {"spec", "serviceClassRef"}), nullptr);
}

TEST(ServiceInstance, TheControllerCompletesForOthers) {
  CatalogWorld world;
  world.user.name = kCatalogController;
  const auto found = completed(
      world, default_service_instance,
      instance(kByName + R"(,"externalID":"x","userInfo":{"username":"ann"},"clusterServiceClassRef":{"name":"abc"})"),
      instance(kByName + R"(,"externalID":"x","userInfo":{"username":"ann"})"));
  EXPECT_EQ(found.at("spec").at("userInfo").at("username").as_string(), "ann");
  EXPECT_EQ(found.at("metadata").at("labels").at("servicecatalog.k8s.io/spec.clusterServiceClassRef.name").as_string(),
            "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7");
}

TEST(ServiceInstance, TheBrokerIsToldWhoDeletes) {
  CatalogWorld world;
  const auto old = document(instance(kByName + R"(,"userInfo":{"username":"bob"})"));
  auto object = old;
  auto context = world.context("serviceinstances", true, object, &old);
  record_deleter(context);
  EXPECT_EQ(object.at("spec").at("userInfo").at("username").as_string(), "ann");

  auto again = object;
  again.at("metadata").as_object()["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  const auto deleting = again;
  world.user.name = "eve";
  auto second = world.context("serviceinstances", true, again, &deleting);
  record_deleter(second);
  EXPECT_EQ(again.at("spec").at("userInfo").at("username").as_string(), "ann") << "she was the first";

  auto cascaded = old;
  world.user.name = kCatalogController;
  auto third = world.context("serviceinstances", true, cascaded, &old);
  record_deleter(third);
  EXPECT_EQ(cascaded.at("spec").at("userInfo").at("username").as_string(), "bob");
}

TEST(ServiceInstance, IsNotChangedUnderItsBroker) {
  CatalogWorld world;
  const auto changed = instance(kByName + R"(,"parameters":{"a":1})");
  const std::string running = R"("currentOperation":"Provision")";
  const std::vector<PermitRow> rows = {
      {"idle", "nothing runs", changed, instance(kByName, R"("currentOperation":"")"), ""},
      {"running", "the broker works on it", changed, instance(kByName, running), "another operation is in progress"},
      {"annotated", "no matter of the broker", instance(kByName, "", R"("x":"y")"), instance(kByName, running), ""},
      {"failed", "may be repaired before the next attempt", changed,
       instance(kByName, running + R"(,"retry":{"attempts":2,"lastError":"400"})"), ""},
      {"tried", "no answer yet", changed, instance(kByName, running + R"(,"retry":{"attempts":1})"), "in progress"},
      {"polled", "a poll failed, but the broker still works", changed,
       instance(kByName, running + R"(,"asyncOpInProgress":true,"retry":{"attempts":2,"lastError":"503"})"),
       "in progress"}};
  expect_permits(world, permit_service_instance, "serviceinstances", true, rows);
  world.user.name = kCatalogController;
  expect_permits(world, permit_service_instance, "serviceinstances", true,
                 {{"controller", "it is its operation", changed, instance(kByName, running), ""}});
}

TEST(ServiceInstance, PlanChangesWhereTheOfferAllowsIt) {
  CatalogWorld world;
  const auto add = [&](const std::string& plural, const std::string& name, const std::string& spec) {
    const bool cluster = plural.starts_with("cluster");
    world.lookup.add("servicecatalog.k8s.io/" + plural, R"({"metadata":{"name":")" + name + R"(")" +
                                                            (cluster ? "" : R"(,"namespace":"a")") + R"(},"spec":{)" +
                                                            spec + "}}");
  };
  for (const std::string scope : {"cluster", ""}) {
    add(scope + "serviceclasses", "fixed", R"("externalName":"fix","planUpdatable":false)");
    add(scope + "serviceclasses", "open", R"("externalName":"open","planUpdatable":true)");
    add(scope + "serviceplans", "silent", R"("externalName":"silent")");
    add(scope + "serviceplans", "leave", R"("externalName":"leave","planUpdatable":true)");
    add(scope + "serviceplans", "stay", R"("externalName":"stay","planUpdatable":false)");
  }
  for (const std::string prefix : {"clusterService", "service"}) {
    SCOPED_TRACE(prefix);
    const auto with = [&](const std::string& of_class, const std::string& plan, const std::string& status,
                          const std::string& wanted) {
      return instance("\"" + prefix + R"(PlanName":")" + wanted + R"(",")" + prefix + R"(ClassRef":{"name":")" +
                          of_class + R"("},")" + prefix + R"(PlanRef":{"name":")" + plan + R"("})",
                      status);
    };
    const auto row = [&](std::string name, std::string reason, const std::string& of_class, const std::string& plan,
                         const std::string& status, std::string want) {
      auto now = document(with(of_class, plan, status, "other"));
      now.at("spec").as_object().erase(prefix + "PlanRef");
      return PermitRow{std::move(name), std::move(reason), json::write(now), with(of_class, plan, status, plan),
                       std::move(want)};
    };
    const std::string there = R"("provisionStatus":"Provisioned")";
    expect_permits(world, permit_service_instance, "serviceinstances", true,
                   {row("open", "the class allows it", "open", "silent", there, ""),
                    row("fixed", "the class does not", "fixed", "silent", there, "class \"fix\""),
                    row("plan allows", "the plan knows better", "fixed", "leave", there, ""),
                    row("plan refuses", "the plan knows better", "open", "stay", there, "plan \"stay\""),
                    row("not there", "nothing has to move", "fixed", "silent", "", ""),
                    row("maybe there", "what failed may have left something", "fixed", "silent",
                        R"("deprovisionStatus":"Required")", "class \"fix\""),
                    row("class gone", "the controller says so", "gone", "silent", there, "")});
  }
}

TEST(ServiceInstance, ReferencesNeedARight) {
  CatalogWorld world;
  const auto old = instance(kByName);
  const auto set = instance(kByName + R"(,"clusterServiceClassRef":{"name":"c"})");
  expect_permits(world, permit_service_instance, "serviceinstances", true,
                 {{"anybody", "could have the broker of others called", set, old, "spec.clusterServiceClassRef"}});
  world.grant("r", "a", "servicecatalog.k8s.io", "serviceinstances/reference", "update");
  expect_permits(world, permit_service_instance, "serviceinstances", true, {{"granted", "trusted", set, old, ""}});
}

TEST(ServiceInstance, ParametersComeFromSecretsOneMayRead) {
  CatalogWorld world;
  world.grant("r", "a", "", "secrets", "get", "mine");
  const auto from = [](const std::string& names) { return instance(kByName + R"(,"parametersFrom":[)" + names + "]"); };
  const std::string mine = R"({"secretKeyRef":{"name":"mine","key":"k"}})";
  const std::string other = R"({"secretKeyRef":{"name":"other","key":"k"}})";
  const std::string third = R"({"secretKeyRef":{"name":"third","key":"k"}})";
  expect_permits(
      world, permit_service_instance, "serviceinstances", true,
      {{"mine", "ann may read it", from(mine), "", ""},
       {"other", "she may not", from(mine + "," + other), "", "spec.parametersFrom[1].secretKeyRef: user \"ann\""},
       {"all", "every secret is named", from(other + "," + third), "", "secret \"third\""},
       {"added", "as on create", from(mine + "," + other), from(mine), "secret \"other\""},
       {"was there", "somebody else put it there", from(other), from(other + "," + mine), ""}});
}

TEST(ServiceInstance, ARefusalOfManySecretsIsOfBoundedLength) {
  CatalogWorld world;
  json::Array sources;
  for (int i = 0; i < 1'000; ++i) {
    sources.push_back(json::Object{
        {"secretKeyRef", json::Object{{"name", std::string(1'000, 'x') + std::to_string(i)}, {"key", "k"}}}});
  }
  auto object = document(instance(kByName));
  object.at("spec").as_object()["parametersFrom"] = std::move(sources);
  const auto refused = permit_service_instance(world.context("serviceinstances", true, object, nullptr));
  ASSERT_FALSE(refused.ok());
  const auto& error = refused.error();
  EXPECT_EQ(error.causes.size(), 20u);
  EXPECT_LT(error.message.size(), 20'000u);
  EXPECT_TRUE(error.message.ends_with("; and 980 more references to secrets, not all of which were checked"))
      << error.message.substr(error.message.size() - 200);
}

TEST(ServiceInstance, TheRefusalOfASecretSaysWhatToDo) {
  CatalogWorld world;
  auto object = document(instance(kByName + R"(,"parametersFrom":[{"secretKeyRef":{"name":"other","key":"k"}}])"));
  const auto refused = permit_service_instance(world.context("serviceinstances", true, object, nullptr));
  ASSERT_FALSE(refused.ok());
  const std::string fault =
      "user \"ann\" may not get secret \"other\" in namespace \"a\"; use a secret that you may read, or have somebody "
      "write this who may";
  EXPECT_NE(refused.error().message.find("forbidden: spec.parametersFrom[0].secretKeyRef: " + fault), std::string::npos)
      << refused.error().message;
  EXPECT_EQ(refused.error().causes,
            (std::vector<Cause>{{"FieldValueForbidden", fault, "spec.parametersFrom[0].secretKeyRef"}}));
}

TEST(ServiceInstance, AbandoningNeedsARight) {
  CatalogWorld world;
  const auto old = instance(kByName);
  const auto abandoned = instance(kByName, "", R"("servicecatalog.kubernetes.io/abandon":"true")");
  expect_permits(world, permit_service_instance, "serviceinstances", true,
                 {{"set", "costs money at the broker", abandoned, old, "abandon"},
                  {"made with", "the same", abandoned, "", "abandon"},
                  {"other value", "means nothing",
                   instance(kByName, "", R"("servicecatalog.kubernetes.io/abandon":"false")"), old, ""},
                  {"was set", "by who may", abandoned, abandoned, ""},
                  {"taken back", "nothing is lost", old, abandoned, ""}});
  world.grant("r", "a", "servicecatalog.k8s.io", "serviceinstances", "abandon");
  expect_permits(world, permit_service_instance, "serviceinstances", true, {{"granted", "may", abandoned, old, ""}});
}

TEST(ServiceInstance, WhoAskedToAbandonItIsNoted) {
  const std::string asked = R"("servicecatalog.kubernetes.io/abandon":"true")";
  const std::string by = R"("servicecatalog.kubernetes.io/abandoned-by":)";
  const struct {
    const char* name;
    const char* reason;
    std::string annotations;
    std::string old;
    std::string want;
  } rows[] = {{"asks now", "it is ann", asked, instance(kByName), asked + "," + by + R"("ann")"},
              {"asks for somebody else", "it is ann all the same", asked + "," + by + R"("bob")", instance(kByName),
               asked + "," + by + R"("ann")"},
              {"was asked", "another change does not alter that", asked,
               instance(kByName, "", asked + "," + by + R"("olga")"), asked + "," + by + R"("olga")"},
              {"rewrites it", "nobody may", asked + "," + by + R"("bob")",
               instance(kByName, "", asked + "," + by + R"("olga")"), asked + "," + by + R"("olga")"},
              {"was asked before this was noted", "nobody knows", asked + "," + by + R"("bob")",
               instance(kByName, "", asked), asked},
              {"takes it back", "nobody asks", R"("a":"b",)" + by + R"("olga")",
               instance(kByName, "", asked + "," + by + R"("olga")"), R"("a":"b")"},
              {"says nothing", "of its own accord nothing is added", R"("a":"b")", instance(kByName), R"("a":"b")"}};
  for (const auto change : {default_service_instance, default_service_binding}) {
    for (const auto& row : rows) {
      SCOPED_TRACE(std::string(row.name) + ": " + row.reason);
      CatalogWorld world;
      const auto made = completed(world, change, instance(kByName, "", row.annotations), row.old);
      EXPECT_EQ(json::write(made.at("metadata").at("annotations")), "{" + row.want + "}");
    }
  }
  CatalogWorld world;
  const auto made = completed(world, default_service_instance, instance(kByName, "", asked));
  EXPECT_EQ(json::string_or(made.at("metadata").at("annotations"), "servicecatalog.kubernetes.io/abandoned-by"), "ann")
      << "of a new one too";
  world.user.name = kCatalogController;
  const auto kept = completed(world, default_service_instance, instance(kByName, "", asked + "," + by + R"("olga")"),
                              instance(kByName, "", asked + "," + by + R"("olga")"));
  EXPECT_EQ(json::string_or(kept.at("metadata").at("annotations"), "servicecatalog.kubernetes.io/abandoned-by"),
            "olga");
}

}  // namespace
}  // namespace chandler::admission
