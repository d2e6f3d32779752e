#include "admission/fake_lookup.h"
#include "admission/kind_rules.h"
#include "admission/rule_rows.h"

namespace chandler::admission {
namespace {

std::string claim(const std::string& rest, const std::string& size = "1Gi", const std::string& phase = "Pending") {
  return R"({"metadata":{"name":"p"},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":")" +
         size + R"("}})" + rest + R"(},"status":{"phase":")" + phase + R"("}})";
}

TEST(Claim, IsProtectedAndKnowsItsClass) {
  expect_defaults(
      default_claim,
      {{"class", "another spelling of storageClassName",
        R"({"metadata":{"finalizers":["x.io/f"]},"spec":{"class":"fast"}})", "",
        R"({"metadata":{"finalizers":["x.io/f","kubernetes.io/pvc-protection"]},"spec":{"storageClassName":"fast"}})"},
       {"both", "the same said twice", R"({"metadata":{},"spec":{"class":"fast","storageClassName":"fast"}})", "",
        R"({"metadata":{"finalizers":["kubernetes.io/pvc-protection"]},"spec":{"storageClassName":"fast"}})"},
       {"update", "a finalizer that was removed does not come back", R"({"metadata":{},"spec":{}})", "{}",
        R"({"metadata":{},"spec":{}})"}});
}

TEST(Claim, WithoutClassGetsTheNewestDefault) {
  const auto storage_class = [](const std::string& name, const std::string& made, const std::string& is_default) {
    return R"({"apiVersion":"storage.k8s.io/v1","kind":"StorageClass","metadata":{"name":")" + name +
           R"(","creationTimestamp":")" + made + R"(","annotations":{"storageclass.kubernetes.io/is-default-class":")" +
           is_default + R"("}}})";
  };
  FakeLookup lookup;
  const auto chosen = [&](std::string_view text) {
    auto object = document(text);
    Context context;
    context.object = &object;
    context.lookup = &lookup;
    default_storage_class_of_claim(context);
    const auto* name = json::find_path(object, {"spec", "storageClassName"});
    return name == nullptr ? std::string("-") : std::string(json::view(name->as_string()));
  };
  EXPECT_EQ(chosen(R"({"spec":{}})"), "-") << "there is no default";
  lookup.add("storage.k8s.io/storageclasses", storage_class("old", "2026-01-01T00:00:00Z", "true"));
  lookup.add("storage.k8s.io/storageclasses", storage_class("z", "2026-01-02T00:00:00Z", "true"));
  lookup.add("storage.k8s.io/storageclasses", storage_class("a", "2026-01-02T00:00:00Z", "true"));
  lookup.add("storage.k8s.io/storageclasses", storage_class("newest", "2026-01-03T00:00:00Z", "yes"));
  EXPECT_EQ(chosen(R"({"spec":{}})"), "a") << "of the newest defaults the first by name";
  EXPECT_EQ(chosen(R"({"spec":{"storageClassName":""}})"), "") << "no class is a wish too";
  EXPECT_EQ(chosen(R"({"metadata":{"annotations":{"volume.beta.kubernetes.io/storage-class":"x"}},"spec":{}})"), "-");
}

TEST(Claim, SaysHowMuchAndHow) {
  const std::string modes = R"("accessModes":["ReadWriteOnce"])";
  expect_checks(
      check_claim,
      {{"fine", "a usual claim", claim(""), "", {}},
       {"nothing",
        "as recorded",
        R"({"spec":{"accessModes":[],"resources":{}}})",
        "",
        {"spec.accessModes Required", "spec.resources[storage] Required"}},
       {"zero", "more than nothing", claim("", "0"), "", {"spec.resources[storage] Invalid"}},
       {"two classes", "which?", claim(R"(,"class":"a","storageClassName":"b")"), "", {"spec.class Invalid"}},
       {"pod",
        "ReadWriteOncePod stands alone",
        R"({"spec":{"accessModes":["ReadWriteOncePod","ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}})",
        "",
        {"spec.accessModes Forbidden"}},
       {"selector",
        "operators have values",
        claim(R"(,"selector":{"matchExpressions":[{"key":"a","operator":"In"}]})"),
        "",
        {"spec.selector.matchExpressions[0].values Required"}}});
}

TEST(Claim, StaysAsItIs) {
  expect_checks(check_claim,
                {{"modes",
                  "a claim cannot be changed",
                  R"({"spec":{"accessModes":["ReadWriteMany"],"resources":{"requests":{"storage":"1Gi"}}}})",
                  claim(""),
                  {"spec Forbidden"}},
                 {"pending", "there is nothing to grow yet", claim("", "2Gi"), claim(""), {"spec Forbidden"}},
                 {"bound", "a bound one may grow", claim("", "2Gi", "Bound"), claim("", "1Gi", "Bound"), {}},
                 {"smaller",
                  "but not shrink",
                  claim("", "1Gi", "Bound"),
                  claim("", "2Gi", "Bound"),
                  {"spec.resources.requests.storage Forbidden"}},
                 {"volume", "it is bound once", claim(R"(,"volumeName":"v")"), claim(""), {}},
                 {"other volume",
                  "and for ever",
                  claim(R"(,"volumeName":"w")"),
                  claim(R"(,"volumeName":"v")"),
                  {"spec Forbidden"}},
                 {"class", "a class may still be found", claim(R"(,"storageClassName":"c")"), claim(""), {}},
                 {"other class",
                  "but not be exchanged",
                  claim(R"(,"storageClassName":"c")"),
                  claim(R"(,"storageClassName":"")"),
                  {"spec Forbidden"}},
                 {"attributes",
                  "a bound one may get other attributes",
                  claim(R"(,"volumeAttributesClassName":"g")", "1Gi", "Bound"),
                  claim("", "1Gi", "Bound"),
                  {}}});
}

TEST(Claim, GrowsWhenItsClassAllows) {
  FakeLookup lookup;
  lookup.add("storage.k8s.io/storageclasses", R"({"metadata":{"name":"elastic"},"allowVolumeExpansion":true})");
  lookup.add("storage.k8s.io/storageclasses", R"({"metadata":{"name":"rigid"}})");
  const auto permitted = [&](const std::string& name, const std::string& size) {
    const auto spec = R"(,"storageClassName":")" + name + "\"";
    auto object = document(claim(spec, size, "Bound"));
    const auto old = document(claim(spec, "1Gi", "Bound"));
    Context context;
    context.operation = registry::Operation::kUpdate;
    context.object = &object;
    context.old = &old;
    context.lookup = &lookup;
    return permit_claim(context).ok();
  };
  EXPECT_TRUE(permitted("elastic", "2Gi"));
  EXPECT_TRUE(permitted("rigid", "1Gi")) << "nothing grows";
  EXPECT_FALSE(permitted("rigid", "2Gi"));
  EXPECT_FALSE(permitted("gone", "2Gi"));
  EXPECT_FALSE(permitted("", "2Gi"));
}

TEST(StorageClass, NamesItsProvisioner) {
  const std::string large(256 * 1024, 'a');
  expect_checks(
      check_storage_class,
      {{"fine", "a qualified name", R"({"provisioner":"X.io/y","parameters":{"a":"b"}})", "", {}},
       {"missing", "the schema reports it", R"({})", "", {}},
       {"blank", "no provisioner has such a name", R"({"provisioner":"a b"})", "", {"provisioner Invalid"}},
       {"nameless", "a value of what?", R"({"provisioner":"a","parameters":{"":"b"}})", "", {"parameters Invalid"}},
       {"large",
        "256 KiB at most",
        R"({"provisioner":"a","parameters":{"k":")" + large + R"("}})",
        "",
        {"parameters TooLong"}}});
}

TEST(Volume, HasOneSourceForEver) {
  const auto volume = [](const std::string& rest, const std::string& capacity = R"({"storage":"1Gi"})") {
    return R"({"spec":{"accessModes":["ReadWriteOnce"],"capacity":)" + capacity + rest + "}}";
  };
  const auto host = volume(R"(,"hostPath":{"path":"/x"})");
  expect_checks(
      check_volume,
      {{"fine", "a usual volume", host, host, {}},
       {"none", "where is the data?", volume(""), "", {"spec Required"}},
       {"two", "in one place", volume(R"(,"hostPath":{"path":"/x"},"nfs":{"path":"/y"})"), "", {"spec.nfs Forbidden"}},
       {"moved",
        "it stays there",
        volume(R"(,"hostPath":{"path":"/y"})"),
        host,
        {"spec.persistentvolumesource Forbidden"}},
       {"no size", "how much?", volume(R"(,"hostPath":{"path":"/x"})", "{}"), "", {"spec.capacity Required"}},
       {"zero",
        "more than nothing",
        volume(R"(,"hostPath":{"path":"/x"})", R"({"storage":"0"})"),
        "",
        {"spec.capacity[storage] Invalid"}}});
}

}  // namespace
}  // namespace chandler::admission
