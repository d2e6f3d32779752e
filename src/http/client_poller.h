// Waits for what curl's requests wait for, and lets curl go on with just those: their sockets in one epoll set, one
// timer for all of them, and a bell that other threads ring. So a request that waits costs nothing while others go on.
// Belongs to the client's thread, except wake(); the multi handle outlives it.
#pragma once

#include <curl/curl.h>

#include <chrono>
#include <optional>

namespace chandler::http {

class ClientPoller {
 public:
  explicit ClientPoller(CURLM* multi);
  ~ClientPoller();
  ClientPoller(const ClientPoller&) = delete;
  ClientPoller& operator=(const ClientPoller&) = delete;

  // Lets curl do what it can do now. With `may_sleep`, waits until there is something: a socket, the timer, the bell.
  void turn(bool may_sleep);
  void wake();  // thread-safe

 private:
  using Time = std::chrono::steady_clock::time_point;

  static int on_socket(CURL* easy, curl_socket_t socket, int what, void* self, void* known);
  static int on_timer(CURLM* multi, long milliseconds, void* self);

  void watch(curl_socket_t socket, int what);
  void forget(curl_socket_t socket);
  int sleep_milliseconds() const;

  CURLM* const multi_;
  const int epoll_;
  const int bell_;
  std::optional<Time> due_;  // when curl wants to be called without an event
};

}  // namespace chandler::http
