#include "admission/catalog_rows.h"
#include "admission/fields.h"
#include "admission/kind_rules.h"

namespace chandler::admission {
namespace {

std::string claim(const std::string& spec) {
  return R"({"metadata":{"name":"c","namespace":"demo"},"spec":{)" + spec + "}}";
}

// The controller has written down its resource.
std::string settled_claim(const std::string& spec) {
  return R"({"metadata":{"name":"c","namespace":"demo"},"spec":{)" + spec + R"(},"status":{"resource":{"name":"t"}}})";
}

std::string resource_class(const std::string& rest, const std::string& metadata = R"("name":"k")") {
  return R"({"metadata":{)" + metadata + R"(},"provisioner":"rdsinstance.database.aws.crossplane.io/v1alpha1")" +
         (rest.empty() ? "" : ",") + rest + "}";
}

constexpr std::string_view kResource = R"("resourceRef":{"apiVersion":"a.example.org/v1","kind":"Thing","name":"t"})";

TEST(ResourceClaim, HasOneSpellingOfItsClassAndAFinalizer) {
  const std::string finalizer = R"("finalizers":["finalizer.resourceclaim.crossplane.io"])";
  const auto with_finalizer = [&](const std::string& spec) {
    return R"({"metadata":{"name":"c","namespace":"demo",)" + finalizer + R"(},"spec":{)" + spec + "}}";
  };
  expect_defaults(
      default_resource_claim,
      {{"reference", "stays", claim(R"("classReference":{"name":"k"})"), "",
        with_finalizer(R"("classReference":{"name":"k"})")},
       {"short spelling", "means the same", claim(R"("classRef":{"name":"k"})"), "",
        with_finalizer(R"("classReference":{"name":"k"})")},
       {"both and equal", "once is enough", claim(R"("classReference":{"name":"k"},"classRef":{"name":"k"})"), "",
        with_finalizer(R"("classReference":{"name":"k"})")},
       {"no spec", "everything is left to the defaults", R"({"metadata":{"name":"c","namespace":"demo"}})", "",
        with_finalizer("")},
       {"left out", "what the controller filled in stays", claim(""),
        settled_claim(R"("classReference":{"name":"k"},)" + std::string(kResource)),
        claim(R"("classReference":{"name":"k"},)" + std::string(kResource))},
       {"taken back", "nothing was made yet", claim(""), claim(R"("classReference":{"name":"k"})"), claim("")}});
}

TEST(ResourceClaim, IsSettledOnceItHasItsResource) {
  const std::string resource(kResource);
  expect_checks(check_resource_claim,
                {{"empty", "defaults do the rest", claim(""), "", {}},
                 {"both spellings",
                  "which one counts?",
                  claim(R"("classReference":{"name":"k"},"classRef":{"name":"l"})"),
                  "",
                  {"spec.classRef Forbidden"}},
                 {"names",
                  "must be names",
                  claim(R"("classReference":{"name":"K!","namespace":"a.b","kind":"StorageClass"})"),
                  "",
                  {"spec.classReference.kind NotSupported", "spec.classReference.name Invalid",
                   "spec.classReference.namespace Invalid"}},
                 {"selector",
                  "must be one",
                  claim(R"("classSelector":{"matchExpressions":[{"key":"a","operator":"In"}]})"),
                  "",
                  {"spec.classSelector.matchExpressions[0].values Required"}},
                 {"before",
                  "nothing was made yet",
                  claim(R"("classReference":{"name":"l"},"engineVersion":"11")"),
                  claim(R"("classReference":{"name":"k"},"engineVersion":"9.6")"),
                  {}},
                 {"the resource comes", "written by the controller", claim(resource), claim(""), {}},
                 {"after",
                  "would not reach the resource",
                  claim(R"("classReference":{"name":"l"},"engineVersion":"11","classSelector":{"matchLabels":{"a":"b"}},
               "writeConnectionSecretToRef":{"name":"s"},)" +
                        resource),
                  settled_claim(R"("classReference":{"name":"k"},"engineVersion":"9.6",)" + resource),
                  {"spec.classReference Forbidden", "spec.classSelector Forbidden", "spec.engineVersion Forbidden",
                   "spec.writeConnectionSecretToRef Forbidden"}},
                 {"another resource",
                  "would lose the first one",
                  claim(R"("resourceRef":{"apiVersion":"a.example.org/v1","kind":"Thing","name":"u"})"),
                  settled_claim(resource),
                  {"spec.resourceRef Forbidden"}},
                 {"another name",
                  "the first one was never taken",
                  claim(R"("resourceRef":{"apiVersion":"a.example.org/v1","kind":"Thing","name":"u"})"),
                  claim(resource),
                  {}}});
}

TEST(LabelledClaim, KeepsWhatWasDecidedAndNothingElse) {
  const std::string reference = R"("classReference":{"name":"k"})";
  const std::string decided = reference + "," + std::string(kResource);
  expect_defaults(default_labelled_claim,
                  {{"new", "finalizer and spelling are the controller's business", claim(R"("classRef":{"name":"k"})"),
                    "", claim(R"("classRef":{"name":"k"})")},
                   {"left out", "what the controller filled in stays", claim(R"("depth":7)"), settled_claim(decided),
                    claim(R"("depth":7,)" + decided)},
                   {"applied again", "means what is stored", claim(R"("classRef":{"name":"k"})"),
                    settled_claim(decided), claim(decided)},
                   {"taken back", "nothing was made yet", claim(""), claim(reference), claim("")}});
}

TEST(LabelledClaim, IsSettledOnceItHasItsResource) {
  const std::string resource(kResource);
  const std::string bad_selector = R"("classSelector":{"matchExpressions":[{"key":"a","operator":"In"}]})";
  expect_checks(
      check_labelled_claim,
      {{"empty", "defaults do the rest", claim(""), "", {}},
       {"short spelling", "the controller takes it", claim(R"("classRef":{"name":"k"})"), "", {}},
       {"selector", "must be one", claim(bad_selector), "", {"spec.classSelector.matchExpressions[0].values Required"}},
       {"older than the label", "can be changed, and so be deleted", claim(bad_selector), claim(bad_selector), {}},
       {"names", "must be names", claim(R"("classReference":{"name":"K!"})"), "", {"spec.classReference.name Invalid"}},
       {"before",
        "nothing was made yet",
        claim(R"("classReference":{"name":"l"})"),
        claim(R"("classReference":{"name":"k"})"),
        {}},
       {"own fields",
        "are for whoever serves it",
        claim(R"("depth":8,)" + resource),
        settled_claim(R"("depth":7,)" + resource),
        {}},
       {"after",
        "would not reach the resource",
        claim(R"("classReference":{"name":"l"},"writeConnectionSecretToRef":{"name":"s"},)" + resource),
        settled_claim(R"("classReference":{"name":"k"},)" + resource),
        {"spec.classReference Forbidden", "spec.writeConnectionSecretToRef Forbidden"}},
       {"another spelling",
        "would not reach the resource either",
        claim(R"("classRef":{"name":"l"},"classReference":{"name":"k"},)" + resource),
        settled_claim(R"("classReference":{"name":"k"},)" + resource),
        {"spec.classRef Forbidden"}},
       {"another resource",
        "would lose the first one",
        claim(R"("resourceRef":{"apiVersion":"a.example.org/v1","kind":"Thing","name":"u"})"),
        settled_claim(resource),
        {"spec.resourceRef Forbidden"}}});
}

TEST(ResourceClass, LabelsWhatItIsTheDefaultFor) {
  CatalogWorld world;
  const auto labels = [&](const std::string& object, const std::string& old = "") {
    const auto made = completed(world, default_resource_class, object, old);
    return json::write(member(member(made, "metadata"), "labels"));
  };
  EXPECT_EQ(labels(resource_class(R"("defaultForClaimKinds":["Bucket.storage.crossplane.io"])")),
            R"({"bucket.storage.crossplane.io/default":"true"})");
  EXPECT_EQ(labels(resource_class("", R"("name":"k","labels":{"bucket.storage.crossplane.io/default":"true"})")),
            R"({"bucket.storage.crossplane.io/default":"true"})");
  EXPECT_EQ(labels(resource_class("", R"("name":"k","labels":{"bucket.storage.crossplane.io/default":"true"})"),
                   resource_class(R"("defaultForClaimKinds":["bucket.storage.crossplane.io"])")),
            "null")
      << "taken from the list";
  const auto made = completed(world, default_resource_class, resource_class(""));
  EXPECT_EQ(json::write(member(member(made, "metadata"), "finalizers")), R"(["core.crossplane.io/in-use"])");
}

TEST(ResourceClass, NamesAProvisionerThatMayServe) {
  const auto with = [](const std::string& provisioner) {
    return R"({"metadata":{"name":"k"},"provisioner":")" + provisioner + R"("})";
  };
  expect_checks(
      check_resource_class,
      {{"seed",
        "as in the design",
        resource_class(R"("parameters":{"class":"db.t2.small"},"reclaimPolicy":"Delete")"),
        "",
        {}},
       {"catalog", "orders a service", with("serviceinstance.servicecatalog.k8s.io/v1beta1"), "", {}},
       {"no kind", "nothing could be made", with("aws"), "", {"provisioner Invalid"}},
       {"rights",
        "would let the controller give rights",
        with("clusterrolebinding.rbac.authorization.k8s.io/v1"),
        "",
        {"provisioner Invalid"}},
       {"programs", "would let the controller run programs", with("deployment.apps/v1"), "", {"provisioner Invalid"}},
       {"claim",
        "claims do not serve claims",
        with("bucket.storage.crossplane.io/v1alpha1"),
        "",
        {"provisioner Invalid"}},
       {"entry",
        "is no kind",
        resource_class(R"("defaultForClaimKinds":["a b"])"),
        "",
        {"defaultForClaimKinds[0] Invalid"}},
       {"contradiction",
        "list and label disagree",
        resource_class(R"("defaultForClaimKinds":["a.b"])", R"("name":"k","labels":{"a.b/default":"false"})"),
        "",
        {"metadata.labels[a.b/default] Invalid"}},
       {"priority",
        "is a number",
        resource_class("", R"("name":"k","annotations":{"core.crossplane.io/default-priority":"high"})"),
        "",
        {"metadata.annotations[core.crossplane.io/default-priority] Invalid"}},
       {"large",
        "bounded",
        resource_class(R"("parameters":{"a":")" + std::string(256 * 1024, 'x') + R"("})"),
        "",
        {"parameters TooLong"}}});
}

TEST(ResourceClass, WarnsOfKindsThatAreNoClaims) {
  CatalogWorld world;
  world.lookup.add("apiextensions.k8s.io/customresourcedefinitions",
                   R"({"metadata":{"name":"queues.example.org","labels":{"core.crossplane.io/claim":"true"}},
                       "spec":{"group":"example.org","names":{"kind":"Queue"}}})");
  auto object = document(resource_class(
      R"("defaultForClaimKinds":["nosqlinstance.database.crossplane.io","dynamodbinstance.storage.crossplane.io","bucket",
          "queue.example.org","topic.example.org"])"));
  auto context = world.context("resourceclasses", true, object, nullptr);
  std::vector<std::string> warnings;
  context.warnings = &warnings;
  meta::FieldErrors errors;
  check_resource_class(context, errors);
  EXPECT_TRUE(errors.empty());
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_EQ(warnings[0],
            "defaultForClaimKinds: \"nosqlinstance.database.crossplane.io\" is not a kind of claim here; did you mean "
            "nosqlinstance.storage.crossplane.io?");
  EXPECT_NE(warnings[1].find("it counts when one of that name comes"), std::string::npos);
}

TEST(ResourceClass, WarnsOfASecondDefault) {
  CatalogWorld world;
  const auto add = [&](const std::string& name, const std::string& ns) {
    world.lookup.add("core.crossplane.io/resourceclasses",
                     R"({"metadata":{"name":")" + name + R"(","namespace":")" + ns +
                         R"(","labels":{"bucket.storage.crossplane.io/default":"true"}}})");
  };
  add("first", "demo");
  add("elsewhere", "other");
  const auto warnings_for = [&](const std::string& rest, const std::string& old) {
    auto object = document(resource_class(rest, R"("name":"k","namespace":"demo")"));
    const auto before = old.empty() ? json::Value() : document(old);
    auto context = world.context("resourceclasses", true, object, old.empty() ? nullptr : &before);
    std::vector<std::string> warnings;
    context.warnings = &warnings;
    meta::FieldErrors errors;
    check_resource_class(context, errors);
    return warnings;
  };
  const std::string list = R"("defaultForClaimKinds":["bucket.storage.crossplane.io"])";
  const auto told = warnings_for(list, "");
  ASSERT_EQ(told.size(), 1u);
  EXPECT_NE(told[0].find("class \"first\" of this namespace is a default for bucket.storage.crossplane.io too"),
            std::string::npos);
  EXPECT_TRUE(warnings_for("", "").empty());
  EXPECT_TRUE(warnings_for(list, resource_class(list)).empty()) << "told once";
}

}  // namespace
}  // namespace chandler::admission
