// Bodies of Kubernetes' own kinds: every list and map that a client can make as long as a body allows.
#include "cost/cost_lab.h"
#include "cost/shapes.h"

namespace chandler::cost {
namespace {

Message config_map(std::string_view members) {
  return create("/api/v1/namespaces/ns/configmaps",
                fmt::format(R"({{"apiVersion":"v1","kind":"ConfigMap",{}}})", members));
}
Message named_config_map(std::string_view metadata) {
  return config_map(fmt::format(R"("metadata":{{"name":"c",{}}})", metadata));
}

Message pod(std::string_view members, std::string_view container = "") {
  return create("/api/v1/namespaces/ns/pods",
                fmt::format(R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"p"}},)"
                            R"("spec":{{{}"containers":[{{"name":"c","image":"i"{}}}]}}}})",
                            members, container));
}

TEST(CostOfBodies, GrowsWithMembersThatAreKnownUnknownOrNull) {
  CostLab lab;
  lab.check({
      {"data", "the plain case", 80'000, 201,
       [](size_t n) {
         return config_map(R"("metadata":{"name":"c"},"data":{)" + numbered(n, R"("k{0}":"v{0}")") + "}");
       }},
      {"unknown members", "each is removed", 80'000, 201,
       [](size_t n) { return config_map(R"("metadata":{"name":"c"},)" + numbered(n, R"("unknown{0}":"v")")); }},
      {"unknown members, strict", "each is reported", 80'000, 400,
       [](size_t n) {
         auto message = config_map(R"("metadata":{"name":"c"},)" + numbered(n, R"("unknown{0}":"v")"));
         message.target += "&fieldValidation=Strict";
         return message;
       }},
      {"unknown members of metadata", "each is removed", 80'000, 201,
       [](size_t n) { return named_config_map(numbered(n, R"("unknown{0}":"v")")); }},
      {"unknown members of items", "each is removed from its item", 40'000, 201,
       [](size_t n) {
         return pod(R"("volumes":[)" + numbered(n, R"({{"name":"v{0}","emptyDir":{{}},"x":1}})") + "],");
       }},
      {"null values", "each counts as absent", 80'000, 201,
       [](size_t n) {
         return config_map(R"("metadata":{"name":"c"},"data":{)" + numbered(n, R"("k{0}":null)") + "}");
       }},
      {"duplicate keys", "each is reported", 80'000, 201,
       [](size_t n) { return config_map(R"("metadata":{"name":"c"},"data":{)" + numbered(n, R"("k":"{0}")") + "}"); }},
      {"pairs of duplicate keys", "each is reported", 80'000, 201,
       [](size_t n) {
         return config_map(R"("metadata":{"name":"c"},"data":{)" + numbered(n / 2, R"("k{0}":"a","k{0}":"b")") + "}");
       }},
      {"invalid keys", "each is a cause", 80'000, 422,
       [](size_t n) {
         return config_map(R"("metadata":{"name":"c"},"data":{)" + numbered(n, R"("k {0}":"v")") + "}");
       }},
      {"values of the wrong type", "the first ends it", 80'000, 400,
       [](size_t n) { return config_map(R"("metadata":{"name":"c"},"data":{)" + numbered(n, R"("k{0}":{0})") + "}"); }},
      {"escapes", "each is decoded", 400'000, 201,
       [](size_t n) {
         return config_map(R"("metadata":{"name":"c"},"data":{"k":")" +
                           repeat(
                               n, [](size_t) { return "\\u00e9"; }, "") +
                           "\"}");
       }},
      {"a long text", "nothing but bytes", 1'000'000, 201,
       [](size_t n) { return config_map(R"("metadata":{"name":"c"},"data":{"k":")" + std::string(n, 'x') + "\"}"); }},
  });
}

TEST(CostOfBodies, GrowsWithMetadata) {
  CostLab lab;
  lab.check({
      {"labels", "each is checked and indexed", 60'000, 201,
       [](size_t n) { return named_config_map(R"("labels":{)" + numbered(n, R"("k{0}":"v{0}")") + "}"); }},
      {"invalid labels", "each is a cause", 60'000, 422,
       [](size_t n) { return named_config_map(R"("labels":{)" + numbered(n, R"("k{0}":"v {0}")") + "}"); }},
      {"annotations", "their sum is bounded", 16'000, 201,
       [](size_t n) { return named_config_map(R"("annotations":{)" + numbered(n, R"("k{0}":"v{0}")") + "}"); }},
      {"finalizers", "a set", 60'000, 201,
       [](size_t n) { return named_config_map(R"("finalizers":[)" + numbered(n, R"("a.example/f{0}")") + "]"); }},
      {"equal finalizers", "a set", 60'000, 201,
       [](size_t n) { return named_config_map(R"("finalizers":[)" + numbered(n, R"("a.example/f")") + "]"); }},
      {"owners", "matched by uid", 20'000, 201,
       [](size_t n) {
         return named_config_map(R"("ownerReferences":[)" +
                                 numbered(n, R"({{"apiVersion":"v1","kind":"Pod","name":"p{0}","uid":"u{0}"}})") + "]");
       }},
      {"owners that control", "only one may", 20'000, 422,
       [](size_t n) {
         return named_config_map(
             R"("ownerReferences":[)" +
             numbered(n, R"({{"apiVersion":"v1","kind":"Pod","name":"p{0}","uid":"u{0}","controller":true}})") + "]");
       }},
      {"managedFields", "a client's own are dropped", 20'000, 201,
       [](size_t n) {
         return named_config_map(R"("managedFields":[)" + numbered(n, R"({{"manager":"m{0}"}})") + "]");
       }},
  });
}

TEST(CostOfBodies, GrowsWithThePartsOfAPod) {
  CostLab lab;
  const auto list = [](std::string_view name, std::string_view item) {
    return [=](size_t n) { return pod(fmt::format(R"("{}":[{}],)", name, numbered(n, item))); };
  };
  const auto of_container = [](std::string_view name, std::string_view item) {
    return [=](size_t n) { return pod("", fmt::format(R"(,"{}":[{}])", name, numbered(n, item))); };
  };
  lab.check({
      {"init containers", "names are unique", 20'000, 201, list("initContainers", R"({{"name":"c{0}","image":"i"}})")},
      {"containers of one name", "each is a cause", 20'000, 422,
       list("initContainers", R"({{"name":"x","image":"i"}})")},
      {"volumes", "names are unique", 30'000, 201, list("volumes", R"({{"name":"v{0}","emptyDir":{{}}}})")},
      {"volumes and mounts", "each mount finds its volume", 10'000, 201,
       [](size_t n) {
         return pod(R"("volumes":[)" + numbered(n, R"({{"name":"v{0}","emptyDir":{{}}}})") + "],",
                    R"(,"volumeMounts":[)" + numbered(n, R"({{"name":"v{0}","mountPath":"/m{0}"}})") + "]");
       }},
      {"mounts without volume", "each is a cause", 20'000, 422,
       of_container("volumeMounts", R"({{"name":"v{0}","mountPath":"/m{0}"}})")},
      {"environment", "names may repeat", 30'000, 201, of_container("env", R"({{"name":"K{0}","value":"v"}})")},
      {"environment of one name", "each is a warning or a cause", 30'000, 422,
       of_container("env", R"({{"name":"K","value":"v"}})")},
      {"references to environment", "each value is expanded later", 30'000, 201,
       of_container("env", R"x({{"name":"K{0}","value":"$(K0)"}})x")},
      {"ports", "numbers are unique", 30'000, 422, of_container("ports", R"({{"containerPort":{0}}})")},
      {"named ports", "names are unique", 20'000, 422,
       of_container("ports", R"({{"name":"p{0}","containerPort":80}})")},
      {"arguments", "plain texts", 60'000, 201, of_container("args", R"("a{0}")")},
      {"tolerations", "each is checked", 20'000, 201,
       list("tolerations", R"({{"key":"k{0}","operator":"Exists","effect":"NoSchedule"}})")},
      {"host aliases", "a list by address", 9'000, 201,
       list("hostAliases", R"({{"ip":"fd00::{0}","hostnames":["h"]}})")},
      {"pull secrets", "a list by name", 30'000, 201, list("imagePullSecrets", R"({{"name":"s{0}"}})")},
      {"scheduling gates", "a list by name", 30'000, 201, list("schedulingGates", R"({{"name":"g{0}"}})")},
  });
}

TEST(CostOfBodies, GrowsWithOtherKinds) {
  CostLab lab;
  const auto service = [](std::string_view ports) {
    return create("/api/v1/namespaces/ns/services",
                  fmt::format(R"({{"apiVersion":"v1","kind":"Service","metadata":{{"name":"s"}},)"
                              R"("spec":{{"selector":{{"a":"b"}},"ports":[{}]}}}})",
                              ports));
  };
  const auto secret = [](std::string_view members) {
    return create("/api/v1/namespaces/ns/secrets",
                  fmt::format(R"({{"apiVersion":"v1","kind":"Secret","metadata":{{"name":"s"}},{}}})", members));
  };
  const auto deployment = [](std::string_view selector, std::string_view labels) {
    return create("/apis/apps/v1/namespaces/ns/deployments",
                  fmt::format(R"({{"apiVersion":"apps/v1","kind":"Deployment","metadata":{{"name":"d"}},"spec":)"
                              R"({{"selector":{{{}}},"template":{{"metadata":{{"labels":{{{}}}}},)"
                              R"("spec":{{"containers":[{{"name":"c","image":"i"}}]}}}}}}}})",
                              selector, labels));
  };
  const auto hooks = [](std::string_view list) {
    return create("/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
                  fmt::format(R"({{"apiVersion":"admissionregistration.k8s.io/v1","kind":)"
                              R"("ValidatingWebhookConfiguration","metadata":{{"name":"w"}},"webhooks":[{}]}})",
                              list));
  };
  const std::string hook =
      R"({{"name":"w{0}.example.com","sideEffects":"None","admissionReviewVersions":["v1"],)"
      R"("clientConfig":{{"url":"https://127.0.0.1:1/"}},)"
      R"("rules":[{{"apiGroups":[""],"apiVersions":["v1"],"resources":["pods"],"operations":["CREATE"]}}]}})";
  lab.check({
      {"service ports", "names and numbers are unique", 20'000, 422,
       [&](size_t n) { return service(numbered(n, R"({{"name":"p{0}","port":80}})")); }},
      {"stringData", "each moves to data", 60'000, 201,
       [&](size_t n) { return secret(R"("stringData":{)" + numbered(n, R"("k{0}":"v{0}")") + "}"); }},
      {"stringData over data", "each replaces one", 30'000, 201,
       [&](size_t n) {
         return secret(R"("data":{)" + numbered(n, R"("k{0}":"dg==")") + R"(},"stringData":{)" +
                       numbered(n, R"("k{0}":"v{0}")") + "}");
       }},
      {"matchLabels", "each must be in the template", 30'000, 201,
       [&](size_t n) {
         const auto labels = numbered(n, R"("k{0}":"v")");
         return deployment(R"("matchLabels":{)" + labels + "}", labels);
       }},
      {"matchExpressions", "each is matched with the template", 20'000, 422,
       [&](size_t n) {
         return deployment(R"("matchExpressions":[)" + numbered(n, R"({{"key":"k{0}","operator":"Exists"}})") + "]",
                           R"("a":"b")");
       }},
      {"values of an expression", "a set", 60'000, 422,
       [&](size_t n) {
         return deployment(
             R"("matchExpressions":[{"key":"k","operator":"In","values":[)" + numbered(n, R"("v{0}")") + "]}]",
             R"("a":"b")");
       }},
      {"webhooks", "names are unique", 256, 201, [&](size_t n) { return hooks(numbered(n, hook)); }},
      {"webhooks of one name", "each is a cause", 8'000, 422,
       [&](size_t n) { return hooks(repeat(n, [&](size_t) { return fmt::format(fmt::runtime(hook), 1); })); }},
  });
}

TEST(CostOfBodies, GrowsInEveryNotation) {
  CostLab lab;
  const auto yaml = [](std::string body) {
    auto message = create("/api/v1/namespaces/ns/configmaps",
                          "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n" + std::move(body));
    message.content_type = "application/yaml";
    return message;
  };
  lab.check({
      {"lines of YAML", "the plain case", 30'000, 201,
       [&](size_t n) {
         return yaml("data:\n" + repeat(
                                     n, [](size_t i) { return fmt::format("  k{0}: v{0}\n", i); }, ""));
       }},
      {"unknown members in YAML", "each is removed", 30'000, 201,
       [&](size_t n) {
         return yaml(repeat(
             n, [](size_t i) { return fmt::format("u{0}: v\n", i); }, ""));
       }},
      {"equal keys in YAML", "each is reported", 30'000, 201,
       [&](size_t n) {
         return yaml("data:\n" + repeat(
                                     n, [](size_t) { return "  k: v\n"; }, ""));
       }},
      {"lines of a block", "one text", 100'000, 201,
       [&](size_t n) {
         return yaml("data:\n  k: |\n" + repeat(
                                             n, [](size_t) { return "    line\n"; }, ""));
       }},
      {"comments in YAML", "passed over", 100'000, 201,
       [&](size_t n) {
         return yaml("data: {}\n" + repeat(
                                        n, [](size_t) { return "# comment\n"; }, ""));
       }},
      {"nested flow in YAML", "refused at a depth", 100'000, 400,
       [&](size_t n) { return yaml("data: " + std::string(n, '[')); }},
      {"nested JSON", "refused at a depth", 1'000'000, 400,
       [&](size_t n) { return config_map("\"a\":" + std::string(n, '[')); }},
  });
}

}  // namespace
}  // namespace chandler::cost
