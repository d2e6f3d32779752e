// What users get wrong, and what they are told: one line on the error stream with a hint, the right exit code, and
// nothing written.
#include <gtest/gtest.h>

#include "svcat/catalog_objects_fixture.h"
#include "svcat/fake_server_fixture.h"

namespace chandler::svcat {
namespace {

using namespace testing;

TEST(BadInput, IsExplainedInOneLine) {
  const struct {
    const char* reason;
    const char* line;
    int code;
    const char* says;
  } rows[] = {
      {"unknown command", "provison x", 2, "there is no command provison; did you mean provision?"},
      {"unknown noun", "get clases", 2, "there is no command get clases; did you mean classes?"},
      {"unknown flag", "get classes --typ redis", 2, "get classes has no flag --typ; did you mean --type?"},
      {"unknown class", "provision x --class azure-mysq --plan basic50", 1,
       "there is no class \"azure-mysq\" in namespace default or the cluster; did you mean azure-mysql?"},
      {"unknown class, nothing similar", "describe class nothing-like-it", 1,
       "there is no class \"nothing-like-it\" in namespace default or the cluster; see svcat get classes --scope all"},
      {"unknown plan", "provision x --class azure-mysql --plan basic5", 1,
       "there is no plan \"basic5\" in class azure-mysql; did you mean basic50?"},
      {"unknown instance", "describe instance mydc", 1,
       "there is no instance \"mydc\" in namespace default; did you mean mydb?"},
      {"unknown instance to bind", "bind mydc", 1,
       "there is no instance \"mydc\" in namespace default; did you mean mydb?"},
      {"unknown broker", "sync broker azur", 1,
       "there is no broker \"azur\" in namespace default or the cluster; did you mean azure?"},
      {"the same class in both scopes", "provision x --class postgres-dev --plan tiny -n dev", 1,
       "2 classes are called \"postgres-dev\""},
      {"the same plan name in two classes", "describe plan basic", 1, "2 plans are called \"basic\""},
      {"malformed JSON", "provision x --type mysql --params-json '{'", 2, "--params-json is no valid JSON"},
      {"JSON of another type", "provision x --type mysql --params-json '[1]'", 2,
       "--params-json must be a JSON object such as '{\"size\": 3}'; it is of type array"},
      {"malformed parameter", "provision x --type mysql --param location", 2, "--param must be NAME=VALUE"},
      {"two ways of parameters", "provision x --type mysql -p a=b --params-json '{}'", 2, "cannot be used together"},
      {"malformed secret", "provision x --type mysql --secret login", 2, "must be SECRET[KEY]"},
      {"no class and no type", "provision x", 2, "provision needs --type, or --class and --plan"},
      {"a plan without a class", "provision x --plan basic50", 2, "--plan needs --class too"},
      {"malformed transform", "set plan basic50 --secret-transform x", 2, "--secret-transform must be FROM=TO"},
      {"impossible transform", "set plan basic50 --secret-transform '[{\"renameKey\":{}}]'", 2, "--secret-transform: "},
      {"missing file", "set plan basic50 --bind-params @/no/such/file", 2, "--bind-params: "},
      {"unknown format", "get classes -o jsn", 2, "-o \"jsn\" is no format (did you mean json?)"},
      {"malformed path", "get classes -o jsonpath='{.x[}'", 2, "-o jsonpath: "},
      {"malformed columns", "get classes -o custom-columns=NAME", 2, "is not TITLE:.path"},
      {"unknown scope", "get classes --scope everywhere", 2, "--scope is cluster, namespace or all"},
      {"contradicting scopes", "get classes --scope namespace --cluster", 2, "contradict each other"},
      {"all is no place to write", "register x --url http://b --scope all", 2, "say cluster or namespace"},
      {"no URL", "register x", 2, "register needs --url"},
      {"a duration of nothing", "register x --url http://b --relist-duration 0s", 2, "must be more than 0"},
      {"unknown shell", "completion csh", 2, "there is bash, zsh and fish"},
      {"create without an original", "create class x", 2, "create class needs --from"},
  };
  for (const auto& row : rows) {
    Shell shell;
    for (const auto yaml : {kBrokers, kClasses, kPlans, kMysql, kInstance}) shell.server.put(yaml);
    shell.server.put(R"(
apiVersion: servicecatalog.k8s.io/v1beta1
kind: ClusterServicePlan
metadata: {name: other-basic}
spec: {clusterServiceBrokerName: azure, clusterServiceClassRef: {name: 2-postgresql}, externalName: basic, externalID: o, description: Other}
)");
    EXPECT_EQ(shell.run(row.line), row.code) << row.reason << ": " << shell.err;
    EXPECT_TRUE(shell.err.starts_with("Error: ")) << row.reason << ": " << shell.err;
    EXPECT_NE(shell.err.find(row.says), std::string::npos) << row.reason << ": " << shell.err;
    EXPECT_EQ(shell.err.find('\n'), shell.err.size() - 1) << row.reason << ": one line";
    EXPECT_EQ(shell.out, "") << row.reason;
    for (const auto& request : shell.server.take_requests())
      EXPECT_TRUE(request.starts_with("GET ")) << row.reason << request;
  }
}

TEST(BadInput, IsNotTheUsersFaultWhenTheServerRefuses) {
  const struct {
    const char* reason;
    int code;
    const char* status_reason;
    const char* message;
    const char* says;
  } rows[] = {
      {"forbidden", 403, "Forbidden", "serviceinstances is forbidden: no",
       "ask for the right with a Role or ClusterRole"},
      {"unauthorized", 401, "Unauthorized", "Unauthorized", "check the user of your kubeconfig"},
      {"not a service catalog", 404, "NotFound", "the server could not find the requested resource",
       "chandler crds | kubectl apply -f -"},
      {"overloaded", 429, "TooManyRequests", "try again later", "try again later"},
  };
  for (const auto& row : rows) {
    Shell shell;
    shell.server.faults["GET "] = FakeServer::status(row.code, row.status_reason, row.message);
    EXPECT_EQ(shell.run("get instances"), 1) << row.reason;
    EXPECT_NE(shell.err.find(row.says), std::string::npos) << row.reason << ": " << shell.err;
  }
  Shell shell;
  shell.server.unreachable = true;
  EXPECT_EQ(shell.run("get instances"), 1);
  EXPECT_NE(shell.err.find("http://fake"), std::string::npos) << shell.err;
}

}  // namespace
}  // namespace chandler::svcat
