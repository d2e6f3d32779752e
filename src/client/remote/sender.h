// Requests of the remote client: credentials are fetched, answers are parsed and handed over on the client's own
// thread. Thread-safe.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/mutex.h"
#include "client/connection.h"
#include "client/remote/task_thread.h"
#include "http/client.h"
#include "json/value.h"

namespace chandler::client {

class Sender : public std::enable_shared_from_this<Sender> {
 public:
  using Answer = std::function<void(Result<json::Value>)>;
  struct Message {
    std::string method = "GET";
    std::string path;  // with its query
    std::string body;  // JSON; empty: none
    std::chrono::milliseconds timeout{60'000};
    size_t max_body_bytes = 16 * 1024 * 1024;
  };

  // `client` outlives it.
  Sender(http::Client& client, Connection connection);
  ~Sender();

  // `answer` runs once, on the task thread; when stopped, on the thread that stops.
  void send(Message message, Answer answer) CH_EXCLUDES(mutex_);

  // A stream: `piece` runs on the HTTP client's thread, `end` once on the task thread with the outcome. Called on the
  // task thread. 0: `end` has been posted with a failure already.
  using Piece = std::function<bool(std::string_view)>;
  using End = std::function<void(Result<void>)>;
  http::Client::Ticket stream(const std::string& path, std::chrono::milliseconds timeout, Piece piece, End end);
  void cancel(http::Client::Ticket ticket) { client_.cancel(ticket); }

  TaskThread& tasks() { return tasks_; }
  const std::string& server() const { return connection_.server; }
  // Unanswered messages end with an error.
  void stop() CH_EXCLUDES(mutex_);

 private:
  uint64_t enter(Answer& answer) CH_EXCLUDES(mutex_);
  void send_now(uint64_t id, const Message& message);
  void note(const http::ClientOutcome& outcome);
  void finish(uint64_t id, Result<json::Value> result) CH_EXCLUDES(mutex_);

  http::Client& client_;
  const Connection connection_;
  TaskThread tasks_{"api-client"};
  Mutex mutex_;
  std::map<uint64_t, Answer> unanswered_ CH_GUARDED_BY(mutex_);
  uint64_t next_ CH_GUARDED_BY(mutex_) = 1;
  bool stopped_ CH_GUARDED_BY(mutex_) = false;
};

}  // namespace chandler::client
