// Waits for what curl's requests wait for, and lets curl go on with just those: their sockets in one epoll set, one
// timer for all of them, and a bell that other threads ring. So a request that waits costs nothing while others go on.
// A kept connection stays in the set between two requests. Belongs to the client's thread, except wake(); the multi
// handle outlives it.
#pragma once

#include <curl/curl.h>
#include <sys/epoll.h>

#include <array>
#include <chrono>
#include <optional>
#include <vector>

namespace chandler::http {

class ClientPoller {
 public:
  explicit ClientPoller(CURLM* multi);
  ~ClientPoller();
  ClientPoller(const ClientPoller&) = delete;
  ClientPoller& operator=(const ClientPoller&) = delete;

  // Lets curl do what its timer is for when that is due: begin what was added, end what takes too long.
  void run_timer();
  // Looks which sockets are ready. With `may_sleep`, waits until there is something: a socket, the timer, the bell.
  void look(bool may_sleep);
  void go_on();  // lets curl go on where sockets were ready
  void wake();   // thread-safe

 private:
  using Time = std::chrono::steady_clock::time_point;

  static int on_socket(CURL* easy, curl_socket_t socket, int what, void* self, void* known);
  static int on_timer(CURLM* multi, long milliseconds, void* self);

  void watch(curl_socket_t socket, int what);
  void forget(curl_socket_t socket);
  void set_awaited(curl_socket_t socket, bool awaited);
  bool is_awaited(curl_socket_t socket) const;
  int sleep_milliseconds() const;

  CURLM* const multi_;
  const int epoll_;
  const int bell_;
  std::optional<Time> due_;  // when curl wants to be called without an event
  std::array<epoll_event, 64> events_{};
  size_t event_count_ = 0;
  std::vector<bool> awaited_;  // by number: the sockets that curl waits for now; others in the set only rest
};

}  // namespace chandler::http
