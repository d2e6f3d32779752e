// What other threads tell the engine: changes, written, answered, rights known. Thread-safe. It outlives the engine,
// since whoever got a callback may use it late; after close() everything is dropped.
//
// Bounded: answers are as many as the engine has asked for; changes that pile up beyond a limit are dropped and
// `missed_changes` is set, upon which the engine looks at everything again.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "base/mutex.h"
#include "client/api.h"
#include "controller/dependency_index.h"
#include "osb/answer.h"

namespace chandler::controller {

struct WriteEnded {
  KeyId key = 0;
  uint64_t serial = 0;            // of the piece of work it belongs to
  std::optional<Error> error;     // none: written
  size_t index = 0;               // of the write in its stage
  registry::Revision revision{};  // of the object now
};
struct CallEnded {
  KeyId key = 0;
  uint64_t serial = 0;
  osb::Answer answer;
};
struct AccessKnown {};
using Mail = std::variant<client::Change, WriteEnded, CallEnded, AccessKnown>;

class Mailbox {
 public:
  explicit Mailbox(size_t most_changes) : most_changes_(most_changes) {}

  void put(Mail mail) CH_EXCLUDES(mutex_);
  // The oldest, at most `most` of them. `room` is the vector of an earlier delivery, whose memory is used again.
  struct Delivery {
    std::vector<Mail> mail;
    bool missed_changes = false;
  };
  Delivery take(size_t most, std::vector<Mail> room = {}) CH_EXCLUDES(mutex_);
  bool is_empty() const CH_EXCLUDES(mutex_);
  void on_mail(std::function<void()> wake) CH_EXCLUDES(mutex_);
  void close() CH_EXCLUDES(mutex_);

 private:
  const size_t most_changes_;
  mutable Mutex mutex_;
  std::deque<Mail> mail_ CH_GUARDED_BY(mutex_);
  size_t changes_ CH_GUARDED_BY(mutex_) = 0;
  bool missed_changes_ CH_GUARDED_BY(mutex_) = false;
  bool closed_ CH_GUARDED_BY(mutex_) = false;
  std::shared_ptr<const std::function<void()>> wake_ CH_GUARDED_BY(mutex_);
};

}  // namespace chandler::controller
