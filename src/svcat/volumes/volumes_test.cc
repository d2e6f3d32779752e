// explain pvc and provision-volume; complete outputs are in tests/golden/svcat.
#include <gtest/gtest.h>

#include "svcat/fake_server_fixture.h"
#include "svcat/storageclasses/storage_objects_fixture.h"
#include "svcat/volumes/selection.h"

namespace chandler::svcat {
namespace {

using namespace testing;

const std::string kClaims = "/api/v1/namespaces/default/persistentvolumeclaims/";

struct Volumes : ::testing::Test {
  Volumes() {
    for (const auto yaml : {kStorageClass, kTypos, kVolumeClaim}) shell.server.put(yaml);
  }
  std::string selector_of(const std::string& name) {
    const auto* claim = shell.server.object(kClaims + name);
    const auto* selector = claim == nullptr ? nullptr : json::find_path(*claim, {"spec", "selector"});
    return selector == nullptr ? "" : json::write(*selector);
  }
  Shell shell;
};

TEST_F(Volumes, AreExplainedWhenTheyCannotBe) {
  shell.server.put(R"(
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: wrong, namespace: default}
spec:
  storageClassName: typos
  resources: {requests: {storage: 1Gi}}
  selector: {matchLabels: {failure-domain.beta.kubernetes.io/zone: us-east-2a, colour: red}}
)");
  ASSERT_EQ(shell.run("explain pvc wrong"), 0) << shell.err;
  for (const auto* says : {"ClassConflict: ", "UnknownSelectorKey: ", "A claim's selector cannot be changed"}) {
    EXPECT_NE(shell.out.find(says), std::string::npos) << says << ":\n" << shell.out;
  }
}

TEST_F(Volumes, SayHowTheirClassWasFound) {
  const struct {
    const char* reason;
    const char* spec;
    const char* says;
  } rows[] = {
      {"the default", "{}", "It names no class; default is the default."},
      {"none on purpose", "{storageClassName: ''}", "It asks for no class"},
      {"one that is gone", "{storageClassName: gone}", "Class gone, which the claim names, does not exist"},
      {"the spelling of the proposal", "{class: typos}", "Class typos, which the claim names."},
  };
  for (const auto& row : rows) {
    shell.server.put(fmt::format(
        "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {{name: c, namespace: default}}\nspec: {}\n",
        row.spec));
    ASSERT_EQ(shell.run("explain pvc c"), 0) << row.reason << shell.err;
    EXPECT_NE(shell.out.find(row.says), std::string::npos) << row.reason << ":\n" << shell.out;
  }
}

TEST_F(Volumes, AreClaimed) {
  EXPECT_EQ(shell.run("provision-volume data --class default --set zone=us-east-1a --size 1Gi"), 0) << shell.err;
  EXPECT_EQ(
      json::write(*json::find(*shell.server.object(kClaims + "data"), "spec")),
      R"({"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}},)"
      R"("selector":{"matchLabels":{"failure-domain.beta.kubernetes.io/zone":"us-east-1a"}},"storageClassName":"default"})");
}

TEST_F(Volumes, AreClaimedFromTheDefaultClass) {
  ASSERT_EQ(shell.run("provision-volume data --size 10Gi --access-mode RWX --access-mode rox -o name"), 0) << shell.err;
  EXPECT_EQ(shell.out, "persistentvolumeclaim/data\n");
  EXPECT_EQ(
      json::write(*json::find(*shell.server.object(kClaims + "data"), "spec")),
      R"({"accessModes":["ReadWriteMany","ReadOnlyMany"],"resources":{"requests":{"storage":"10Gi"}},"storageClassName":"default"})");
}

TEST_F(Volumes, AreShownBeforeTheyAreClaimed) {
  ASSERT_EQ(shell.run("provision-volume data --size 1Gi --set zone=us-east-1a --set enabled --dry-run"), 0)
      << shell.err;
  EXPECT_TRUE(shell.out.starts_with("Dry run: nothing was created.\n")) << shell.out;
  EXPECT_EQ(shell.server.object(kClaims + "data"), nullptr);
}

TEST_F(Volumes, ThatCannotBeMadeAreNotClaimed) {
  EXPECT_EQ(shell.run("provision-volume data --size 1Gi --set zone=us-west-9"), 1);
  EXPECT_NE(shell.err.find("us-east-1a"), std::string::npos) << "names what is allowed: " << shell.err;
  EXPECT_NE(shell.err.find("nothing was created"), std::string::npos) << shell.err;
  EXPECT_EQ(shell.server.object(kClaims + "data"), nullptr);
  EXPECT_EQ(shell.run("provision-volume data --size 1Gi --set zone=us-west-9 --force"), 0) << shell.err;
  EXPECT_EQ(selector_of("data"), R"({"matchLabels":{"failure-domain.beta.kubernetes.io/zone":"us-west-9"}})");
}

TEST_F(Volumes, AreWaitedFor) {
  int pauses = 0;
  shell.pause = [&](std::chrono::milliseconds) {
    if (++pauses == 1) {
      shell.server.put(R"(
apiVersion: v1
kind: Event
metadata: {name: e1, namespace: default}
involvedObject: {kind: PersistentVolumeClaim, name: data}
reason: Provisioning
message: A volume is being made.
)");
      shell.server.object(kClaims + "data")->as_object()["status"] = json::Object{{"phase", "Pending"}};
    } else {
      auto& claim = shell.server.object(kClaims + "data")->as_object();
      claim["status"] = json::Object{{"phase", "Bound"}};
      claim["spec"].as_object()["volumeName"] = "pv-9";
    }
    return true;
  };
  EXPECT_EQ(shell.run("provision-volume data --size 1Gi --wait"), 0) << shell.err;
  EXPECT_EQ(shell.err,
            "pvc data: waiting for the controller (0s)\n"
            "pvc data: Pending - Provisioning: A volume is being made. (0s)\n");
  EXPECT_NE(cells(shell.out).find("Volume: pv-9"), std::string::npos) << shell.out;
  shell.pause = {};
  EXPECT_EQ(shell.run("provision-volume late --size 1Gi --wait --timeout 2s"), 3);
  EXPECT_NE(shell.err.find("pvc late is not bound after"), std::string::npos) << shell.err;
  EXPECT_NE(shell.err.find("svcat explain pvc late -n default"), std::string::npos) << shell.err;
}

TEST_F(Volumes, ThatAreMadeLateAreNotWaitedFor) {
  EXPECT_EQ(shell.run("provision-volume data --class typos --set zone=us-east-1a --size 1Gi --force --wait"), 0)
      << shell.err;
  EXPECT_NE(shell.err.find("The volume is made when a pod uses the claim."), std::string::npos) << shell.err;
}

TEST(Selection, IsBuiltFromWhatPeopleType) {
  std::vector<resolve::SelectorOption> options(3);
  options[0].key = "a.example/zone";
  options[1].key = "b.example/size";
  options[2].key = "c.example/size";
  const struct {
    const char* reason;
    std::vector<std::string> terms;
    const char* selector;  // or what the error says, when it begins with --
  } rows[] = {
      {"nothing", {}, "null"},
      {"one value", {"zone=a"}, R"({"matchLabels":{"a.example/zone":"a"}})"},
      {"the whole key", {"a.example/zone=a"}, R"({"matchLabels":{"a.example/zone":"a"}})"},
      {"several values",
       {"zone=a, b"},
       R"({"matchExpressions":[{"key":"a.example/zone","operator":"In","values":["a","b"]}]})"},
      {"none of them",
       {"zone!=a,b"},
       R"({"matchExpressions":[{"key":"a.example/zone","operator":"NotIn","values":["a","b"]}]})"},
      {"any value", {"zone"}, R"({"matchExpressions":[{"key":"a.example/zone","operator":"Exists"}]})"},
      {"no value", {"!zone"}, R"({"matchExpressions":[{"key":"a.example/zone","operator":"DoesNotExist"}]})"},
      {"an empty value", {"zone="}, R"({"matchLabels":{"a.example/zone":""}})"},
      {"a label of volumes that exist", {"x.example/rack=7"}, R"({"matchLabels":{"x.example/rack":"7"}})"},
      {"two keys end alike", {"size=1"}, "--set size: the class offers b.example/size and c.example/size"},
      {"a typo", {"zoen=a"}, "--set zoen: the class offers no such key (did you mean zone?)"},
      {"twice the same", {"zone=a", "zone=b"}, "--set zone is given twice"},
      {"no key", {"=a"}, "--set \"=a\" must be KEY=VALUE"},
      {"nothing at all", {""}, "--set \"\" must be KEY=VALUE"},
      {"both marks", {"!zone=a"}, "--set \"!zone=a\" must be KEY=VALUE"},
  };
  for (const auto& row : rows) {
    const auto built = build_selector(row.terms, options);
    const auto text = built.ok() ? json::write(*built) : built.error().message;
    EXPECT_TRUE(text.starts_with(row.selector)) << row.reason << ": " << text;
  }
}

TEST_F(Volumes, AreCompleted) {
  const struct {
    const char* line;
    const char* offers;
  } rows[] = {
      {"explain pvc m", "myclaim\n"},
      {"provision-volume x --class t", "typos\n"},
      {"describe storageclass ''", "default\ntypos\n"},
      {"provision-volume x --access-mode RWO", "RWO\nRWOP\n"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(shell.run(std::string("__complete -- ") + row.line), 0) << row.line;
    EXPECT_EQ(shell.out, row.offers) << row.line;
  }
}

}  // namespace
}  // namespace chandler::svcat
