// The way into a loop from other threads. Responders and wakers hold it rather than the loop, so that using one after
// the server has gone is harmless and keeps nothing of the server alive. Thread-safe.
#pragma once

#include "http/asio.h"

#include <memory>
#include <vector>

#include "base/mutex.h"
#include "http/message.h"

namespace chandler::http {

class Connection;
class StreamWaker;

// What another thread has to say to a connection: a stream has more (waker), an answer, an errand that will make one,
// or (none of them) that the responder was dropped.
struct Note {
  std::weak_ptr<Connection> connection;
  std::shared_ptr<StreamWaker> waker;
  std::unique_ptr<Response> response;
  std::shared_ptr<Errand> errand = nullptr;
  int32_t stream = 0;  // in HTTP/2: which one is meant
};

class Mailbox : public std::enable_shared_from_this<Mailbox> {
 public:
  // Here rather than in the loop, because a post may be under way when the loop ends.
  asio::io_context& context() { return context_; }
  bool on_thread() { return context_.get_executor().running_in_this_thread(); }  // the loop's own

  // Many notes cost one wake-up of the loop.
  void post(Note note) CH_EXCLUDES(mutex_);
  void close() CH_EXCLUDES(mutex_);  // nobody will read any more

 private:
  void wake() CH_EXCLUDES(mutex_);
  void deliver() CH_EXCLUDES(mutex_);

  asio::io_context context_{1};
  std::vector<Note> delivering_;  // on the loop's thread
  Mutex mutex_;
  std::vector<Note> notes_ CH_GUARDED_BY(mutex_);
  bool woken_ CH_GUARDED_BY(mutex_) = false;  // and has not read the notes yet
  bool closed_ CH_GUARDED_BY(mutex_) = false;
};

}  // namespace chandler::http
