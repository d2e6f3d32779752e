// doctor, completion, version, help, install plugin.
#include <unistd.h>

#include <filesystem>

#include <gtest/gtest.h>

#include "svcat/catalog_objects_fixture.h"
#include "svcat/claims/claim_objects_fixture.h"
#include "svcat/fake_server_fixture.h"
#include "svcat/program/doctor.h"
#include "svcat/usagekinds/usage_objects_fixture.h"

namespace chandler::svcat {
namespace {

using namespace testing;

Objects objects(std::string_view yaml) { return json::parse_yaml_stream(yaml).value(); }
const WallTime kNow(std::chrono::seconds(1'700'000'000));  // 2023-11-14T22:13:20Z

TEST(Doctor, FindsBrokersThatFail) {
  EXPECT_TRUE(check_brokers(objects(kBrokers)).empty());
  const auto findings = check_brokers(objects(R"(
kind: ClusterServiceBroker
metadata: {name: bad}
status: {conditions: [{type: Ready, status: "False", reason: ErrorFetchingCatalog, message: connection refused}], problems: [two plans are called x]}
---
kind: ServiceBroker
metadata: {name: new, namespace: dev}
)"));
  ASSERT_EQ(findings.size(), 3u);
  EXPECT_EQ(findings[0].what, "broker bad is not ready: ErrorFetchingCatalog - connection refused");
  EXPECT_EQ(findings[0].helps,
            "svcat describe broker bad --cluster; when it is mended: svcat sync broker bad --cluster");
  EXPECT_NE(findings[1].what.find("two plans are called x"), std::string::npos);
  EXPECT_NE(findings[2].what.find("no controller has looked at it"), std::string::npos);
}

TEST(Doctor, FindsDefaultsThatDoNotDecide) {
  EXPECT_TRUE(check_defaults(objects(kPlans)).empty());
  const auto plan = [](std::string_view name, std::string_view type, std::string_view marks, std::string_view ns = "") {
    return fmt::format(
        "kind: {}\nmetadata: {{name: {}, {}annotations: {{{}}}}}\nspec: {{externalName: {}, serviceType: {}}}\n---\n",
        ns.empty() ? "ClusterServicePlan" : "ServicePlan", name, ns.empty() ? "" : fmt::format("namespace: {}, ", ns),
        marks, name, type);
  };
  const std::string marked = R"(servicecatalog.kubernetes.io/is-default-plan: "true")";
  const std::string suggested = R"(servicecatalog.kubernetes.io/is-suggested-plan: "true")";
  const auto findings = check_defaults(
      objects(plan("a", "two", marked) + plan("b", "two", marked) + plan("c", "hint", suggested) +
              plan("d", "hint", suggested) + plan("e", "none", "") + plan("f", "one", marked) +
              plan("g", "one", "", "dev") + plan("h", "one", suggested, "dev") + plan("i", "one", suggested, "dev")));
  ASSERT_EQ(findings.size(), 3u);
  EXPECT_EQ(findings[0].what, "type hint has no default plan and 2 suggested ones in the cluster: c (c), d (d)");
  EXPECT_EQ(findings[1].what, "type none has no default plan in the cluster: people must name class and plan");
  EXPECT_EQ(findings[1].helps, "svcat set plan e --cluster --kube-name --default");
  EXPECT_EQ(findings[2].what, "type two has 2 default plans in the cluster, so it cannot be used alone: a (a), b (b)");
}

TEST(Doctor, FindsClassesWithoutABroker) {
  EXPECT_TRUE(check_orphans(objects(kClasses), objects(kBrokers)).empty());
  const auto findings = check_orphans(objects(R"(
kind: ServiceClass
metadata: {name: mine, namespace: dev}
spec: {serviceBrokerName: azure, externalName: mine}
)"),
                                      objects(kBrokers));
  ASSERT_EQ(findings.size(), 1u) << "azure is a broker of the cluster, not of the namespace";
  EXPECT_EQ(findings[0].helps, "svcat register azure -n dev --url URL, or: kubectl delete serviceclass mine -n dev");
}

TEST(Doctor, FindsWhatIsStuckAndWhatExpires) {
  EXPECT_TRUE(check_instances(objects(kInstance), kNow).empty());
  const auto stuck = check_instances(objects(R"(
kind: ServiceInstance
metadata: {name: a, namespace: dev, deletionTimestamp: "2023-11-14T20:00:00Z"}
---
kind: ServiceInstance
metadata: {name: b, namespace: dev, creationTimestamp: "2023-11-14T20:00:00Z"}
---
kind: ServiceInstance
metadata: {name: c, namespace: dev, creationTimestamp: "2023-11-14T22:13:00Z"}
)"),
                                     kNow);
  ASSERT_EQ(stuck.size(), 2u);
  EXPECT_EQ(stuck[0].helps,
            "svcat explain instance a -n dev; when its broker is gone for good: svcat deprovision a -n dev --abandon");
  EXPECT_NE(stuck[1].what.find("does one run?"), std::string::npos);
  const auto expiring = check_bindings(objects(R"(
kind: ServiceBinding
metadata: {name: x, namespace: dev}
spec: {instanceRef: {name: db}}
status: {expirationTime: "2023-11-16T00:00:00Z", conditions: [{type: Ready, status: "True"}]}
---
kind: ServiceBinding
metadata: {name: y, namespace: dev}
status: {expirationTime: "2024-11-16T00:00:00Z", conditions: [{type: Ready, status: "True"}]}
)"),
                                       kNow);
  ASSERT_EQ(expiring.size(), 1u);
  EXPECT_EQ(expiring[0].what, "the credentials of binding dev/x expire 2023-11-16 00:00:00 +0000 UTC");
}

TEST(Doctor, FindsWhatIsStuckInTheOtherFamilies) {
  const auto shown = [](const Findings& findings) {
    std::string text;
    for (const auto& finding : findings) text += finding.what + "\n  " + finding.helps + "\n";
    return text;
  };
  EXPECT_EQ(shown(check_usages(objects(kUsage), kNow)), "");
  EXPECT_EQ(
      shown(check_usages(objects(R"(
kind: ServiceBindingUsage
metadata: {name: waits, namespace: dev, creationTimestamp: "2023-11-14T20:00:00Z"}
status: {conditions: [{type: Ready, status: "False", reason: BindingNotReady, message: binding db is not ready.}]}
---
kind: ServiceBindingUsage
metadata: {name: new, namespace: dev, creationTimestamp: "2023-11-14T22:13:00Z"}
---
kind: ServiceBindingUsage
metadata: {name: goes, namespace: dev, deletionTimestamp: "2023-11-14T20:00:00Z"}
)"),
                         kNow)),
      "usage dev/waits delivers nothing: BindingNotReady - binding db is not ready\n"
      "  svcat describe usage waits -n dev\n"
      "usage dev/goes has been waiting to be deleted since 2023-11-14 20:00:00 +0000 UTC: no controller has looked "
      "at it; does one run?\n"
      "  svcat describe usage goes -n dev\n");
  EXPECT_EQ(shown(check_usage_kinds(objects(kUsageKinds))), "") << "one that nobody has looked at yet is no fault";
  EXPECT_EQ(shown(check_usage_kinds(objects(R"(
kind: UsageKind
metadata: {name: function}
status: {conditions: [{type: Ready, status: "False", reason: KindNotServed, message: there are no functions}]}
)"))),
            "usagekind function cannot be used: KindNotServed - there are no functions\n"
            "  svcat test usagekind function\n");
  EXPECT_EQ(
      shown(check_claims(objects(kClaims), "nosqlinstance.storage.crossplane.io", kNow - std::chrono::hours(9))),
      "NoSQLInstance demo/dynamo-claim has no class: NoDefaultClass - No class is the default @ 2023-11-14 20:13:20 "
      "+0000 UTC\n"
      "  svcat set resourceclass NAME -n NAMESPACE --default-for nosqlinstance.storage.crossplane.io; more: svcat "
      "explain claim nosqlinstance.storage.crossplane.io dynamo-claim -n demo\n");
  EXPECT_EQ(shown(check_volume_claims(objects(R"(
kind: PersistentVolumeClaim
metadata: {name: wrong, namespace: dev, creationTimestamp: "2023-11-14T20:00:00Z"}
status: {phase: Pending, conditions: [{type: Bound, status: "False", reason: Unsatisfiable, message: no such zone}]}
---
kind: PersistentVolumeClaim
metadata: {name: patient, namespace: dev, creationTimestamp: "2023-11-14T20:00:00Z"}
status: {phase: Pending, conditions: [{type: Bound, status: "False", reason: WaitForFirstConsumer, message: later}]}
---
kind: PersistentVolumeClaim
metadata: {name: lonely, namespace: dev, creationTimestamp: "2023-11-14T20:00:00Z"}
---
kind: PersistentVolumeClaim
metadata: {name: young, namespace: dev, creationTimestamp: "2023-11-14T22:13:00Z"}
---
kind: PersistentVolumeClaim
metadata: {name: lost, namespace: dev, creationTimestamp: "2023-11-14T20:00:00Z"}
spec: {volumeName: pv-1}
status: {phase: Lost}
)"),
                                      kNow)),
            "volume claim dev/wrong has no volume: Unsatisfiable - no such zone\n  svcat explain pvc wrong -n dev\n"
            "volume claim dev/lonely has no volume, and nobody says why; does a controller run?\n"
            "  svcat explain pvc lonely -n dev\n"
            "volume claim dev/lost has lost its volume pv-1\n  svcat explain pvc lost -n dev\n");
}

TEST(Doctor, LooksAtTheOtherFamiliesWhereTheServerHasThem) {
  Shell shell;
  for (const auto yaml : {kBrokers, kPlans, kUsageKinds, kUsage, kClaims}) shell.server.put(yaml);
  EXPECT_EQ(shell.run("doctor -n demo"), 1);
  EXPECT_NE(shell.out.find("* NoSQLInstance demo/dynamo-claim has no class"), std::string::npos) << shell.out;
  EXPECT_NE(shell.out.find("* Queue demo/jobs does not have what it asked for: no controller"), std::string::npos)
      << "also of a kind that an operator defined: " << shell.out;
  EXPECT_EQ(shell.out.find("usage"), std::string::npos) << shell.out;
}

TEST(Doctor, SaysWhetherSomethingIsWrong) {
  Shell shell;
  for (const auto yaml : {kBrokers, kPlans}) shell.server.put(yaml);
  EXPECT_EQ(shell.run("doctor"), 0) << shell.out;
  EXPECT_EQ(shell.out, "Nothing is wrong: 4 objects were checked.\n");
  shell.server.put(R"(
apiVersion: v1
kind: ConfigMap
metadata: {name: abandoned-1, namespace: kube-system, labels: {servicecatalog.kubernetes.io/abandoned: "true"}}
data: {broker: azure, instanceID: i-7, namespace: dev, name: db, time: "2023-11-14T20:00:00Z"}
)");
  EXPECT_EQ(shell.run("doctor"), 1);
  EXPECT_NE(shell.out.find("* broker azure may still have instance i-7 of dev/db"), std::string::npos) << shell.out;
  EXPECT_TRUE(shell.out.ends_with("1 problem found in 5 objects.\n")) << shell.out;
}

TEST(Completion, OffersCommandsFlagsAndNames) {
  const struct {
    std::vector<std::string> words;
    const char* offers;
    const char* reason;
  } rows[] = {
      {{"pro"}, "provision\nprovision-volume\n", "verbs"},
      {{"get", "cl"}, "claims\nclasses\n", "nouns"},
      {{"describe", "class", "azure-m"}, "azure-mysql\n", "names from the server"},
      {{"describe", "instance", ""}, "mydb\n", "instances of the namespace"},
      {{"provision", "x", "--type", "my"}, "mysql\n", "types"},
      {{"provision", "x", "--pl"}, "--plan\n", "flags"},
      {{"get", "plans", "-o", "j"}, "json\njsonpath=\n", "words of a flag"},
      {{"describe", "instance", "mydb", ""}, "", "no second name"},
      {{"completion", "z"}, "zsh\n", "shells"},
      {{"nonsense", "x"}, "", "nothing for what is unknown"},
      {{""}, nullptr, "verbs again, all of them"},
      {{"-n", "default", "describe", "instance", ""}, "mydb\n", "flags in front"},
      {{"--context", "x", "get", "cl"}, "claims\nclasses\n", "flags in front of a noun"},
      {{"get", "--cluster", "cl"}, "claims\nclasses\n", "flags between verb and noun"},
      {{"--conte"}, "--context\n", "flags without a command"},
      {{"provision", "x", "--type=my"}, "--type=mysql\n", "values behind ="},
      {{"provision", "x", "--type", "=", "my"}, "--type=mysql\n", "the same as bash cuts it"},
      {{"get", "plans", "--output", "="},
       "--output=custom-columns=\n--output=json\n--output=jsonpath=\n--output=name\n--output=table\n--output=wide\n"
       "--output=yaml\n",
       "all values"},
      {{"describe", "plan", "azure-mysql/b"}, "azure-mysql/basic50\n", "plans of a class"},
      {{"provision", "x", "--class", "azure-mysql", "--plan", ""}, "basic50\npremium-p1\n", "plans of that class only"},
      {{"relist", "br"}, "broker\n", "older words"},
  };
  for (const auto& row : rows) {
    Shell shell;
    for (const auto yaml : {kClasses, kPlans, kMysql, kInstance}) shell.server.put(yaml);
    std::vector<std::string> words{"__complete", "--"};
    words.insert(words.end(), row.words.begin(), row.words.end());
    EXPECT_EQ(shell.run(words), 0) << row.reason;
    if (row.offers != nullptr) {
      EXPECT_EQ(shell.out, row.offers) << row.reason;
    } else {
      EXPECT_GT(split(shell.out, '\n').size(), 10u) << row.reason;
    }
  }
  Shell shell;
  EXPECT_EQ(shell.run({"__complete", "--", "get", "plans", "--kubeconfig", ""}), 10)
      << "files are the shell's business";
  EXPECT_EQ(shell.run({"__complete", "--", "--kubeconfig=/tm"}), 10);
  for (const std::string name : {"bash", "zsh", "fish"}) {
    EXPECT_EQ(shell.run("completion " + name), 0);
    EXPECT_NE(shell.out.find("__complete"), std::string::npos) << name;
  }
}

TEST(Version, ShowsClientAndServer) {
  Shell shell;
  EXPECT_EQ(shell.run("version"), 0);
  EXPECT_EQ(shell.out, "Client Version: v1.2.3\nServer Version: v1.30.0+chandler.test\n");
  shell.server.take_requests();
  EXPECT_EQ(shell.run("version -c"), 0);
  EXPECT_TRUE(shell.server.take_requests().empty());
}

TEST(Help, IsThereForEverything) {
  Shell shell;
  EXPECT_EQ(shell.run(""), 0);
  EXPECT_NE(shell.out.find("provision"), std::string::npos);
  EXPECT_EQ(shell.out.find("__complete"), std::string::npos) << "hidden";
  EXPECT_EQ(shell.run("get"), 2);
  EXPECT_EQ(shell.run("get --help"), 0);
  EXPECT_EQ(shell.run("provision -h"), 0);
  EXPECT_NE(shell.out.find("Usage:\n  svcat provision NAME [flags]"), std::string::npos);
  EXPECT_EQ(shell.run("help describe plan"), 0);
  EXPECT_NE(shell.out.find("--show-schemas"), std::string::npos);
  EXPECT_EQ(shell.run("--context x -n dev get classes"), 0) << "flags may stand in front";
  EXPECT_NE(shell.server.take_requests().back().find("/namespaces/dev/"), std::string::npos);
  EXPECT_EQ(shell.run("get --cluster classes"), 0) << "or between verb and noun: " << shell.err;
  EXPECT_NE(shell.server.take_requests().back().find("/clusterserviceclasses"), std::string::npos);
}

TEST(InstallPlugin, LeavesALinkForKubectl) {
  Shell shell;
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("svcat-plugin-{}", getpid());
  shell.variables["PATH"] = "/bin:" + folder.string();
  for (int twice = 0; twice < 2; ++twice) {
    ASSERT_EQ(shell.run("install plugin --plugins-path " + folder.string()), 0) << shell.err;
    EXPECT_EQ(std::filesystem::read_symlink(folder / "kubectl-svcat"), "/opt/svcat");
    EXPECT_EQ(shell.err, "");
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace chandler::svcat
