#include "client/remote/sender.h"

#include <utility>

#include "client/status_error.h"

namespace chandler::client {
namespace {

Error stopped_error() { return unavailable("the program is stopping"); }

}  // namespace

Sender::Sender(http::Client& client, Connection connection) : client_(client), connection_(std::move(connection)) {}

Sender::~Sender() { stop(); }

// The number of the message that this is the answer to. 0: stopped, and the answer is still the caller's.
uint64_t Sender::enter(Answer& answer) {
  MutexLock lock(mutex_);
  if (stopped_) return 0;
  const uint64_t id = next_++;
  unanswered_.emplace(id, std::move(answer));
  return id;
}

void Sender::send(Message message, Answer answer) {
  const uint64_t id = enter(answer);
  if (id == 0) return answer(fail(stopped_error()));
  tasks_.post([this, id, message = std::move(message)] { send_now(id, message); });
}

void Sender::send_now(uint64_t id, const Message& message) {
  auto request = connection_.request(message.method, message.path);
  if (!request.ok()) return finish(id, fail(std::move(request).error()));
  if (!message.body.empty()) {
    request->headers.set("Content-Type", "application/json");
    request->body = message.body;
  }
  request->timeout = message.timeout;
  request->max_body_bytes = message.max_body_bytes;
  client_.send(std::move(*request), [weak = weak_from_this(), id](http::ClientOutcome outcome) {
    const auto self = weak.lock();
    if (self == nullptr) return;
    self->tasks_.post([weak, id, outcome = std::make_shared<http::ClientOutcome>(std::move(outcome))] {
      const auto sender = weak.lock();
      if (sender == nullptr) return;
      sender->note(*outcome);
      sender->finish(id, json_of(*outcome, sender->server()));
    });
  });
}

http::Client::Ticket Sender::stream(const std::string& path, std::chrono::milliseconds timeout, Piece piece, End end) {
  auto request = connection_.request("GET", path);
  if (!request.ok()) {
    tasks_.post([end = std::move(end), error = std::move(request).error()] { end(error); });
    return 0;
  }
  request->timeout = timeout;
  request->on_piece = std::move(piece);
  return client_.send(
      std::move(*request), [weak = weak_from_this(), end = std::move(end)](http::ClientOutcome outcome) {
        const auto self = weak.lock();
        if (self == nullptr) return;
        // Not here: credentials may be busy with a plugin, and this thread serves all requests.
        self->tasks_.post([weak, end, outcome = std::make_shared<http::ClientOutcome>(std::move(outcome))] {
          const auto sender = weak.lock();
          if (sender == nullptr) return;
          sender->note(*outcome);
          if (!outcome->ok()) return end(error_of_failure(outcome->error(), sender->server()));
          if ((*outcome)->status < 200 || (*outcome)->status > 299) return end(error_of_response(**outcome));
          end({});
        });
      });
}

void Sender::note(const http::ClientOutcome& outcome) {
  if (outcome.ok() && outcome->status == 401) connection_.credentials->refused();
}

void Sender::finish(uint64_t id, Result<json::Value> result) {
  Answer answer;
  {
    MutexLock lock(mutex_);
    const auto it = unanswered_.find(id);
    if (it == unanswered_.end()) return;
    answer = std::move(it->second);
    unanswered_.erase(it);
  }
  answer(std::move(result));
}

void Sender::stop() {
  tasks_.stop();
  std::map<uint64_t, Answer> unanswered;
  {
    MutexLock lock(mutex_);
    stopped_ = true;
    unanswered.swap(unanswered_);
  }
  for (auto& [id, answer] : unanswered) answer(fail(stopped_error()));
}

}  // namespace chandler::client
