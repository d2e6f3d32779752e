// What the rules of a kind cost grows with the object, whichever of its lists is long. A row goes through mutate and
// validate as every write does; every kind that has rules has a row.
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "admission/admission.h"
#include "admission/fake_lookup.h"
#include "admission/table.h"
#include "support/growth.h"

namespace chandler::admission {
namespace {

using testing::Growth;
using testing::is_linear;

using Text = std::function<std::string(size_t size)>;

struct Stored {
  std::string resource;  // "group/plural"
  std::string object;
};

struct Shape {
  std::string name;
  std::string reason;
  std::vector<std::string> kinds;  // "group/plural"
  size_t largest;
  Text object;
  Text old{};                                           // without one the object is new
  std::function<std::vector<Stored>(size_t)> stored{};  // other objects
  Text rules{};                                         // all that the user may do; without them everything
};
void PrintTo(const Shape& shape, std::ostream* out) { *out << shape.name; }

// piece(0) to piece(count - 1), with commas between them.
std::string repeat(size_t count, const std::function<std::string(size_t i)>& piece) {
  std::string out;
  for (size_t i = 0; i < count; ++i) out.append(out.empty() ? "" : ",").append(piece(i));
  return out;
}
// The same for a pattern that may hold the number: list(2, R"({{"name":"a{}"}})") is [{"name":"a0"},{"name":"a1"}].
std::string items(size_t count, std::string_view pattern) {
  return repeat(count, [&](size_t i) { return fmt::format(fmt::runtime(pattern), i); });
}
std::string list(size_t count, std::string_view pattern) { return "[" + items(count, pattern) + "]"; }

std::string object(const std::string& members, const std::string& metadata = "") {
  return fmt::format(R"({{"metadata":{{"name":"n","namespace":"here"{}{}}},{}}})", metadata.empty() ? "" : ",",
                     metadata, members);
}
std::string with_finalizers(size_t count) {
  return object(R"("spec":{})", R"("finalizers":)" + list(count, R"("example.com/f{}")"));
}
std::string selector(size_t count) {
  return fmt::format(R"({{"matchLabels":{{{}}},"matchExpressions":{}}})", items(count, R"("l{}":"v")"),
                     list(count, R"({{"key":"k{}","operator":"In","values":["a","b"]}})"));
}

// Every container lists mounts; none of them is the first volume.
std::string pod_spec(size_t count) {
  return fmt::format(
      R"({{"volumes":{},"containers":[{{"name":"c","image":"i","volumeMounts":{},"ports":{},"env":{}}}]}})",
      list(count, R"({{"name":"v{}","emptyDir":{{}}}})"), list(count, R"({{"name":"v{}","mountPath":"/p"}})"),
      list(count, R"({{"name":"p{}","containerPort":80}})"), list(count, R"({{"name":"E{}","value":"1"}})"));
}
std::string pod(const std::string& spec, const std::string& metadata = "") {
  return object(R"("spec":)" + spec, metadata);
}
std::string workload(size_t count) {
  return object(fmt::format(R"("spec":{{"selector":{{"matchLabels":{{"a":"b"}}}},"template":{{"metadata":{{"labels":
      {{"a":"b"}}}},"spec":{}}}}})",
                            pod_spec(count)));
}
std::string tolerations(size_t count, std::string_view last) {
  return pod(fmt::format(R"({{"containers":[],"tolerations":[{},{{"key":"{}"}}],"schedulingGates":{}}})",
                         items(count, R"({{"key":"t{}","operator":"Exists"}})"), last,
                         list(count, R"({{"name":"g{}"}})")));
}

Stored preset(const std::string& name, const std::string& spec) {
  return {
      "settings.svcat.k8s.io/podpresets",
      fmt::format(R"({{"metadata":{{"name":"{}","namespace":"here"}},"spec":{{"selector":{{}},{}}}}})", name, spec)};
}
// Without schemas, which cost more than all the rest and are compiled each for itself.
std::string definition(size_t count) {
  return fmt::format(
      R"({{"metadata":{{"name":"things.example.org"}},"spec":{{"group":"example.org","scope":"Namespaced","names":
        {{"plural":"things","kind":"Thing"}},"versions":{}}},"status":{{"storedVersions":{}}}}})",
      list(count, R"({{"name":"v{:06}"}})"), list(count, R"("v{:06}")"));
}

std::string from_secrets(size_t count, std::string_view transforms = "secretTransforms") {
  return object(fmt::format(R"("spec":{{"parametersFrom":{},"{}":{},"parameters":{{{}}}}})",
                            list(count, R"({{"secretKeyRef":{{"name":"s{}","key":"k"}}}})"), transforms,
                            list(count, R"({{"addKeysFrom":{{"secretRef":{{"name":"t{}"}}}}}})"),
                            items(count, R"("k{}":{{"a":1}})")));
}
std::string offer(size_t count) {
  return object(
      fmt::format(R"("spec":{{"externalID":"e","defaultSecretTransform":{},"defaultProvisionParameters":{{{}}}}})",
                  list(count, R"({{"addKeysFrom":{{"secretRef":{{"name":"t{}","namespace":"here"}}}}}})"),
                  items(count / 8, R"("k{}":1)")),
      R"("ownerReferences":)" + list(count / 8, R"({{"apiVersion":"v1","kind":"K","name":"o{}","uid":"u"}})"));
}

std::string from_secrets_of_namespaces(size_t count) {
  return object(R"("spec":{"secretTransforms":)" +
                list(count, R"({{"addKeysFrom":{{"secretRef":{{"name":"t{0}","namespace":"ns{0}"}}}}}})") + "}");
}
std::string from_one_secret(size_t count) {
  return object(R"("spec":{"parametersFrom":)" + list(count, R"({{"secretKeyRef":{{"name":"s","key":"k{}"}}}})") + "}");
}
// The right to get secrets by name.
std::string rule_of_secrets(const std::string& names) {
  return R"({"verbs":["get"],"apiGroups":[""],"resources":["secrets"],"resourceNames":)" + names + "}";
}
// Of those that from_secrets() names, in one rule.
std::string rights_to_secrets(size_t count) {
  return "[" + rule_of_secrets("[" + items(count, R"("s{0}","t{0}")") + "]") + "]";
}
// Of others, in a rule each.
std::string rights_to_other_secrets(size_t count) {
  return "[" + repeat(count, [](size_t i) { return rule_of_secrets(fmt::format(R"(["x{}"])", i)); }) + "]";
}

std::string storage_class(size_t count) {
  const auto term = [&](size_t i) {
    return fmt::format(R"({{"matchLabelExpressions":[{{"key":"zone","values":["z{}"]}}]}})", i);
  };
  const auto repeated =
      fmt::format(R"({{"matchLabelExpressions":[{{"key":"zone","values":{0}}},{{"key":"zone","values":{0}}}]}})",
                  list(count, R"("y{}")"));
  return fmt::format(R"({{"metadata":{{"name":"n"}},"provisioner":"p","parameters":{{{}}},"allowedTopologies":[{},{}],
      "selectorOptions":[{{"key":"zone"}}]}})",
                     items(count, R"("a{}":"b")"), repeated, repeat(count, term));
}
Stored small_storage_class() {
  return {"storage.k8s.io/storageclasses",
          R"({"metadata":{"name":"c"},"provisioner":"p","selectorPolicy":"Enforce",
              "selectorOptions":[{"key":"zone","allowedValues":["a","b"]},{"key":"k7"}]})"};
}

std::string resource_class(size_t count) {
  return fmt::format(
      R"({{"metadata":{{"name":"n","namespace":"here","labels":{{{}}}}},"defaultForClaimKinds":{},"parameters":{{{}}}}})",
      items(count, R"("other{}.example.org/default":"true")"), list(count, R"("kind{}.example.org")"),
      items(count, R"("p{}":"1")"));
}

std::string webhooks(size_t count) {
  return fmt::format(
      R"({{"metadata":{{"name":"n"}},"webhooks":[{},{{"name":"a.b.c","matchConditions":{},"rules":[{{"operations":["*"],
        "apiGroups":{},"apiVersions":{},"resources":{}}}]}}]}})",
      items(count, R"({{"name":"w{}.example.org","sideEffects":"None"}})"),
      list(count, R"({{"name":"m{}","expression":"true"}})"), list(count, R"("g{}")"), list(count, R"("v{}")"),
      list(count, R"("r{}")"));
}

// All that goes to one property, in texts as long as they may be.
std::string broker(size_t count) {
  return object(
      fmt::format(R"("spec":{{"url":"https://b.example.org","catalogRestrictions":{{"serviceClass":["{}"]}}}})",
                  items(count, "name!=n{}")),
      R"("finalizers":)" + list(count, R"("example.com/f{}")"));
}

std::string rules_of_role(size_t count) {
  return object(R"("rules":)" + list(count, R"({{"verbs":["get"],"apiGroups":[""],"resources":["r{}"]}})"));
}
std::string subjects(size_t count) {
  return object(R"("roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"r"},"subjects":)" +
                list(count, R"({{"kind":"User","name":"u{}"}})"));
}

std::string event(size_t count) {
  return object(fmt::format(R"("eventTime":"2026-01-01T00:00:00.000000Z","reportingComponent":"{}","involvedObject":
      {{"namespace":"here","name":"{}"}})",
                            std::string(count, 'a'), std::string(count, 'b')));
}

const std::vector<Shape>& shapes() {
  const auto kinds = [](std::string_view group, std::initializer_list<std::string_view> plurals) {
    std::vector<std::string> out;
    for (const auto plural : plurals) out.push_back(fmt::format("{}/{}", group, plural));
    return out;
  };
  const std::string catalog = "servicecatalog.k8s.io";
  const auto claims = [] {
    std::vector<std::string> out = {"cache.crossplane.io/redisclusters"};
    for (const auto* plural :
         {"postgresqlinstances", "mysqlinstances", "nosqlinstances", "dynamodbinstances", "buckets"})
      out.push_back(fmt::format("storage.crossplane.io/{}", plural));
    return out;
  }();
  static const std::vector<Shape> all = {
      {"MountsOfVolumes", "every mount names a volume", {"/pods"}, 800, [](size_t n) { return pod(pod_spec(n)); }},
      {"MountsOfNoVolumes",
       "what is not there is looked for everywhere",
       {"/pods"},
       800,
       [](size_t n) {
         return pod(fmt::format(
             R"({{"volumes":{},"containers":[{{"name":"c","volumeMounts":{},"volumeDevices":{}}}]}})",
             list(n, R"({{"name":"v{}"}})"), list(n, R"({{"name":"x{}"}})"), list(n, R"({{"name":"y{}"}})")));
       }},
      {"Containers",
       "names are unique over all lists",
       {"/pods"},
       1000,
       [](size_t n) {
         return pod(fmt::format(R"({{"initContainers":{0},"containers":{0},"ephemeralContainers":{0}}})",
                                list(n, R"({{"name":"c{}","image":"i"}})")));
       }},
      {"Tolerations",
       "an update keeps those there were",
       {"/pods"},
       1000,
       [](size_t n) { return tolerations(n, "new"); },
       [](size_t n) { return tolerations(n, "t0"); }},
      {"PresetOfManyEntries",
       "each is looked for among those of the pod",
       {"/pods"},
       800,
       [](size_t n) { return pod(pod_spec(n)); },
       {},
       [](size_t n) {
         return std::vector<Stored>{preset("p", fmt::format(R"("env":{},"envFrom":{},"volumes":{},"volumeMounts":{})",
                                                            list(n, R"({{"name":"F{}","value":"1"}})"),
                                                            list(n, R"({{"secretRef":{{"name":"s{}"}}}})"),
                                                            list(n, R"({{"name":"w{}","emptyDir":{{}}}})"),
                                                            list(n, R"({{"name":"w{0}","mountPath":"/w{0}"}})")))};
       }},
      {"PresetThatIsThereTwice",
       "entries of one name are compared with one another once",
       {"/pods"},
       800,
       [](size_t n) {
         return pod(
             fmt::format(R"({{"containers":[{{"name":"c","env":{}}}]}})", list(n, R"({{"name":"E","value":"1"}})")));
       },
       {},
       [](size_t n) {
         return std::vector<Stored>{preset("p", R"("env":)" + list(n, R"({{"name":"E","value":"1"}})"))};
       }},
      {"ManyPresets",
       "the pod is looked at once for all of them",
       {"/pods"},
       200,
       [](size_t n) { return pod(pod_spec(4 * n)); },
       {},
       [](size_t n) {
         std::vector<Stored> out;
         for (size_t i = 0; i < n; ++i) {
           out.push_back(preset(fmt::format("p{}", i), fmt::format(R"("env":[{{"name":"G{}","value":"1"}}])", i)));
         }
         return out;
       }},
      {"Templates",
       "the same in every workload",
       {"apps/deployments", "apps/replicasets", "apps/statefulsets", "apps/daemonsets", "batch/jobs"},
       400,
       workload,
       workload},
      {"TemplatesOfJobs",
       "the same one level further down",
       {"batch/cronjobs"},
       400,
       [](size_t n) {
         return object(
             fmt::format(R"("spec":{{"schedule":"{}","jobTemplate":{{"spec":{{"template":{{"spec":{}}}}}}}}})",
                         items(n, "1") + " * * * *", pod_spec(n)));
       }},
      {"Ports",
       "names are unique",
       {"/services"},
       1000,
       [](size_t n) {
         return object(fmt::format(R"("spec":{{"type":"ClusterIP","ports":{},"selector":{{{}}}}})",
                                   list(n, R"({{"name":"p{0}","port":80,"targetPort":"t{0}"}})"),
                                   items(n, R"("l{}":"v")")));
       }},
      {"NamespaceFinalizers",
       "each for itself",
       {"/namespaces"},
       2000,
       [](size_t n) { return object(R"("spec":{"finalizers":)" + list(n, R"("example.com/f{}")") + "}"); }},
      {"Data",
       "a key is in one map only",
       {"/configmaps", "/secrets"},
       2000,
       [](size_t n) {
         return object(
             fmt::format(R"("data":{{{0}}},"binaryData":{{{0}}},"stringData":{{{0}}})", items(n, R"("k{}":"YQ==")")));
       }},
      {"Events", "texts without bound", {"/events", "events.k8s.io/events"}, 20000, event},
      {"Finalizers",
       "ours is looked for",
       {"/persistentvolumes", "servicecatalog.kyma-project.io/usagekinds",
        "servicecatalog.kyma-project.io/servicebindingusages", "core.crossplane.io/providers"},
       4000,
       with_finalizers},
      {"ClaimSelector",
       "every key is looked for in the class",
       {"/persistentvolumeclaims"},
       400,
       [](size_t n) {
         return object(
             fmt::format(R"("spec":{{"storageClassName":"c","accessModes":["ReadWriteOnce"],"resources":
             {{"requests":{{"storage":"1Gi"}}}},"selector":{{"matchLabels":{{{}}},"matchExpressions":{}}}}})",
                         items(n, R"("l{}":"v")"), list(n, R"({{"key":"zone","operator":"In","values":["a","x{}"]}})")),
             R"("finalizers":)" + list(n, R"("example.com/f{}")"));
       },
       {},
       [](size_t) { return std::vector<Stored>{small_storage_class()}; }},
      {"Topologies", "values of many terms are put together", {"storage.k8s.io/storageclasses"}, 1000, storage_class},
      {"Versions",
       "names are unique, and stored versions are among them",
       {"apiextensions.k8s.io/customresourcedefinitions"},
       1200,
       definition,
       definition},
      {"Webhooks",
       "names are unique",
       {"admissionregistration.k8s.io/mutatingwebhookconfigurations",
        "admissionregistration.k8s.io/validatingwebhookconfigurations"},
       300,
       webhooks},
      {"Rules", "each for itself", kinds(auth::kRbacGroup, {"roles", "clusterroles"}), 400, rules_of_role,
       rules_of_role},
      {"Subjects", "each for itself", kinds(auth::kRbacGroup, {"rolebindings", "clusterrolebindings"}), 400, subjects},
      {"Restrictions", "one requirement after the other", kinds(catalog, {"clusterservicebrokers", "servicebrokers"}),
       2000, broker},
      {"Offers", "their secrets are compared with those before",
       kinds(catalog, {"clusterserviceclasses", "serviceclasses", "clusterserviceplans", "serviceplans"}), 1600, offer,
       offer},
      {"SecretsOfParameters", "they are compared with those before",
       kinds(catalog, {"serviceinstances", "servicebindings"}), 600, [](size_t n) { return from_secrets(n); },
       [](size_t n) { return from_secrets(n); }},
      {"SecretsPermitted",
       "each is one of the many that the user may get",
       kinds(catalog, {"serviceinstances", "servicebindings"}),
       4000,
       [](size_t n) { return from_secrets(n); },
       {},
       {},
       rights_to_secrets},
      {"SecretsRefused",
       "none is among the many that the user may get",
       kinds(catalog, {"serviceinstances", "servicebindings"}),
       4000,
       [](size_t n) { return from_secrets(n); },
       {},
       {},
       rights_to_other_secrets},
      {"OneSecretRefused",
       "again and again",
       kinds(catalog, {"serviceinstances", "servicebindings"}),
       4000,
       from_one_secret,
       {},
       {},
       rights_to_other_secrets},
      {"SecretsOfManyNamespaces",
       "what holds in the whole cluster is read once",
       kinds(catalog, {"servicebindings"}),
       4000,
       from_secrets_of_namespaces,
       {},
       {},
       rights_to_secrets},
      {"DefaultsFromSecrets",
       "the same for what a class or plan copies",
       kinds(catalog, {"clusterserviceclasses", "serviceclasses", "clusterserviceplans", "serviceplans"}),
       4000,
       offer,
       {},
       {},
       rights_to_secrets},
      {"Selector",
       "each requirement for itself",
       {"settings.svcat.k8s.io/podpresets"},
       800,
       [](size_t n) { return object(fmt::format(R"("spec":{{"selector":{}}})", selector(n))); }},
      {"ClaimClassSelector", "each requirement for itself", claims, 400,
       [](size_t n) {
         return object(fmt::format(R"("spec":{{"classSelector":{}}})", selector(n)),
                       R"("finalizers":)" + list(n, R"("example.com/f{}")"));
       }},
      {"KindsOfClaims",
       "each is looked for among the kinds there are and among the defaults of other classes",
       {"core.crossplane.io/resourceclasses"},
       400,
       resource_class,
       {},
       [](size_t n) {
         std::vector<Stored> out;
         for (size_t i = 0; i < n; ++i) {
           out.push_back({"apiextensions.k8s.io/customresourcedefinitions",
                          fmt::format(R"({{"metadata":{{"name":"d{}","labels":{{"core.crossplane.io/claim":"true"}}}},
                              "spec":{{"group":"g","names":{{"kind":"K{}"}}}}}})",
                                      i, i)});
           out.push_back({"core.crossplane.io/resourceclasses",
                          fmt::format(R"({{"metadata":{{"name":"c{}","namespace":"here"}}}})", i)});
         }
         return out;
       }},
  };
  return all;
}

// With its binding.
std::vector<json::Value> role_of_user(const std::string& rules) {
  return {document(R"({"kind":"ClusterRole","metadata":{"name":"r"},"rules":)" + rules + "}"),
          document(R"({"kind":"ClusterRoleBinding","metadata":{"name":"b"},"roleRef":{"kind":"ClusterRole","name":"r"},
              "subjects":[{"kind":"User","name":"u"}]})")};
}

class AdmissionGrowth : public ::testing::TestWithParam<Shape> {};

TEST_P(AdmissionGrowth, IsLinear) {
  const auto& shape = GetParam();
  for (const auto& name : shape.kinds) {
    SCOPED_TRACE(name + ": " + shape.reason);
    registry::Kind kind;
    kind.group = name.substr(0, name.find('/'));
    kind.plural = name.substr(name.find('/') + 1);
    auth::User user;
    user.name = "u";
    if (!shape.rules) user.groups.emplace_back(auth::kMasters);  // so that no rule ends before the others have run
    EXPECT_TRUE(is_linear(shape.largest, [&](size_t size) -> Growth::Work {
      auto lookup = std::make_shared<FakeLookup>();
      lookup->add("/namespaces", R"({"metadata":{"name":"here"}})");
      if (shape.stored) {
        for (const auto& other : shape.stored(size)) lookup->add(other.resource, other.object);
      }
      auto policy = std::make_shared<auth::PolicyStore>();
      if (shape.rules) policy->load(role_of_user(shape.rules(size)));
      return [&, lookup, policy, given = document(shape.object(size)),
              old = shape.old ? document(shape.old(size)) : json::Value()] {
        KindAdmission admission(*lookup, *policy, system_clock());
        json::Value written = given;
        std::vector<std::string> warnings;
        registry::AdmissionRequest request;
        request.kind = &kind;
        request.ns = "here";
        request.name = "n";
        request.user = &user;
        request.object = &written;
        request.warnings = &warnings;
        if (shape.old) {
          request.operation = registry::Operation::kUpdate;
          request.old = &old;
        }
        EXPECT_TRUE(admission.mutate(request).ok());
        meta::FieldErrors errors;
        (void)admission.validate(request, errors);
      };
    }));
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, AdmissionGrowth, ::testing::ValuesIn(shapes()),
                         [](const auto& shape) { return shape.param.name; });

// The cost of a new kind's rules is looked at when they are written.
TEST(AdmissionGrowthTable, EveryKindWithRulesHasAShape) {
  std::set<std::string> kinds;
  for (const auto& shape : shapes()) kinds.insert(shape.kinds.begin(), shape.kinds.end());
  for (const auto& rules : all_rules()) {
    EXPECT_TRUE(kinds.contains(fmt::format("{}/{}", rules.group, rules.plural))) << rules.plural << "." << rules.group;
  }
}

}  // namespace
}  // namespace chandler::admission
