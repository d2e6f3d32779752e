// For tests: a proxy on loopback that hands on bytes between clients and a server, until it has counted enough messages
// of clients. The last one still reaches the server and is carried out; its answer is kept, and all connections are
// cut. For the client that is what the death of the server looks like, for the server the death of the client, and
// always between the same two steps. A message is what arrives in one piece, as statements on loopback do. Thread-safe.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <list>
#include <thread>

#include <gtest/gtest.h>

#include "support/eventually.h"

namespace chandler::brokers {

class CuttingProxy {
 public:
  explicit CuttingProxy(uint16_t target)
      : target_(target), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    auto address = loopback(0);
    EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(listener_, 16), 0);
    socklen_t size = sizeof address;
    EXPECT_EQ(::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this] { accept_all(); });
  }
  ~CuttingProxy() {
    is_stopping_ = true;
    acceptor_.join();
    for (auto& connection : connections_) connection.join();
    ::close(listener_);
  }
  CuttingProxy(const CuttingProxy&) = delete;
  CuttingProxy& operator=(const CuttingProxy&) = delete;

  uint16_t port() const { return port_; }
  // Counts anew. Until heal() nobody gets through once it has cut.
  void cut_after(int messages) {
    has_cut_ = false;
    left_ = messages;
  }
  void heal() { cut_after(-1); }
  // Once all connections are over, which they are soon after clients have closed theirs.
  bool has_cut() const {
    EXPECT_TRUE(chandler::testing::eventually([this] { return open_ == 0; }, std::chrono::seconds(60)));
    return has_cut_;
  }

 private:
  static constexpr int kLookMs = 5;         // how often connections look whether all is over
  static constexpr int kAnswerMs = 60'000;  // how long the server may take for the last message

  static sockaddr_in loopback(uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
  }
  static bool is_readable(int fd, int timeout_ms) {
    pollfd wish{fd, POLLIN, 0};
    return ::poll(&wish, 1, timeout_ms) > 0;
  }
  // False: nothing more will come, or go.
  static bool hand_on(int from, int to) {
    std::array<char, 65536> buffer{};
    const ssize_t size = ::recv(from, buffer.data(), buffer.size(), 0);
    return size > 0 && ::send(to, buffer.data(), static_cast<size_t>(size), MSG_NOSIGNAL) == size;
  }

  void accept_all() {
    while (!is_stopping_) {
      if (!is_readable(listener_, kLookMs)) continue;
      const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (client < 0) continue;
      ++open_;
      connections_.emplace_back([this, client] { serve(client); });
    }
  }
  void serve(int client) {
    const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const auto address = loopback(target_);
    if (::connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) relay(client, server);
    ::close(server);
    ::close(client);
    --open_;
  }
  void relay(int client, int server) {
    while (!is_stopping_ && !has_cut_) {
      std::array<pollfd, 2> wishes{pollfd{client, POLLIN, 0}, pollfd{server, POLLIN, 0}};
      if (::poll(wishes.data(), wishes.size(), kLookMs) <= 0) continue;
      if (wishes[1].revents != 0 && !hand_on(server, client)) return;
      if (wishes[0].revents == 0) continue;
      if (!hand_on(client, server)) return;
      if (left_ > 0 && --left_ == 0) {
        (void)is_readable(server, kAnswerMs);
        has_cut_ = true;
      }
    }
  }

  const uint16_t target_;
  const int listener_;
  uint16_t port_ = 0;
  std::atomic<bool> is_stopping_ = false;
  std::atomic<bool> has_cut_ = false;
  std::atomic<int> left_ = -1;
  std::atomic<int> open_ = 0;
  std::list<std::thread> connections_;  // of the acceptor, then of the destructor
  std::thread acceptor_;
};

}  // namespace chandler::brokers
