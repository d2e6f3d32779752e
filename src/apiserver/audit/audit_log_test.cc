#include "apiserver/audit/audit_log.h"

#include <gmock/gmock.h>

#include "apiserver/audit/audit_trail.h"
#include "apiserver/whole_server_fixture.h"
#include "base/file.h"
#include "base/text.h"
#include "json/writer.h"
#include "storage/temp_directory.h"

namespace chandler::apiserver {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class AuditLogTest : public ::testing::Test {
 protected:
  static constexpr auto kGet = http::Method::kGet;
  static constexpr auto kPost = http::Method::kPost;
  static constexpr auto kDelete = http::Method::kDelete;

  void start(const std::string& rules) {
    auto policy = AuditPolicy::parse("apiVersion: audit.k8s.io/v1\nkind: Policy\n" + rules, "test");
    ASSERT_TRUE(policy.ok()) << policy.error().message;
    log_ = std::make_unique<AuditLog>(std::move(policy).value(),
                                      std::make_unique<AuditFile>(path(), AuditFile::Limits(), server_.world.clock),
                                      server_.world.metrics);
    log_->start();
    server_.services.audit = log_.get();
  }
  std::string path() const { return directory_.path() + "/audit.log"; }
  // Everything that was logged; the log ends with it.
  std::vector<json::Value> entries() {
    server_.answers.clear();
    log_->stop();
    std::vector<json::Value> out;
    const auto text = read_file(path());
    if (!text.ok()) return out;
    for (const auto line : split(*text, '\n')) {
      if (line.empty()) continue;
      auto entry = json::parse(line);
      EXPECT_TRUE(entry.ok()) << line;
      if (entry.ok()) out.push_back(std::move(entry).value());
    }
    return out;
  }
  static std::string field(const json::Value& entry, std::initializer_list<std::string_view> path) {
    const auto* value = json::find_path(entry, path);
    return value == nullptr ? "" : json::write(*value);
  }

  storage::TempDirectory directory_;
  testing::WholeServer server_;
  std::unique_ptr<AuditLog> log_;
};

TEST_F(AuditLogTest, AnEntrySaysWhoDidWhatToWhatAndWhatCameOfIt) {
  start("omitStages: [RequestReceived]\nrules: [{level: Metadata}]\n");
  http::Headers headers;
  headers.add("User-Agent", "kubectl/1");
  headers.add("Audit-ID", "my-id");
  const auto made = server_.ask(kPost, "/api/v1/namespaces", R"({"metadata":{"name":"shop"}})", "ann",
                                std::string(auth::kMasters), headers);
  ASSERT_THAT(made, HasSubstr("201 "));
  const auto all = entries();
  ASSERT_EQ(all.size(), 1U);
  const auto& entry = all[0];
  EXPECT_EQ(field(entry, {"kind"}), "\"Event\"");
  EXPECT_EQ(field(entry, {"apiVersion"}), "\"audit.k8s.io/v1\"");
  EXPECT_EQ(field(entry, {"level"}), "\"Metadata\"");
  EXPECT_EQ(field(entry, {"stage"}), "\"ResponseComplete\"");
  EXPECT_EQ(field(entry, {"auditID"}), "\"my-id\"");
  EXPECT_EQ(field(entry, {"verb"}), "\"create\"");
  EXPECT_EQ(field(entry, {"requestURI"}), "\"/api/v1/namespaces\"");
  EXPECT_EQ(field(entry, {"user", "username"}), "\"ann\"");
  EXPECT_EQ(field(entry, {"user", "groups"}), "[\"system:masters\",\"system:authenticated\"]");
  EXPECT_EQ(field(entry, {"sourceIPs"}), "[\"10.1.2.3\"]");
  EXPECT_EQ(field(entry, {"userAgent"}), "\"kubectl/1\"");
  EXPECT_EQ(field(entry, {"objectRef", "resource"}), "\"namespaces\"");
  EXPECT_EQ(field(entry, {"objectRef", "name"}), "\"shop\"");
  EXPECT_EQ(field(entry, {"responseStatus", "code"}), "201");
  EXPECT_EQ(field(entry, {"annotations", "authorization.k8s.io/decision"}), "\"allow\"");
  EXPECT_EQ(field(entry, {"requestObject"}), "");
  EXPECT_EQ(field(entry, {"responseObject"}), "");
}

TEST_F(AuditLogTest, BodiesGoWithTheLevel) {
  start(R"(
omitStages: [RequestReceived]
rules:
  - {level: RequestResponse, verbs: [create, list]}
  - {level: Request}
)");
  server_.ask(kPost, "/api/v1/namespaces", R"({"metadata":{"name":"a"}})");
  server_.ask(kGet, "/api/v1/namespaces");
  server_.ask(kDelete, "/api/v1/namespaces/a", R"({"propagationPolicy":"Background"})");
  const auto all = entries();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(field(all[0], {"requestObject", "metadata", "name"}), "\"a\"");
  EXPECT_EQ(field(all[0], {"responseObject", "kind"}), "\"Namespace\"");
  EXPECT_EQ(field(all[1], {"responseObject", "kind"}), "\"NamespaceList\"");
  EXPECT_EQ(field(all[2], {"requestObject", "propagationPolicy"}), "\"Background\"");
  EXPECT_EQ(field(all[2], {"responseObject"}), "");
}

TEST_F(AuditLogTest, NoSecretGetsIntoTheLogWhateverThePolicySays) {
  start("rules: [{level: RequestResponse}]\n");
  server_.ask(kPost, "/api/v1/namespaces", R"({"metadata":{"name":"a"}})");
  ASSERT_THAT(server_.ask(kPost, "/api/v1/namespaces/a/secrets",
                          R"({"metadata":{"name":"s"},"stringData":{"password":"hunter2"}})"),
              HasSubstr("201 "));
  server_.ask(kGet, "/api/v1/namespaces/a/secrets");
  server_.ask(kPost, "/apis/authentication.k8s.io/v1/tokenreviews", R"({"spec":{"token":"hunter2"}})");
  EXPECT_GE(entries().size(), 8U);
  const auto text = read_file(path());
  EXPECT_THAT(*text, Not(HasSubstr("hunter2")));
  EXPECT_THAT(*text, Not(HasSubstr(base64_encode("hunter2"))));
}

TEST_F(AuditLogTest, BothUsersAreShownWhenOneActsAsTheOther) {
  start("omitStages: [RequestReceived]\nrules: [{level: Metadata}]\n");
  http::Headers headers;
  headers.add("Impersonate-User", "jane");
  const auto answer = server_.ask(kGet, "/api/v1/namespaces", "", "ann", std::string(auth::kMasters), headers);
  EXPECT_THAT(answer, HasSubstr("403 "));
  const auto all = entries();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(field(all[0], {"user", "username"}), "\"ann\"");
  EXPECT_EQ(field(all[0], {"impersonatedUser", "username"}), "\"jane\"");
  EXPECT_EQ(field(all[0], {"responseStatus", "code"}), "403");
  EXPECT_EQ(field(all[0], {"responseStatus", "reason"}), "\"Forbidden\"");
  EXPECT_EQ(field(all[0], {"annotations", "authorization.k8s.io/decision"}), "\"forbid\"");
}

TEST_F(AuditLogTest, AWatchBeginsAndEnds) {
  start("rules: [{level: Metadata}]\n");
  server_.ask(kGet, "/api/v1/namespaces?watch=1");
  const auto all = entries();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(field(all[0], {"stage"}), "\"RequestReceived\"");
  EXPECT_EQ(field(all[1], {"stage"}), "\"ResponseStarted\"");
  EXPECT_EQ(field(all[2], {"stage"}), "\"ResponseComplete\"");
}

TEST_F(AuditLogTest, WhatNoRuleMatchesIsNotLogged) {
  start("rules: [{level: Metadata, users: [somebody]}]\n");
  server_.ask(kGet, "/api/v1/namespaces");
  EXPECT_TRUE(entries().empty());
}

// Not started: nobody takes entries out of the queue.
TEST_F(AuditLogTest, AFullQueueDropsAndCounts) {
  metrics::Registry metrics;
  AuditLog log(AuditPolicy::metadata_of_everything(),
               std::make_unique<AuditFile>(path(), AuditFile::Limits(), server_.world.clock), metrics,
               {.events = 3, .bytes = 1024 * 1024});
  for (int i = 0; i < 5; ++i) {
    AuditEvent event;
    event.request = std::make_shared<AuditRequest>();
    log.add(std::move(event));
  }
  EXPECT_THAT(metrics.text(), HasSubstr("apiserver_audit_dropped_total 2"));
  log.start();
  log.stop();
  EXPECT_THAT(metrics.text(), HasSubstr("apiserver_audit_event_total 3"));
}

TEST_F(AuditLogTest, BytesAreBoundedToo) {
  metrics::Registry metrics;
  AuditLog log(AuditPolicy::metadata_of_everything(),
               std::make_unique<AuditFile>(path(), AuditFile::Limits(), server_.world.clock), metrics,
               {.events = 100, .bytes = 10'000});
  for (int i = 0; i < 2; ++i) {
    AuditEvent event;
    event.request = std::make_shared<AuditRequest>();
    event.answer = std::string(6'000, 'x');
    log.add(std::move(event));
  }
  EXPECT_THAT(metrics.text(), HasSubstr("apiserver_audit_dropped_total 1"));
}

TEST_F(AuditLogTest, LogsThatCannotBeWrittenAreCounted) {
  metrics::Registry metrics;
  AuditLog log(AuditPolicy::metadata_of_everything(),
               std::make_unique<AuditFile>(directory_.path() + "/none/log", AuditFile::Limits(), server_.world.clock),
               metrics);
  AuditEvent event;
  event.request = std::make_shared<AuditRequest>();
  log.add(std::move(event));
  log.start();
  log.stop();
  EXPECT_THAT(metrics.text(), HasSubstr("apiserver_audit_error_total 1"));
}

}  // namespace
}  // namespace chandler::apiserver
