// Hands a backup from the thread that reads it off the disk to the connection that sends it, a few pieces at a time, so
// that a slow client costs no memory and an I/O thread never waits for the disk. Thread-safe.
#pragma once

#include <deque>
#include <memory>
#include <string>

#include "base/mutex.h"
#include "http/message.h"

namespace chandler::apiserver {

class BackupPipe {
 public:
  // The disk's side. put() waits for room; false: nobody wants the rest.
  bool put(std::string piece) CH_EXCLUDES(mutex_);
  void close() CH_EXCLUDES(mutex_);  // that was all

  // The connection's side.
  http::BodySource::State take(std::string& out, size_t budget) CH_EXCLUDES(mutex_);
  void wake_with(std::shared_ptr<http::Waker> waker) CH_EXCLUDES(mutex_);

  // Either side, or the server that stops: no more.
  void abandon() CH_EXCLUDES(mutex_);
  bool is_abandoned() const CH_EXCLUDES(mutex_);

 private:
  mutable Mutex mutex_;
  CondVar room_;
  std::deque<std::string> pieces_ CH_GUARDED_BY(mutex_);
  size_t sent_of_first_ CH_GUARDED_BY(mutex_) = 0;
  bool closed_ CH_GUARDED_BY(mutex_) = false;
  bool abandoned_ CH_GUARDED_BY(mutex_) = false;
  std::shared_ptr<http::Waker> waker_ CH_GUARDED_BY(mutex_);
};

// The body of the answer. When the connection drops it, the pipe is abandoned.
class BackupSource final : public http::BodySource {
 public:
  explicit BackupSource(std::shared_ptr<BackupPipe> pipe) : pipe_(std::move(pipe)) {}
  ~BackupSource() override { pipe_->abandon(); }
  BackupSource(const BackupSource&) = delete;
  BackupSource& operator=(const BackupSource&) = delete;

  State fill(std::string& out, size_t budget) override { return pipe_->take(out, budget); }
  void shut_down() override { pipe_->abandon(); }

 private:
  const std::shared_ptr<BackupPipe> pipe_;
};

}  // namespace chandler::apiserver
