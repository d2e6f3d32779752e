#include "client/exec_plugin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include "base/file.h"
#include "base/time_text.h"
#include "client/child_process.h"
#include "client/credentials.h"
#include "client/scratch_fixture.h"
#include "support/fake_clock.h"

namespace chandler::client {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kVersion = "client.authentication.k8s.io/v1";

class ExecPluginTest : public ::testing::Test {
 protected:
  ExecPluginTest() {
    plugin.api_version = kVersion;
    plugin.interactive = ExecPlugin::Interactive::kNever;
    plugin.entry = "user \"u\" in config";
  }
  // A plugin that does this and then prints that status.
  void script(std::string_view first, std::string_view status) {
    plugin.command = scratch.write("plugin",
                                   "#!/bin/sh\n" + std::string(first) +
                                       "\ncat <<END\n{\"kind\": \"ExecCredential\", \"apiVersion\": \"" + kVersion +
                                       "\", \"status\": " + std::string(status) + "}\nEND\n",
                                   true);
  }
  testing::Scratch scratch;
  ExecPlugin plugin;
};

TEST_F(ExecPluginTest, IsRunWithItsArgumentsAndTold) {
  script("printf '%s|' \"$@\" \"$GREETING\" \"$KUBERNETES_EXEC_INFO\" > " + scratch.path("seen"), R"({"token": "T"})");
  plugin.args = {"a b", "$(touch x)", "*"};
  plugin.env = {{"GREETING", "hello"}};
  plugin.cluster = json::Object{{"server", "https://h"}};
  const auto got = run_exec_plugin(plugin);
  ASSERT_TRUE(got.ok()) << got.error().message;
  EXPECT_EQ(got->token, "T");
  EXPECT_FALSE(got->expires);
  EXPECT_EQ(*read_file(scratch.path("seen")),
            R"(a b|$(touch x)|*|hello|{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential",)"
            R"("spec":{"cluster":{"server":"https://h"},"interactive":false}}|)");
}

TEST_F(ExecPluginTest, FailuresSayWhoAndWhatButNoSecret) {
  plugin.command = "no-such-plugin";
  plugin.install_hint = "apt install it";
  EXPECT_THAT(run_exec_plugin(plugin).error().message, AllOf(HasSubstr("not in PATH"), HasSubstr("apt install it")));
  script("exit 3", "{}");
  EXPECT_THAT(run_exec_plugin(plugin).error().message,
              AllOf(HasSubstr("exit code 3"), HasSubstr("user \"u\" in config")));
  script("sleep 60", R"({"token": "T"})");
  const auto late = run_exec_plugin(plugin, std::chrono::milliseconds(50));
  EXPECT_THAT(late.error().message, HasSubstr("did not end"));
  EXPECT_EQ(late.error().reason, Reason::kUnauthorized);
  script("head -c 2000000 /dev/zero", "{}");
  EXPECT_THAT(run_exec_plugin(plugin).error().message, HasSubstr("printed more than"));
  plugin.interactive = ExecPlugin::Interactive::kAlways;
  if (::isatty(STDIN_FILENO) == 0) {
    EXPECT_THAT(run_exec_plugin(plugin).error().message, HasSubstr("terminal"));
  }
}

TEST_F(ExecPluginTest, OddAnswersAreRefused) {
  const struct {
    const char* reason;
    const char* text;
    const char* message;
  } rows[] = {
      {"no JSON", "token: SECRET", "no JSON"},
      {"another kind", R"({"kind":"Pod","status":{"token":"SECRET"}})", "no ExecCredential"},
      {"another version", R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1"})",
       "correct apiVersion"},
      {"no status", R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1"})", "no status"},
      {"nothing in it", R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{}})",
       "neither"},
      {"half a pair",
       R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"clientKeyData":"SECRET"}})",
       "together"},
      {"bad time",
       R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"SECRET",
           "expirationTimestamp":"tomorrow"}})",
       "expirationTimestamp"},
  };
  for (const auto& row : rows) {
    const auto got = parse_exec_credential(row.text, plugin);
    ASSERT_FALSE(got.ok()) << row.reason;
    EXPECT_THAT(got.error().message, AllOf(HasSubstr(row.message), Not(HasSubstr("SECRET")))) << row.reason;
  }
}

TEST_F(ExecPluginTest, IsAskedAgainWhenItsAnswerHasExpiredOrWasRefused) {
  ::chandler::testing::FakeClock clock;
  script("echo x >> " + scratch.path("runs"),
         R"({"token": "T", "clientCertificateData": "C", "clientKeyData": "K", "expirationTimestamp": ")" +
             rfc3339(clock.now() + std::chrono::minutes(10)) + "\"}");
  CredentialSource source;
  source.exec = plugin;
  http::ClientTls tls;
  tls.ca_pem = "CA";
  Credentials credentials(std::move(source), tls, clock);
  const auto runs = [&] { return read_file(scratch.path("runs"))->size() / 2; };
  const auto apply = [&] {
    http::ClientRequest request;
    const auto applied = credentials.apply(request);
    EXPECT_TRUE(applied.ok()) << applied.error().message;
    return request;
  };
  const auto first = apply();
  EXPECT_EQ(first.headers.get("Authorization"), "Bearer T");
  EXPECT_EQ(first.tls->certificate_pem, "C");
  EXPECT_EQ(first.tls->ca_pem, "CA");
  EXPECT_EQ(apply().tls, first.tls) << "the same settings keep connections open";
  EXPECT_EQ(runs(), 1u);
  credentials.refused();
  EXPECT_EQ(apply().tls, first.tls);
  EXPECT_EQ(runs(), 2u);
  clock.advance(std::chrono::minutes(11));
  apply();
  EXPECT_EQ(runs(), 3u);
}

TEST(Credentials, ATokenCannotEndItsHeaderLine) {
  ::chandler::testing::FakeClock clock;
  CredentialSource source;
  source.token = "a\r\nX: y";
  Credentials credentials(std::move(source), {}, clock);
  http::ClientRequest request;
  const auto applied = credentials.apply(request);
  ASSERT_FALSE(applied.ok());
  EXPECT_THAT(applied.error().message, Not(HasSubstr("X: y")));
}

TEST(ChildProcess, EndsWithWhatItStarted) {
  ChildProcess process;
  process.command = "sh";
  process.args = {"-c", "sleep 60 & sleep 60"};
  process.timeout = std::chrono::milliseconds(50);
  EXPECT_EQ(run(process).error().reason, Reason::kTimeout);
  process.args = {"-c", "kill -9 $$"};
  process.timeout = std::chrono::seconds(20);
  const auto killed = run(process);
  ASSERT_TRUE(killed.ok());
  EXPECT_EQ(killed->exit_code, 137);
}

}  // namespace
}  // namespace chandler::client
