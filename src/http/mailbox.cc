#include "http/mailbox.h"

#include "base/wake_together.h"
#include "http/connection.h"

namespace chandler::http {

void Mailbox::post(Note note) {
  {
    MutexLock lock(mutex_);
    if (closed_) return;
    notes_.push_back(std::move(note));
    if (woken_) return;
  }
  // One that is put off holds up nobody else: who posts meanwhile wakes the loop for both.
  if (!WakeTogether::put_off([self = shared_from_this()] { self->wake(); })) wake();
}

void Mailbox::wake() {
  {
    MutexLock lock(mutex_);
    if (woken_ || notes_.empty()) return;
    woken_ = true;
  }
  asio::post(context_, [this] { deliver(); });
}

void Mailbox::deliver() {
  {
    MutexLock lock(mutex_);
    woken_ = false;
    delivering_.swap(notes_);
  }
  for (Note& note : delivering_) {
    if (const auto connection = note.connection.lock()) {
      connection->deliver(note);
    } else if (note.errand) {
      note.errand->run();
    }
  }
  delivering_.clear();
}

void Mailbox::close() {
  std::vector<Note> unread;
  MutexLock lock(mutex_);
  closed_ = true;
  unread.swap(notes_);
}

}  // namespace chandler::http
