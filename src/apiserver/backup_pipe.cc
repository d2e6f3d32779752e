#include "apiserver/backup_pipe.h"

#include <algorithm>
#include <utility>

namespace chandler::apiserver {
namespace {

constexpr size_t kPiecesInFlight = 8;

}  // namespace

bool BackupPipe::put(std::string piece) {
  std::shared_ptr<http::Waker> waker;
  {
    MutexLock lock(mutex_);
    while (pieces_.size() >= kPiecesInFlight && !abandoned_) room_.wait(mutex_);
    if (abandoned_) return false;
    pieces_.push_back(std::move(piece));
    waker = waker_;
  }
  if (waker != nullptr) waker->wake();
  return true;
}

void BackupPipe::close() {
  std::shared_ptr<http::Waker> waker;
  {
    MutexLock lock(mutex_);
    closed_ = true;
    waker = waker_;
  }
  if (waker != nullptr) waker->wake();
}

http::BodySource::State BackupPipe::take(std::string& out, size_t budget) {
  using State = http::BodySource::State;
  MutexLock lock(mutex_);
  if (abandoned_) return State::kEnd;
  while (budget > 0 && !pieces_.empty()) {
    const auto& first = pieces_.front();
    const size_t size = std::min(budget, first.size() - sent_of_first_);
    out.append(first, sent_of_first_, size);
    budget -= size;
    sent_of_first_ += size;
    if (sent_of_first_ < first.size()) break;
    pieces_.pop_front();
    sent_of_first_ = 0;
    room_.notify_one();
  }
  if (!pieces_.empty()) return State::kMore;
  return closed_ ? State::kEnd : State::kWaiting;
}

void BackupPipe::wake_with(std::shared_ptr<http::Waker> waker) {
  MutexLock lock(mutex_);
  waker_ = std::move(waker);
}

void BackupPipe::abandon() {
  std::shared_ptr<http::Waker> waker;
  {
    MutexLock lock(mutex_);
    abandoned_ = true;
    pieces_.clear();
    room_.notify_all();
    waker = waker_;
  }
  // A connection that waits for the next piece has to learn that none will come.
  if (waker != nullptr) waker->wake();
}

bool BackupPipe::is_abandoned() const {
  MutexLock lock(mutex_);
  return abandoned_;
}

}  // namespace chandler::apiserver
