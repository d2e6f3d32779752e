#include "http/client_poller.h"

#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "base/check.h"

namespace chandler::http {
namespace {

constexpr int kLongestSleep = 60'000;  // milliseconds; only a bound

}  // namespace

ClientPoller::ClientPoller(CURLM* multi)
    : multi_(multi), epoll_(epoll_create1(EPOLL_CLOEXEC)), bell_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  CH_CHECK(epoll_ >= 0 && bell_ >= 0);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = bell_;
  CH_CHECK(epoll_ctl(epoll_, EPOLL_CTL_ADD, bell_, &event) == 0);
  curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &ClientPoller::on_socket);
  curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &ClientPoller::on_timer);
  curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
}

ClientPoller::~ClientPoller() {
  // Curl closes kept connections later and would tell us.
  curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, nullptr);
  curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, nullptr);
  close(bell_);
  close(epoll_);
}

int ClientPoller::on_socket(CURL*, curl_socket_t socket, int what, void* self, void*) {
  static_cast<ClientPoller*>(self)->watch(socket, what);
  return 0;
}

int ClientPoller::on_timer(CURLM*, long milliseconds, void* self) {
  auto& due = static_cast<ClientPoller*>(self)->due_;
  due.reset();
  if (milliseconds >= 0) due = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  return 0;
}

// The number may belong to another thread's file by now. That is harmless, the set knows its members by file and
// number: the call then finds nothing, as it should. It goes to the kernel directly because the thread sanitizer takes
// numbers for the files behind them.
void ClientPoller::forget(curl_socket_t socket) { syscall(SYS_epoll_ctl, epoll_, EPOLL_CTL_DEL, socket, nullptr); }

void ClientPoller::set_awaited(curl_socket_t socket, bool awaited) {
  const auto at = static_cast<size_t>(socket);
  if (at >= awaited_.size()) awaited_.resize(at + 1);
  awaited_[at] = awaited;
}

bool ClientPoller::is_awaited(curl_socket_t socket) const {
  const auto at = static_cast<size_t>(socket);
  return at < awaited_.size() && awaited_[at];
}

// Curl takes a socket out after each request and puts it in again for the next one on the same connection. So it is
// left in: when it is closed the kernel takes it out, and when something happens to it while it rests, go_on() does.
// Whether it is still in is the kernel's to say, not ours: not every socket that is closed is told, and its number may
// belong to another one by now.
void ClientPoller::watch(curl_socket_t socket, int what) {
  set_awaited(socket, what != CURL_POLL_REMOVE);
  if (what == CURL_POLL_REMOVE) return;
  epoll_event event{};
  event.data.fd = socket;
  if (what == CURL_POLL_IN || what == CURL_POLL_INOUT) event.events |= EPOLLIN;
  if (what == CURL_POLL_OUT || what == CURL_POLL_INOUT) event.events |= EPOLLOUT;
  // Mostly a new request, on a connection that rested. Where the system has no room for it, it ends by its timeout.
  if (epoll_ctl(epoll_, EPOLL_CTL_MOD, socket, &event) == 0 || errno != ENOENT) return;
  epoll_ctl(epoll_, EPOLL_CTL_ADD, socket, &event);
}

int ClientPoller::sleep_milliseconds() const {
  if (!due_) return kLongestSleep;
  // Rounded up: a little too early would be once more in vain.
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*due_ - std::chrono::steady_clock::now()).count();
  return static_cast<int>(std::clamp<int64_t>(left, 0, kLongestSleep));
}

void ClientPoller::run_timer() {
  if (!due_ || *due_ > std::chrono::steady_clock::now()) return;
  due_.reset();  // before: curl sets the next one in here
  int running = 0;
  curl_multi_socket_action(multi_, CURL_SOCKET_TIMEOUT, 0, &running);
}

void ClientPoller::look(bool may_sleep) {
  const int count =
      epoll_wait(epoll_, events_.data(), static_cast<int>(events_.size()), may_sleep ? sleep_milliseconds() : 0);
  event_count_ = static_cast<size_t>(std::max(count, 0));
}

void ClientPoller::go_on() {
  int running = 0;
  for (size_t i = 0; i < event_count_; ++i) {
    const auto& event = events_[i];
    if (event.data.fd == bell_) {
      uint64_t rung = 0;
      [[maybe_unused]] const auto got = read(bell_, &rung, sizeof(rung));  // empty: somebody else's ring was read
      continue;
    }
    // The peer of a connection that rests has closed it. Curl finds that out when it wants to use it again; in here it
    // would be reported for ever.
    if (!is_awaited(event.data.fd)) {
      forget(event.data.fd);
      continue;
    }
    int what = 0;
    if ((event.events & EPOLLIN) != 0) what |= CURL_CSELECT_IN;
    if ((event.events & EPOLLOUT) != 0) what |= CURL_CSELECT_OUT;
    if ((event.events & (EPOLLERR | EPOLLHUP)) != 0) what |= CURL_CSELECT_ERR;
    curl_multi_socket_action(multi_, event.data.fd, what, &running);
  }
}

void ClientPoller::wake() {
  const uint64_t one = 1;
  [[maybe_unused]] const auto put = write(bell_, &one, sizeof(one));  // full: it rings already
}

}  // namespace chandler::http
