#include "http/client_poller.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "http/client.h"
#include "http/test_client.h"

namespace chandler::http {
namespace {

using std::chrono::milliseconds;
using testing::RunningServer;
using testing::text;

// A server whose steps the test takes itself, one connection at a time.
class Peer {
 public:
  Peer() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    socklen_t size = sizeof address;
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    EXPECT_EQ(::listen(listener_, 16), 0);
  }
  ~Peer() {
    hang_up();
    ::close(listener_);
  }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/"; }
  bool has_connection() const { return connection_ >= 0; }
  void accept() { connection_ = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC); }
  void answer() {
    std::string head;
    char byte = 0;
    while (!head.ends_with("\r\n\r\n")) {
      ASSERT_EQ(::recv(connection_, &byte, 1, 0), 1);
      head += byte;
    }
    const std::string_view good = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    ASSERT_EQ(::send(connection_, good.data(), good.size(), MSG_NOSIGNAL), static_cast<ssize_t>(good.size()));
  }
  void hang_up() {
    if (has_connection()) ::close(std::exchange(connection_, -1));
  }

 private:
  int listener_ = -1;
  uint16_t port_ = 0;
  int connection_ = -1;
};

class ClientPollerTest : public ::testing::Test {
 protected:
  ClientPollerTest() { poller.emplace(multi); }
  ~ClientPollerTest() override {
    poller.reset();
    curl_multi_cleanup(multi);
  }
  ClientPollerTest(const ClientPollerTest&) = delete;
  ClientPollerTest& operator=(const ClientPollerTest&) = delete;

  void turn(bool may_sleep = true) {
    poller->look(may_sleep);
    poller->go_on();
  }
  // One GET, on the connection that is there or on a new one.
  void fetch(Peer& peer) {
    CURL* easy = curl_easy_init();
    curl_easy_setopt(easy, CURLOPT_URL, peer.url().c_str());
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, 5'000L);
    curl_multi_add_handle(multi, easy);
    poller->run_timer();
    if (!peer.has_connection()) {
      peer.accept();
      turn();  // connected: it is sent now
      poller->run_timer();
    }
    peer.answer();
    const CURLMsg* message = nullptr;
    for (int left = 0; message == nullptr; message = curl_multi_info_read(multi, &left)) {
      turn();
      poller->run_timer();
    }
    EXPECT_EQ(message->data.result, CURLE_OK);
    curl_multi_remove_handle(multi, easy);
    curl_easy_cleanup(easy);
  }

  // How often the poller comes back in a while in which nobody wants anything.
  int turns_while_resting() {
    const auto end = std::chrono::steady_clock::now() + milliseconds(100);
    std::thread ring([this, end] {
      std::this_thread::sleep_until(end);
      poller->wake();
    });
    int turns = 0;
    for (; std::chrono::steady_clock::now() < end; ++turns) {
      poller->run_timer();
      turn();
    }
    ring.join();
    turn(false);  // the bell, should the time have been over first
    return turns;
  }

  CURLM* multi = curl_multi_init();
  std::optional<ClientPoller> poller;
};

TEST_F(ClientPollerTest, AConnectionThatRestsIsUsedAgain) {
  Peer peer;
  fetch(peer);
  EXPECT_LE(turns_while_resting(), 5);
  fetch(peer);
  fetch(peer);
}

TEST_F(ClientPollerTest, AConnectionThatThePeerClosesWhileItRestsIsNoWork) {
  Peer peer;
  fetch(peer);
  peer.hang_up();
  EXPECT_LE(turns_while_resting(), 5) << "told once, not again and again";
  fetch(peer);
  EXPECT_LE(turns_while_resting(), 5);
  fetch(peer);
}

TEST_F(ClientPollerTest, ANewConnectionMayHaveTheNumberOfOneThatRested) {
  Peer peer;
  for (int i = 0; i < 3; ++i) {
    fetch(peer);
    peer.hang_up();  // found out when it is to be used, before any turn
  }
}

TEST(ClientResting, ConnectionsThatTheClientClosesMakeRoomForOthers) {
  const auto ok = [](std::shared_ptr<Request>, std::unique_ptr<Responder> responder) { responder->send(text("ok")); };
  RunningServer first(ok);
  RunningServer second(ok);
  Client::Options options;
  options.max_idle_connections = 1;  // so each request closes a connection that rests, and its number is free
  const auto client = Client::create(options);
  for (int i = 0; i < 4; ++i) {
    for (const auto port : {first.port(), second.port()}) {
      ClientRequest request;
      request.url = "http://127.0.0.1:" + std::to_string(port) + "/";
      request.timeout = milliseconds(10'000);
      const auto outcome = client->send_and_wait(std::move(request));
      ASSERT_TRUE(outcome.ok()) << outcome.error().message;
    }
  }
  EXPECT_GT(first.metric("connections_total") + second.metric("connections_total"), 4);
}

}  // namespace
}  // namespace chandler::http
