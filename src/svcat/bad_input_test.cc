// What users get wrong, and what they are told: one line on the error stream with a hint, the right exit code, and
// nothing written.
#include <gtest/gtest.h>

#include "svcat/catalog_objects_fixture.h"
#include "svcat/claims/claim_objects_fixture.h"
#include "svcat/fake_server_fixture.h"
#include "svcat/storageclasses/storage_objects_fixture.h"
#include "svcat/usagekinds/usage_objects_fixture.h"

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
      {"no name for a class", "create class Not_A_Name --from azure-mysql", 2,
       "\"Not_A_Name\" cannot be the name of a class"},
      {"no name for a plan", "create plan Not_A_Name --from azure-mysql/basic50 --cluster", 2,
       "\"Not_A_Name\" cannot be the name of a plan"},
      {"nobody to use it", "use mydb-admin", 2, "use needs --by KIND/NAME"},
      {"no kind of workload", "use mydb-admin --by web", 2,
       "--by \"web\" must be KIND/NAME, such as --by deployment/web"},
      {"unknown binding to use", "use mydb-admn --by deployment/web", 1,
       "there is no binding \"mydb-admn\" in namespace default; did you mean mydb-admin?"},
      {"unknown kind of workload", "use mydb-admin --by deploymet/web", 1,
       "there is no usagekind \"deploymet\" in the cluster; did you mean deployment?"},
      {"a duration that is none", "use mydb-admin --by deployment/web --wait --timeout soon", 2, "is no duration"},
      {"nothing to end", "unuse", 2, "unuse needs a binding, --by KIND/NAME, or --name"},
      {"two ways to say what ends", "unuse mydb-admin --name x", 2, "cannot be used together"},
      {"a name and a filter", "get usages x --binding y", 2, "cannot be used together"},
      {"unknown usage", "describe usage deployment-web-mydb-admi", 1,
       "there is no usage \"deployment-web-mydb-admi\" in namespace default; did you mean deployment-web-mydb-admin?"},
      {"unknown usagekind", "describe usagekind nothing-like-it", 1,
       "there is no usagekind \"nothing-like-it\" in the cluster; see svcat get usagekinds"},
      {"unknown usagekind to test", "test usagekind functon", 1, "did you mean function?"},
      {"half a workload", "test usagekind function --resource dev/", 2, "must be NAME or NAMESPACE/NAME"},
      {"two workloads", "test usagekind function --resource a --sample b", 2, "cannot be used together"},
      {"a sample that is not there", "test usagekind function --sample /no/such/file", 2, "--sample: "},
      {"unknown kind of claim", "get claims postgres", 1, "there is no kind of claim \"postgres\"; there are Bucket, "},
      {"misspelled kind of claim", "get claims mysqlinstanc", 1, "did you mean mysqlinstance?"},
      {"all kinds cannot be watched", "get claims --watch", 2, "--watch follows one kind"},
      {"a claim without its kind", "describe claim cloud-postgresql-claim", 2, "describe claim"},
      {"unknown claim", "explain claim pgclaim cloud-postgresql-claims -n demo", 1,
       "there is no postgresqlinstance \"cloud-postgresql-claims\" in namespace demo; did you mean "
       "cloud-postgresql-claim?"},
      {"unknown rule", "explain claim pgclaim x --claim-default-policy coin", 2, "is Ambiguous, Newest or Priority"},
      {"nothing to set", "set resourceclass cloud-postgresql", 2, "set resourceclass needs --default-for KIND"},
      {"a default for nothing", "set resourceclass cloud-postgresql --default-for chair -n crossplane-system", 1,
       "there is no kind of claim \"chair\""},
      {"a default that is none", "set resourceclass cloud-postgresql --default-for Bucket --no-default-for bucket", 2,
       "contradict each other"},
      {"unknown resourceclass", "set resourceclass cloud-postgres --default-for Bucket -n crossplane-system", 1,
       "there is no resourceclass \"cloud-postgres\" in namespace crossplane-system; did you mean cloud-postgresql?"},
      {"unknown storageclass", "describe storageclass defaul", 1,
       "there is no storageclass \"defaul\" in the cluster; did you mean default?"},
      {"unknown volume claim", "explain pvc myclam", 1,
       "there is no pvc \"myclam\" in namespace default; did you mean myclaim?"},
      {"a volume without a size", "provision-volume x --class default", 2, "provision-volume needs --size"},
      {"no size", "provision-volume x --size big", 2, "--size \"big\" is no size; write 500Mi, 1Gi or 10Gi"},
      {"less than nothing", "provision-volume x --size=-1Gi", 2, "is no size"},
      {"unknown access mode", "provision-volume x --size 1Gi --access-mode RW", 2, "is not RWO, ROX, RWX or RWOP"},
      {"unknown class of volumes", "provision-volume x --size 1Gi --class defalt", 1, "did you mean default?"},
      {"misspelled property", "provision-volume x --size 1Gi --set zoen=us-east-1a", 2, "did you mean zone?"},
      {"malformed property", "provision-volume x --size 1Gi --set =us-east-1a", 2, "must be KEY=VALUE"},
      {"a value that the class does not allow", "provision-volume x --size 1Gi --set zone=moon", 1,
       "nothing was created, because a claim's selector cannot be changed later"},
  };
  for (const auto& row : rows) {
    Shell shell;
    for (const auto yaml : {kBrokers, kClasses, kPlans, kMysql, kInstance, kBinding, kUsageKinds, kUsage,
                            kResourceClasses, kClaims, kStorageClass, kTypos, kVolumeClaim}) {
      shell.server.put(yaml);
    }
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
  EXPECT_NE(shell.err.find("does it run, and is it the server you mean?"), std::string::npos) << shell.err;
}

}  // namespace
}  // namespace chandler::svcat
