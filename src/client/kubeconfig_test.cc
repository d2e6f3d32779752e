#include "client/kubeconfig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "client/scratch_fixture.h"
#include "support/fake_clock.h"

namespace chandler::client {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::Scratch;

constexpr std::string_view kConfig = R"(
apiVersion: v1
kind: Config
current-context: one
contexts:
- {name: one, context: {cluster: c1, user: u1, namespace: dev}}
- {name: two, context: {cluster: c2, user: u2}}
clusters:
- {name: c1, cluster: {server: "https://one.example:6443/"}}
- {name: c2, cluster: {server: "https://two.example/k8s", insecure-skip-tls-verify: true, tls-server-name: inner}}
users:
- {name: u1, user: {token: t1}}
- {name: u2, user: {username: joe, password: pw}}
)";

class KubeconfigTest : public ::testing::Test {
 protected:
  KubeconfigTest() {
    options.env = [this](const char* name) -> std::optional<std::string> {
      const auto it = env.find(name);
      return it == env.end() ? std::nullopt : std::optional(it->second);
    };
    options.account_directory = scratch.path("account");
  }
  http::ClientRequest request(const Connection& connection) {
    auto made = connection.request("GET", "/api");
    EXPECT_TRUE(made.ok()) << made.error().message;
    return made.ok() ? std::move(*made) : http::ClientRequest();
  }
  // The error of a config with these users and clusters, for context x of cluster c and user u.
  std::string fault(std::string_view cluster, std::string_view user) {
    options.path = scratch.write("faulty",
                                 "{current-context: x, contexts: [{name: x, context: {cluster: c, user: u}}], "
                                 "clusters: [{name: c, cluster: " +
                                     std::string(cluster) + "}], users: [{name: u, user: " + std::string(user) + "}]}");
    const auto made = connect(options, clock);
    return made.ok() ? "" : made.error().message;
  }

  Scratch scratch;
  ::chandler::testing::FakeClock clock;
  std::map<std::string, std::string> env;
  KubeconfigOptions options;
};

TEST_F(KubeconfigTest, TheCurrentContextDecides) {
  options.path = scratch.write("config", kConfig);
  const auto made = connect(options, clock);
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_EQ(made->server, "https://one.example:6443");
  EXPECT_EQ(made->ns, "dev");
  EXPECT_EQ(made->context, "one");
  const auto sent = request(*made);
  EXPECT_EQ(sent.url, "https://one.example:6443/api");
  EXPECT_EQ(sent.headers.get("Authorization"), "Bearer t1");
  EXPECT_FALSE(sent.tls->insecure);
}

TEST_F(KubeconfigTest, ChoicesGoBeforeTheFile) {
  options.path = scratch.write("config", kConfig);
  options.context = "two";
  auto made = connect(options, clock);
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_EQ(made->server, "https://two.example/k8s");
  EXPECT_EQ(made->ns, "default");
  EXPECT_TRUE(request(*made).tls->insecure);
  EXPECT_EQ(request(*made).tls->server_name, "inner");
  EXPECT_EQ(request(*made).headers.get("Authorization"), "Basic " + base64_encode("joe:pw"));
  options.user = "u1";
  options.cluster = "c1";
  options.ns = "mine";
  made = connect(options, clock);
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made->server, "https://one.example:6443");
  EXPECT_EQ(made->ns, "mine");
  EXPECT_EQ(request(*made).headers.get("Authorization"), "Bearer t1");
}

TEST_F(KubeconfigTest, OfSeveralFilesTheFirstWins) {
  const auto first = scratch.write("first", "users: [{name: u1, user: {token: mine}}]");
  const auto second = scratch.write("second", kConfig);
  const auto third = scratch.write("third", "{current-context: two, clusters: [{name: c1, cluster: {server: x}}]}");
  env["KUBECONFIG"] = first + "::" + scratch.path("missing") + ":" + second + ":" + third;
  env["HOME"] = scratch.path();
  const auto made = connect(options, clock);
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_EQ(made->server, "https://one.example:6443");
  EXPECT_EQ(request(*made).headers.get("Authorization"), "Bearer mine");
}

TEST_F(KubeconfigTest, TheHomeDirectoryComesAfterThat) {
  scratch.write(".kube/config", kConfig);
  env["HOME"] = scratch.path();
  const auto made = connect(options, clock);
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_EQ(made->context, "one");
}

TEST_F(KubeconfigTest, InAPodTheServiceAccountIsUsed) {
  EXPECT_THAT(connect(options, clock).error().message, HasSubstr("pass --kubeconfig FILE"));
  env["KUBERNETES_SERVICE_HOST"] = "fd00::1";
  env["KUBERNETES_SERVICE_PORT"] = "443";
  EXPECT_FALSE(connect(options, clock).ok()) << "no token, no pod";
  scratch.write("account/token", "first\n");
  scratch.write("account/ca.crt", "CA");
  scratch.write("account/namespace", "jobs");
  const auto made = connect(options, clock);
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_EQ(made->server, "https://[fd00::1]:443");
  EXPECT_EQ(made->ns, "jobs");
  EXPECT_EQ(request(*made).tls->ca_pem, "CA");
  EXPECT_EQ(request(*made).headers.get("Authorization"), "Bearer first");
  scratch.write("account/token", "second");
  EXPECT_EQ(request(*made).headers.get("Authorization"), "Bearer first") << "a file is read once a minute";
  clock.advance(std::chrono::minutes(1));
  EXPECT_EQ(request(*made).headers.get("Authorization"), "Bearer second");
  std::filesystem::remove(scratch.path("account/token"));
  clock.advance(std::chrono::minutes(1));
  EXPECT_EQ(request(*made).headers.get("Authorization"), "Bearer second") << "what was read stays good";
}

TEST_F(KubeconfigTest, FilesAreFoundBesideTheConfig) {
  scratch.write("sub/ca.pem", "CA");
  scratch.write("sub/cert.pem", "CERT");
  scratch.write("sub/token", "T");
  options.path = scratch.write("sub/config",
                               "{current-context: x, contexts: [{name: x, context: {cluster: c, user: u}}],"
                               "clusters: [{name: c, cluster: {server: 'https://h', certificate-authority: ca.pem}}],"
                               "users: [{name: u, user: {client-certificate: cert.pem, client-key-data: " +
                                   base64_encode("KEY") + ", tokenFile: token, as: jane, as-groups: [a, b]}}]}");
  const auto made = connect(options, clock);
  ASSERT_TRUE(made.ok()) << made.error().message;
  const auto sent = request(*made);
  EXPECT_EQ(sent.tls->ca_pem, "CA");
  EXPECT_EQ(sent.tls->certificate_pem, "CERT");
  EXPECT_EQ(sent.tls->key_pem, "KEY");
  EXPECT_EQ(sent.headers.get("Authorization"), "Bearer T");
  EXPECT_EQ(sent.headers.get("Impersonate-User"), "jane");
  EXPECT_EQ(sent.headers.all("Impersonate-Group").size(), 2u);
}

TEST_F(KubeconfigTest, FaultsNameTheEntryAndTheRemedy) {
  constexpr std::string_view kGood = "{server: 'https://h'}";
  const struct {
    const char* reason;
    std::string_view cluster;
    std::string_view user;
    const char* message;
  } rows[] = {
      {"no server", "{}", "{}", "cluster \"c\" in "},
      {"no URL", "{server: 'h:6443'}", "{}", "https://HOST:PORT"},
      {"user information", "{server: 'https://u:p@h'}", "{}", "no user, query or fragment"},
      {"line end", "{server: \"https://h\\nX\"}", "{}", "https://HOST:PORT"},
      {"proxy", "{server: 'https://h', proxy-url: 'http://p'}", "{}", "proxy-url is not supported"},
      {"both ways", "{server: 'https://h', insecure-skip-tls-verify: true, certificate-authority-data: Q0E=}", "{}",
       "remove one of the two"},
      {"bad base64", "{server: 'https://h', certificate-authority-data: '!'}", "{}", "no valid base64"},
      {"missing file", "{server: 'https://h', certificate-authority: nowhere.pem}", "{}", "nowhere.pem"},
      {"half a pair", kGood, "{client-key-data: S0VZ}", "no client-certificate"},
      {"other half", kGood, "{client-certificate-data: S0VZ}", "no client-key"},
      {"old provider", kGood, "{auth-provider: {name: gcp}}", "use exec"},
      {"two proofs", kGood, "{token: t, exec: {apiVersion: client.authentication.k8s.io/v1, command: x}}",
       "both a token and exec"},
      {"exec version", kGood, "{exec: {apiVersion: client.authentication.k8s.io/v1alpha1, command: x}}",
       "exec.apiVersion"},
      {"exec command", kGood, "{exec: {apiVersion: client.authentication.k8s.io/v1}}", "exec.command"},
      {"exec mode", kGood, "{exec: {apiVersion: client.authentication.k8s.io/v1, command: x}}", "exec.interactiveMode"},
      {"exec args", kGood, "{exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: x, args: [1]}}",
       "exec.args must be strings"},
      {"exec env", kGood, "{exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: x, env: [{value: v}]}}",
       "exec.env"},
      {"header injection", kGood, "{as: \"a\\nb\"}", "control characters"},
  };
  for (const auto& row : rows) EXPECT_THAT(fault(row.cluster, row.user), HasSubstr(row.message)) << row.reason;
  EXPECT_EQ(fault(kGood, "{}"), "") << "no proof at all is allowed: the server decides";
}

TEST_F(KubeconfigTest, NamesThatLeadNowhereAreExplained) {
  options.path = scratch.write("config", kConfig);
  options.context = "oen";
  EXPECT_THAT(connect(options, clock).error().message,
              AllOf(HasSubstr("the context \"oen\""), HasSubstr("did you mean one?"), HasSubstr(options.path)));
  options.context.clear();
  options.user = "nobody";
  EXPECT_THAT(connect(options, clock).error().message, HasSubstr("(there are: u1, u2)"));
  options = {};
  options.path = scratch.write("empty", "");
  EXPECT_THAT(connect(options, clock).error().message, HasSubstr("set current-context"));
  options.path = scratch.path("missing");
  EXPECT_THAT(connect(options, clock).error().message, HasSubstr(options.path));
}

TEST(Kubeconfig, OddFilesAreRefused) {
  const struct {
    const char* reason;
    const char* text;
  } rows[] = {{"no map", "[]"},
              {"no YAML", "{"},
              {"other kind", "{kind: Pod}"},
              {"other version", "{apiVersion: v2}"},
              {"no list", "{users: {}}"},
              {"no name", "{clusters: [{}]}"},
              {"no map inside", "{contexts: [{name: x, context: 3}]}"}};
  for (const auto& row : rows) {
    const auto parsed = parse_kubeconfig(row.text, "the-file");
    ASSERT_FALSE(parsed.ok()) << row.reason;
    EXPECT_THAT(parsed.error().message, HasSubstr("the-file")) << row.reason;
  }
  EXPECT_TRUE(parse_kubeconfig("{users: [{name: x}], clusters: null}", "f").ok());
}

}  // namespace
}  // namespace chandler::client
