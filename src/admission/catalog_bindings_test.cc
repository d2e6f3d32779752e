#include "admission/catalog_rows.h"
#include "admission/kind_rules.h"

namespace chandler::admission {
namespace {

std::string binding(const std::string& spec, const std::string& annotations = "") {
  return R"({"metadata":{"name":"b","namespace":"a")" +
         (annotations.empty() ? "" : R"(,"annotations":{)" + annotations + "}") +
         R"(},"spec":{"instanceRef":{"name":"i"})" + (spec.empty() ? "" : ",") + spec + "}}";
}

TEST(ServiceBinding, IsCompleted) {
  CatalogWorld world;
  const auto made = completed(world, default_service_binding, binding(R"("userInfo":{"username":"root"})"));
  EXPECT_EQ(json::write(made.at("metadata").at("finalizers")), R"(["kubernetes-incubator/service-catalog"])");
  EXPECT_EQ(made.at("spec").at("secretName").as_string(), "b");
  EXPECT_EQ(made.at("spec").at("externalID").as_string().size(), 36u);
  EXPECT_EQ(made.at("spec").at("userInfo").at("username").as_string(), "ann");

  const std::string stored = R"("secretName":"s","externalID":"x","serviceType":"mysql","userInfo":{"username":"bob"})";
  EXPECT_EQ(json::write(completed(world, default_service_binding, binding(""), binding(stored)).at("spec")),
            json::write(document(binding(stored)).at("spec")))
      << "a manifest knows nothing of what the server filled in";
}

TEST(ServiceBinding, TransformsAreSpelledOneWay) {
  const std::string list = R"([{"removeKey":{"key":"x"}}])";
  expect_checks(check_service_binding,
                {{"one", "the seed's spelling", binding(R"("secretTransform":)" + list), "", {}},
                 {"other", "upstream's spelling", binding(R"("secretTransforms":)" + list), "", {}},
                 {"both",
                  "which of the two?",
                  binding(R"("secretTransform":[],"secretTransforms":)" + list),
                  "",
                  {"spec.secretTransforms Forbidden"}},
                 {"faults",
                  "in either",
                  binding(R"("secretTransforms":[{"addKey":{"key":"a"}}])"),
                  "",
                  {"spec.secretTransforms[0].addKey Required"}}});
}

TEST(ServiceBinding, IsFrozenAtItsBroker) {
  const std::string stored = R"("externalID":"x","secretName":"s","parameters":{"a":1})";
  expect_checks(check_service_binding,
                {{"same", "nothing changes", binding(stored), binding(stored), {}},
                 {"here",
                  "what happens on this side may change",
                  binding(R"("externalID":"x","secretName":"t","parameters":{"a":1},"secretTransform":[])"),
                  binding(stored),
                  {}},
                 {"there",
                  "the broker knows no update of bindings",
                  R"({"metadata":{"name":"b"},"spec":{"instanceRef":{"name":"j"},"externalID":"y","parameters":{"a":2},
                      "parametersFrom":[{"secretKeyRef":{"name":"s","key":"k"}}]}})",
                  binding(stored),
                  {"spec.instanceRef Forbidden", "spec.externalID Forbidden", "spec.parameters Forbidden",
                   "spec.parametersFrom Forbidden"}},
                 {"ID filled in", "it was made where no rule ran", binding(R"("externalID":"x")"), binding(""), {}}});
}

TEST(ServiceBinding, HasAnIdThatAnyBrokerCanBeAskedFor) {
  const auto with = [](const std::string& id) { return binding(R"("externalID":")" + id + "\""); };
  expect_checks(check_service_binding,
                {{"good", "as users choose them", with("Shop.db_1~a-b"), "", {}},
                 {"slash", "it would be another URL", with("a/b"), "", {"spec.externalID Invalid"}},
                 {"filled in", "as on create", with("a b"), binding(""), {"spec.externalID Invalid"}},
                 {"stored", "what is there must not be locked up", with("a/b"), with("a/b"), {}}});
}

TEST(ServiceBinding, TheControllerCompletesParametersOnce) {
  CatalogWorld world;
  world.user.name = kCatalogController;
  auto object = document(binding(R"("parameters":{"a":1,"b":2})"));
  const auto old = document(binding(R"("parameters":{"a":1})"));
  meta::FieldErrors errors;
  check_service_binding(world.context("servicebindings", true, object, &old), errors);
  EXPECT_TRUE(errors.empty());
}

TEST(ServiceBinding, NeedsAnInstanceThatStays) {
  CatalogWorld world;
  const auto add = [&](const std::string& name, const std::string& more) {
    world.lookup.add("servicecatalog.k8s.io/serviceinstances",
                     R"({"metadata":{"name":")" + name + R"(","namespace":"a")" + more + "}}");
  };
  add("here", "");
  add("going", R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")");
  const auto to = [](const std::string& name) {
    return R"({"metadata":{"name":"b","namespace":"a"},"spec":{"instanceRef":{"name":")" + name + R"("}}})";
  };
  expect_permits(world, permit_service_binding, "servicebindings", true,
                 {{"here", "usual", to("here"), "", ""},
                  {"to come", "manifests are applied in any order", to("later"), "", ""},
                  {"going", "it would keep the instance from going", to("going"), "", "\"going\" is being deleted"},
                  {"bound", "what is there may still be changed", to("going"), to("going"), ""}});
}

TEST(ServiceBinding, ReadsOnlyWhatItsAuthorMayRead) {
  CatalogWorld world;
  world.grant("r", "a", "", "secrets", "get", "mine");
  const auto copy = [](const std::string& ref) { return R"([{"addKeysFrom":{"secretRef":)" + ref + "}}]"; };
  const auto other = binding(R"("secretTransforms":)" + copy(R"({"name":"other","namespace":"x"})"));
  expect_permits(
      world, permit_service_binding, "servicebindings", true,
      {{"mine", "in the namespace of the binding", binding(R"("secretTransform":)" + copy(R"({"name":"mine"})")), "",
        ""},
       {"other", "nobody may copy it", other, "", "spec.secretTransforms[0].addKeysFrom.secretRef"},
       {"added", "as on create", other, binding(""), "secret \"other\" in namespace \"x\""},
       {"was there", "somebody else put it there", other, other, ""},
       {"parameters", "the same for these",
        binding(R"("parametersFrom":[{"secretKeyRef":{"name":"other","key":"k"}}])"), "", "spec.parametersFrom[0]"},
       {"abandoned", "needs a right", binding("", R"("servicecatalog.kubernetes.io/abandon":"true")"), binding(""),
        "abandon"}});
}

}  // namespace
}  // namespace chandler::admission
