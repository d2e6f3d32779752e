#include "http/tls.h"

#include <gmock/gmock.h>

#include "base/text.h"
#include "http/test_client.h"

namespace chandler::http {
namespace {

using testing::Certificate;
using testing::Client;
using testing::make_certificate;
using testing::RunningServer;
using testing::text;

ServerOptions with_tls(const Certificate& own, const std::string& client_ca = "") {
  ServerOptions options;
  options.tls = TlsFiles{own.pem(), own.key_pem(), client_ca};
  return options;
}

// "name|organization,organization|fingerprint"
void who(std::shared_ptr<Request> request, std::unique_ptr<Responder> responder) {
  const Peer& peer = *request->peer;
  responder->send(text(peer.common_name + "|" + join(peer.organizations, ",") + "|" + peer.fingerprint));
}

std::string fingerprint(const Certificate& certificate) {
  unsigned char digest[32];
  unsigned int size = 0;
  X509_digest(certificate.x509.get(), EVP_sha256(), digest, &size);
  return hex_encode({reinterpret_cast<const char*>(digest), size});
}

TEST(Tls, ServesWithoutAClientCertificate) {
  const Certificate own = make_certificate("localhost");
  RunningServer server(who, with_tls(own, make_certificate("clients").pem()));
  Client client(server.port());
  ASSERT_TRUE(client.start_tls(nullptr, nullptr, "\x08http/1.1"));
  EXPECT_EQ(client.get("/").body, "||");
  EXPECT_EQ(client.get("/").body, "||");
  const unsigned char* protocol = nullptr;
  unsigned int length = 0;
  SSL_get0_alpn_selected(client.ssl(), &protocol, &length);
  EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(protocol), length), "http/1.1");
}

TEST(Tls, TellsWhoTheClientIs) {
  const Certificate own = make_certificate("localhost");
  const Certificate ca = make_certificate("clients");
  const Certificate jane = make_certificate("jane", {"system:masters", "d\xC3\xA9v"}, &ca);
  RunningServer server(who, with_tls(own, ca.pem()));
  Client client(server.port());
  ASSERT_TRUE(client.start_tls(&jane));
  EXPECT_EQ(client.get("/").body, "jane|system:masters,d\xC3\xA9v|" + fingerprint(jane));
}

TEST(Tls, AResumedSessionKnowsTheClientStill) {
  const Certificate own = make_certificate("localhost");
  const Certificate ca = make_certificate("clients");
  const Certificate jane = make_certificate("jane", {}, &ca);
  RunningServer server(who, with_tls(own, ca.pem()));
  Client first(server.port());
  ASSERT_TRUE(first.start_tls(&jane));
  first.get("/");  // the ticket comes after the handshake
  const std::shared_ptr<SSL_SESSION> session(SSL_get1_session(first.ssl()), SSL_SESSION_free);
  Client second(server.port());
  ASSERT_TRUE(second.start_tls(&jane, session.get()));
  EXPECT_EQ(SSL_session_reused(second.ssl()), 1);
  EXPECT_EQ(second.get("/").body, "jane||" + fingerprint(jane));
}

TEST(Tls, AWrongClientCertificateIsRefused) {
  const Certificate own = make_certificate("localhost");
  const Certificate ca = make_certificate("clients");
  const Certificate other_ca = make_certificate("clients");  // the same name, another key
  const Certificate mallory = make_certificate("mallory", {"system:masters"}, &other_ca);
  RunningServer server(who, with_tls(own, ca.pem()));
  Client client(server.port());
  // With TLS 1.3 the client learns of it when it reads.
  client.start_tls(&mallory);
  EXPECT_EQ(client.get("/").status, 0);
  EXPECT_TRUE(server.becomes("handshake_failures_total", 1));
  client.close();
  EXPECT_TRUE(server.becomes("connections", 0));
}

TEST(Tls, PlainTextOnATlsPortIsAFailedHandshake) {
  RunningServer server(who, with_tls(make_certificate("localhost")));
  Client client(server.port());
  EXPECT_EQ(client.get("/").status, 0);
  EXPECT_TRUE(server.becomes("handshake_failures_total", 1));
}

TEST(Tls, ASilentClientIsCutOff) {
  ServerOptions options = with_tls(make_certificate("localhost"));
  options.handshake_timeout = std::chrono::milliseconds(20);
  RunningServer server(who, options);
  Client client(server.port());
  EXPECT_TRUE(client.sees_end());
  EXPECT_EQ(server.metric("handshake_failures_total"), 1);
}

TEST(Tls, AProtocolThatIsNotSpokenIsRefused) {
  RunningServer server(who, with_tls(make_certificate("localhost")));
  Client client(server.port());
  EXPECT_FALSE(client.start_tls(nullptr, nullptr, "\x02h3"));
}

TEST(Tls, LargeBodiesGoBothWays) {
  ServerOptions options = with_tls(make_certificate("localhost"));
  RunningServer server([](std::shared_ptr<Request> request,
                          std::unique_ptr<Responder> responder) { responder->send(text(std::move(request->body))); },
                       options);
  Client client(server.port());
  ASSERT_TRUE(client.start_tls());
  std::string body;
  while (body.size() < 3'000'000) body += std::to_string(body.size());
  for (int i = 0; i < 3; ++i) {
    client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    EXPECT_TRUE(client.receive().body == body);
  }
}

TEST(Tls, PipelinedRequestsInOneRecordAreAllAnswered) {
  RunningServer server([](std::shared_ptr<Request> request,
                          std::unique_ptr<Responder> responder) { responder->send(text(request->target)); },
                       with_tls(make_certificate("localhost")));
  Client client(server.port());
  ASSERT_TRUE(client.start_tls());
  std::string wire;
  for (int i = 0; i < 100; ++i) wire += "GET /" + std::to_string(i) + " HTTP/1.1\r\nHost: x\r\n\r\n";
  client.send(wire);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(client.receive().body, "/" + std::to_string(i));
}

TEST(Tls, StopEndsConnectionsInOrder) {
  RunningServer server(who, with_tls(make_certificate("localhost")));
  Client client(server.port());
  ASSERT_TRUE(client.start_tls());
  client.get("/");
  server.server->stop(std::chrono::seconds(60));
  EXPECT_TRUE(client.sees_end());
  EXPECT_EQ(SSL_get_shutdown(client.ssl()), SSL_RECEIVED_SHUTDOWN);
}

TEST(Tls, ReloadServesTheNewCertificate) {
  const Certificate before = make_certificate("before");
  const Certificate after = make_certificate("after");
  RunningServer server(who, with_tls(before));
  const auto served = [&] {
    Client client(server.port());
    EXPECT_TRUE(client.start_tls());
    const std::shared_ptr<X509> shown(SSL_get1_peer_certificate(client.ssl()), X509_free);
    return fingerprint({shown, nullptr});
  };
  EXPECT_EQ(served(), fingerprint(before));
  ASSERT_TRUE(server.server->reload({after.pem(), after.key_pem(), ""}).ok());
  EXPECT_EQ(served(), fingerprint(after));
  EXPECT_FALSE(server.server->reload({"nonsense", after.key_pem(), ""}).ok());
  EXPECT_EQ(served(), fingerprint(after));
}

TEST(Tls, BadFilesAreNamed) {
  const Certificate own = make_certificate("localhost");
  const Certificate other = make_certificate("other");
  struct Row {
    std::string name, reason;
    TlsFiles input;
    std::string want;
  };
  const std::vector<Row> rows = {
      {"no certificate", "empty text", {"", own.key_pem(), ""}, "certificate chain"},
      {"damaged certificate", "cut in the middle", {own.pem().substr(0, 200), own.key_pem(), ""}, "certificate chain"},
      {"damaged second",
       "only the first is whole",
       {own.pem() + other.pem().substr(0, 200), own.key_pem(), ""},
       "certificate chain"},
      {"no key", "empty text", {own.pem(), "", ""}, "private key is not"},
      {"foreign key", "of another certificate", {own.pem(), other.key_pem(), ""}, "does not fit"},
      {"bad CA", "not PEM", {own.pem(), own.key_pem(), "x"}, "client CA"},
  };
  for (const Row& row : rows) {
    const auto made = make_server_tls(row.input, true);
    ASSERT_FALSE(made.ok()) << row.name << ": " << row.reason;
    EXPECT_THAT(made.error().message, ::testing::HasSubstr(row.want)) << row.name << ": " << row.reason;
  }
  EXPECT_TRUE(make_server_tls({own.pem() + other.pem(), own.key_pem(), other.pem()}, true).ok());
}

}  // namespace
}  // namespace chandler::http
