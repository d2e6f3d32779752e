// Outgoing requests over TLS.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "http/client.h"
#include "http/test_client.h"

namespace chandler::http {
namespace {

using ::testing::AllOf;
using testing::Certificate;
using ::testing::HasSubstr;
using testing::make_certificate;
using ::testing::Not;
using testing::RunningServer;
using testing::text;
using Kind = ClientFailure::Kind;

// "name|Host"
void who(std::shared_ptr<Request> request, std::unique_ptr<Responder> responder) {
  responder->send(text(request->peer->common_name + "|" + std::string(request->headers.get("Host"))));
}

class ClientTlsTest : public ::testing::Test {
 protected:
  static ServerOptions serving(const Certificate& own, const std::string& client_ca = "") {
    ServerOptions options;
    options.tls = TlsFiles{own.pem(), own.key_pem(), client_ca};
    return options;
  }
  static ClientRequest request(uint16_t port, ClientTls tls) {
    ClientRequest made;
    made.url = "https://localhost:" + std::to_string(port) + "/";
    made.tls = std::make_shared<ClientTls>(std::move(tls));
    made.timeout = std::chrono::milliseconds(20'000);
    return made;
  }
  std::string body_of(ClientRequest made) {
    const ClientOutcome outcome = client->send_and_wait(std::move(made));
    return outcome.ok() ? outcome->body : "failed: " + outcome.error().message;
  }
  ClientFailure failure_of(ClientRequest made) {
    ClientOutcome outcome = client->send_and_wait(std::move(made));
    EXPECT_FALSE(outcome.ok());
    return outcome.ok() ? ClientFailure{} : std::move(outcome).error();
  }

  std::unique_ptr<Client> client = Client::create({});
  const Certificate own = make_certificate("localhost");
};

TEST_F(ClientTlsTest, OneConnectionServesManyRequests) {
  RunningServer server(who, serving(own));
  for (int i = 0; i < 20; ++i) {
    ClientTls tls;  // equal settings, new copies of them
    tls.ca_pem = own.pem();
    EXPECT_EQ(body_of(request(server.port(), tls)), "|localhost:" + std::to_string(server.port()));
  }
  EXPECT_EQ(server.metric("connections_total"), 1);
}

TEST_F(ClientTlsTest, OtherTlsSettingsNeverShareAConnection) {
  const Certificate ca = make_certificate("clients");
  const Certificate jane = make_certificate("jane", {}, &ca);
  const Certificate joe = make_certificate("joe", {}, &ca);
  RunningServer server(who, serving(own, ca.pem()));
  const std::string host = "|localhost:" + std::to_string(server.port());
  ClientTls nobody;
  nobody.ca_pem = own.pem();
  ClientTls as_jane = nobody;
  as_jane.certificate_pem = jane.pem();
  as_jane.key_pem = jane.key_pem();
  ClientTls as_joe = nobody;
  as_joe.certificate_pem = joe.pem();
  as_joe.key_pem = joe.key_pem();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(body_of(request(server.port(), as_jane)), "jane" + host);
    EXPECT_EQ(body_of(request(server.port(), nobody)), host);
    EXPECT_EQ(body_of(request(server.port(), as_joe)), "joe" + host);
  }
  EXPECT_EQ(server.metric("connections_total"), 3);
}

TEST_F(ClientTlsTest, AConnectionMadeInsecurelyIsNotTrustedLater) {
  RunningServer server(who, serving(own));
  ClientTls insecure;
  insecure.insecure = true;
  EXPECT_THAT(body_of(request(server.port(), insecure)), HasSubstr("|localhost"));
  ClientTls other;
  other.ca_pem = make_certificate("localhost").pem();
  EXPECT_EQ(failure_of(request(server.port(), other)).kind, Kind::kConnect);
  EXPECT_EQ(failure_of(request(server.port(), {})).kind, Kind::kConnect) << "the system does not know it";
}

TEST_F(ClientTlsTest, AWrongCertificateIsNotSentTo) {
  RunningServer server(who, serving(own));
  ClientTls tls;
  tls.ca_pem = make_certificate("somebody else").pem();
  ClientRequest made = request(server.port(), tls);
  made.headers.add("Authorization", "Bearer hidden");
  const ClientFailure failure = failure_of(std::move(made));
  EXPECT_EQ(failure.kind, Kind::kConnect);
  EXPECT_FALSE(failure.sent);
  EXPECT_THAT(failure.message, AllOf(HasSubstr("certificate"), HasSubstr("localhost"), Not(HasSubstr("hidden"))));
}

TEST_F(ClientTlsTest, TheNameInTheCertificateCounts) {
  const Certificate named = make_certificate("broker.test");
  RunningServer server(who, serving(named));
  ClientTls tls;
  tls.ca_pem = named.pem();
  EXPECT_EQ(failure_of(request(server.port(), tls)).kind, Kind::kConnect);
  tls.server_name = "broker.test";
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(body_of(request(server.port(), tls)), "|localhost:" + std::to_string(server.port()));
  }
  tls.server_name = "other.test";
  EXPECT_EQ(failure_of(request(server.port(), tls)).kind, Kind::kConnect);
  ClientRequest refused = request(server.port(), tls);
  refused.addresses = std::make_shared<AddressRules>();
  EXPECT_EQ(failure_of(std::move(refused)).kind, Kind::kRefused);
}

TEST_F(ClientTlsTest, UnusableSettingsAreTheCallersFault) {
  RunningServer server(who, serving(own));
  const Certificate jane = make_certificate("jane");
  struct Row {
    std::string reason;
    std::function<void(ClientTls&)> change;
  };
  for (const Row& row : std::vector<Row>{{"no PEM", [](ClientTls& tls) { tls.ca_pem = "no certificate"; }},
                                         {"no key", [&](ClientTls& tls) { tls.certificate_pem = jane.pem(); }},
                                         {"no certificate", [&](ClientTls& tls) { tls.key_pem = jane.key_pem(); }},
                                         {"broken certificate",
                                          [&](ClientTls& tls) {
                                            tls.certificate_pem = "x";
                                            tls.key_pem = jane.key_pem();
                                          }},
                                         {"another's key",
                                          [&](ClientTls& tls) {
                                            tls.certificate_pem = jane.pem();
                                            tls.key_pem = own.key_pem();
                                          }},
                                         {"a name with a port", [](ClientTls& tls) { tls.server_name = "a:1"; }}}) {
    ClientTls tls;
    tls.ca_pem = own.pem();
    row.change(tls);
    const ClientFailure failure = failure_of(request(server.port(), tls));
    EXPECT_EQ(failure.kind, Kind::kBadRequest) << row.reason << ": " << failure.message;
    EXPECT_THAT(failure.message, Not(HasSubstr("PRIVATE"))) << row.reason;
  }
}

TEST_F(ClientTlsTest, LargeBodiesArriveWhole) {
  RunningServer server([](std::shared_ptr<Request> request,
                          std::unique_ptr<Responder> responder) { responder->send(text(std::move(request->body))); },
                       serving(own));
  ClientTls tls;
  tls.insecure = true;
  ClientRequest made = request(server.port(), tls);
  made.method = "POST";
  made.body = std::string(2'000'000, 'a') + "end";
  const std::string want = made.body;
  EXPECT_TRUE(body_of(std::move(made)) == want);
}

}  // namespace
}  // namespace chandler::http
