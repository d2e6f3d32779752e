// Patches of every kind, and updates: what they do to an object that is as large as they are, so that work that grows
// with patch times object shows.
#include <iterator>
#include <set>
#include <string>

#include "cost/cost_lab.h"
#include "cost/shapes.h"

namespace chandler::cost {
namespace {

constexpr std::string_view kJson = "application/json-patch+json";
constexpr std::string_view kMerge = "application/merge-patch+json";
constexpr std::string_view kStrategic = "application/strategic-merge-patch+json";
constexpr std::string_view kApply = "application/apply-patch+yaml";

Message patch(std::string_view type, std::string_view path, std::string body) {
  return {Method::kPatch, fmt::format("{}?dryRun=All&fieldManager=tester", path), std::move(body), std::string(type)};
}

constexpr std::string_view kMaps = "/api/v1/namespaces/ns/configmaps";
constexpr std::string_view kSmall = "/api/v1/namespaces/ns/configmaps/small";
constexpr std::string_view kDeployments = "/apis/apps/v1/namespaces/ns/deployments";

class CostOfPatches : public ::testing::Test {
 protected:
  CostOfPatches() { lab_.create(kMaps, "{apiVersion: v1, kind: ConfigMap, metadata: {name: small}}"); }

  static std::string name_of(size_t n) { return fmt::format("of-{}", n); }

  // The path of a ConfigMap with the members k0, k1 and so on, each "v"; it is made once.
  std::string map_of(size_t n) {
    if (maps_.insert(n).second) {
      lab_.create(kMaps,
                  fmt::format(R"({{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"{}"}},"data":{{{}}}}})",
                              name_of(n), numbered(n, R"("k{0}":"v")")));
    }
    return fmt::format("{}/{}", kMaps, name_of(n));
  }
  // Likewise of a Deployment whose container c has the variables K0, K1 and so on.
  std::string deployment_of(size_t n) {
    if (deployments_.insert(n).second) {
      lab_.create(
          kDeployments,
          fmt::format(R"({{"apiVersion":"apps/v1","kind":"Deployment","metadata":{{"name":"{}"}},"spec":)"
                      R"({{"selector":{{"matchLabels":{{"a":"b"}}}},"template":{{"metadata":{{"labels":{{"a":"b"}}}},)"
                      R"("spec":{{"containers":[{{"name":"c","image":"i","env":[{}]}}]}}}}}}}})",
                      name_of(n), numbered(n, R"({{"name":"K{0}","value":"v"}})")));
    }
    return fmt::format("{}/{}", kDeployments, name_of(n));
  }

  CostLab lab_;

 private:
  std::set<size_t> maps_;
  std::set<size_t> deployments_;
};

TEST_F(CostOfPatches, GrowsWithOperations) {
  const auto operations = [](std::string_view begin, std::string_view pattern) {
    return [=](size_t n) { return patch(kJson, kSmall, fmt::format("[{}{}]", begin, numbered(n, pattern))); };
  };
  const std::string list = R"({"op":"add","path":"/metadata/finalizers","value":["a.example/f"]},)";
  lab_.check({
      {"add members", "the plain case", 8'000, 200,
       operations(R"({"op":"add","path":"/data","value":{}},)", R"({{"op":"add","path":"/data/k{0}","value":"v"}})")},
      {"remove members", "each closes a gap", 8'000, 200,
       [&](size_t n) {
         return patch(kJson, map_of(n), "[" + numbered(n, R"({{"op":"remove","path":"/data/k{0}"}})") + "]");
       }},
      {"tests", "each compares", 8'000, 200,
       [&](size_t n) {
         return patch(kJson, map_of(n), "[" + numbered(n, R"({{"op":"test","path":"/data/k{0}","value":"v"}})") + "]");
       }},
      {"add in front", "each moves the whole list, one memmove", 2'000, 200,
       operations(list, R"({{"op":"add","path":"/metadata/finalizers/0","value":"a.example/f{0}"}})")},
      {"append", "the end of a list", 8'000, 200,
       operations(list, R"({{"op":"add","path":"/metadata/finalizers/-","value":"a.example/f{0}"}})")},
      {"replace one member", "the last one counts", 8'000, 200,
       operations(R"({"op":"add","path":"/data","value":{"k":"v"}},)",
                  R"({{"op":"replace","path":"/data/k","value":"v{0}"}})")},
  });
}

TEST_F(CostOfPatches, GrowsWithMembers) {
  lab_.check({
      {"merge: new members", "the plain case", 40'000, 200,
       [](size_t n) { return patch(kMerge, kSmall, R"({"data":{)" + numbered(n, R"("k{0}":"v")") + "}}"); }},
      {"merge: nulls", "each removes one", 20'000, 200,
       [&](size_t n) { return patch(kMerge, map_of(n), R"({"data":{)" + numbered(n, R"("k{0}":null)") + "}}"); }},
      {"merge: unknown members", "each is removed again", 40'000, 200,
       [](size_t n) { return patch(kMerge, kSmall, "{" + numbered(n, R"("u{0}":"v")") + "}"); }},
      {"strategic: new members", "the plain case", 40'000, 200,
       [](size_t n) { return patch(kStrategic, kSmall, R"({"data":{)" + numbered(n, R"("k{0}":"v")") + "}}"); }},
      {"strategic: kept members", "every second one goes", 20'000, 200,
       [&](size_t n) {
         return patch(kStrategic, map_of(n), R"({"data":{"$retainKeys":[)" + numbered(n / 2, R"("k{0}")") + "]}}");
       }},
      {"apply: members", "each is owned", 40'000, 200,
       [](size_t n) {
         return patch(kApply, kSmall,
                      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"small"},"data":{)" +
                          numbered(n, R"("k{0}":"v")") + "}}");
       }},
      {"apply: conflicts", "each is a cause", 20'000, 409,
       [&](size_t n) {
         return patch(kApply, map_of(n),
                      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name_of(n) + R"("},"data":{)" +
                          numbered(n, R"("k{0}":"w")") + "}}");
       }},
      {"apply: unknown members", "each is named", 40'000, 400,
       [](size_t n) {
         return patch(kApply, kSmall,
                      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"small"},)" +
                          numbered(n, R"("u{0}":"v")") + "}");
       }},
  });
}

TEST_F(CostOfPatches, GrowsWithItemsOfLists) {
  const auto container = [&](size_t n, std::string_view members) {
    return patch(kStrategic, deployment_of(n),
                 fmt::format(R"({{"spec":{{"template":{{"spec":{{"containers":[{{"name":"c",{}}}]}}}}}}}})", members));
  };
  lab_.check({
      {"merged by key", "each finds its item", 5'000, 200,
       [&](size_t n) { return container(n, R"("env":[)" + numbered(n, R"({{"name":"K{0}","value":"w"}})") + "]"); }},
      {"added by key", "none is there yet", 5'000, 200,
       [&](size_t n) { return container(n, R"("env":[)" + numbered(n, R"({{"name":"N{0}","value":"w"}})") + "]"); }},
      {"removed by key", "each closes a gap", 4'992, 200,
       [&](size_t n) {
         return container(n, R"("env":[)" + numbered(n, R"({{"name":"K{0}","$patch":"delete"}})") + "]");
       }},
      {"in an order", "each finds its position", 5'000, 200,
       [&](size_t n) {
         return container(n, R"("$setElementOrder/env":[)" + repeat(n, [&](size_t i) {
                               return fmt::format(R"({{"name":"K{}"}})", n - 1 - i);
                             }) + "]");
       }},
      {"one element repeated", "each time all of it is merged; refused at the bound on that", 5'600, 413,
       [&](size_t n) {
         const std::string_view members[] = {R"("env":[{"name":"K1"}])", R"("$setElementOrder/env":[{"name":"K1"}])",
                                             R"("$deleteFromPrimitiveList/env":["x"])"};
         return patch(kStrategic, deployment_of(n),
                      R"({"spec":{"template":{"spec":{"containers":[)" + repeat(n, [&](size_t i) {
                        return fmt::format(R"({{"name":"c",{}}})", members[i % std::size(members)]);
                      }) + "]}}}}");
       }},
      {"applied by key", "each is owned", 5'000, 200,
       [&](size_t n) {
         auto message = patch(kApply, deployment_of(n),
                              R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":")" + name_of(n) +
                                  R"("},"spec":{"template":{"spec":{"containers":[{"name":"c","env":[)" +
                                  numbered(n, R"({{"name":"K{0}","value":"w"}})") + "]}]}}}}");
         message.target += "&force=true";
         return message;
       }},
  });
}

TEST_F(CostOfPatches, GrowsWithTheObjectThatReplaces) {
  const auto put = [&](size_t n, std::string_view metadata, std::string_view data) {
    return Message{Method::kPut, fmt::format("{}?dryRun=All", map_of(n)),
                   fmt::format(R"({{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"{}"{}}},"data":{{{}}}}})",
                               name_of(n), metadata, data)};
  };
  lab_.check({
      {"the same members", "nothing changes owner", 20'000, 200,
       [&](size_t n) { return put(n, "", numbered(n, R"("k{0}":"v")")); }},
      {"changed members", "each changes owner", 20'000, 200,
       [&](size_t n) { return put(n, "", numbered(n, R"("k{0}":"w")")); }},
      {"other members", "each changes owner", 20'000, 200,
       [&](size_t n) { return put(n, "", numbered(n, R"("n{0}":"w")")); }},
      {"records of others", "each manager's record is read", 4'000, 200,
       [&](size_t n) {
         return put(n,
                    R"(,"managedFields":[)" +
                        numbered(n, R"({{"manager":"m{0}","operation":"Apply","apiVersion":"v1","fieldsType":)"
                                    R"("FieldsV1","fieldsV1":{{"f:data":{{"f:k{0}":{{}}}}}}}})") +
                        "]",
                    R"("k1":"w")");
       }},
  });
}

}  // namespace
}  // namespace chandler::cost
