#include "http/loop.h"

#include <pthread.h>
#include <csignal>

#include "base/pool.h"
#include "http/connection.h"
#include "http/wire.h"

namespace chandler::http {

namespace {

constexpr std::chrono::milliseconds kTick{250};
constexpr std::chrono::milliseconds kLinger{2'000};
constexpr size_t kScratch = 64 * 1024;
constexpr size_t kSpareBuffers = 64;
constexpr size_t kSpareBufferSize = 256 * 1024;

Deadlines::Durations durations(const ServerOptions& options) {
  Deadlines::Durations durations{};
  durations[static_cast<size_t>(Stage::kHandshake)] = options.handshake_timeout;
  durations[static_cast<size_t>(Stage::kIdle)] = options.idle_timeout;
  durations[static_cast<size_t>(Stage::kHead)] = options.header_timeout;
  durations[static_cast<size_t>(Stage::kBody)] = options.body_timeout;
  durations[static_cast<size_t>(Stage::kWrite)] = options.write_timeout;
  durations[static_cast<size_t>(Stage::kLinger)] = kLinger;
  return durations;
}

}  // namespace

Loop::Loop(std::shared_ptr<ServerState> server, size_t index)
    : server_(std::move(server)),
      index_(index),
      work_(asio::make_work_guard(context())),
      timer_(context()),
      deadlines_(durations(server_->options)),
      scratch_(kScratch) {}

Loop::~Loop() = default;

void Loop::start() {
  tick();
  thread_ = std::thread([this] { run(); });
}

void Loop::run() {
  name_this_thread("http-" + std::to_string(index_));
  // OpenSSL writes to sockets whose other end may be gone; that must come back as an error.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  context().run();
}

void Loop::drain() {
  asio::post(context(), [this] {
    draining_ = true;
    // A connection that has nothing to finish leaves the list while we walk it.
    for (auto it = connections_.begin(); it != connections_.end();) {
      const std::shared_ptr<Connection> connection = *it++;
      connection->drain();
    }
    tell_if_empty();
  });
}

void Loop::wait_until_empty(std::chrono::steady_clock::time_point until) {
  MutexLock lock(mutex_);
  while (!empty_) {
    if (!emptied_.wait_until(mutex_, until)) return;
  }
}

void Loop::finish() {
  asio::post(context(), [this] {
    while (!connections_.empty()) {
      const std::shared_ptr<Connection> connection = connections_.front();
      connection->close();
    }
    mailbox_->close();
    // An expiry that is already on its way cannot be cancelled, so the tick asks too.
    finished_ = true;
    timer_.cancel();
    work_.reset();
  });
  thread_.join();
}

Loop::Connections::iterator Loop::add(std::shared_ptr<Connection> connection) {
  return connections_.insert(connections_.end(), std::move(connection));
}

void Loop::remove(Connections::iterator connection) {
  connections_.erase(connection);
  if (draining_) tell_if_empty();
}

void Loop::tell_if_empty() {
  if (!connections_.empty()) return;
  MutexLock lock(mutex_);
  empty_ = true;
  emptied_.notify_all();
}

void Loop::tick() {
  timer_.expires_after(kTick);
  timer_.async_wait([this](error_code ec) {
    if (ec || finished_) return;
    const auto now = std::chrono::steady_clock::now();
    while (Deadline* expired = deadlines_.pop_expired(now)) expired->expire();
    cool_paused();
    tick();
  });
}

void Loop::cool_paused() {
  std::erase_if(warm_, [](const std::weak_ptr<Connection>& weak) {
    const auto connection = weak.lock();
    return connection == nullptr || connection->cool();
  });
}

std::string_view Loop::date() {
  const std::time_t now = std::time(nullptr);
  if (now != date_second_) {
    date_second_ = now;
    date_ = http_date(now);
  }
  return date_;
}

std::string Loop::take_buffer() {
  if (spare_.empty()) return {};
  std::string buffer = std::move(spare_.back());
  spare_.pop_back();
  return buffer;
}

void Loop::give_buffer(std::string buffer) {
  // One that never held anything owns no memory.
  if (buffer.capacity() <= sizeof(std::string) || buffer.capacity() > kSpareBufferSize) return;
  if (spare_.size() >= kSpareBuffers) return;
  buffer.clear();
  spare_.push_back(std::move(buffer));
}

}  // namespace chandler::http
