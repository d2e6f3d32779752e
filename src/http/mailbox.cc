#include "http/mailbox.h"

#include "base/wake_together.h"
#include "http/connection.h"

namespace chandler::http {

void Mailbox::post(Note note) {
  bool wake = false;
  {
    MutexLock lock(mutex_);
    if (closed_) return;
    wake = notes_.empty();
    notes_.push_back(std::move(note));
  }
  if (!wake) return;
  WakeTogether::wake(
      [self = shared_from_this()] { asio::post(self->context_, [box = self.get()] { box->deliver(); }); });
}

void Mailbox::deliver() {
  {
    MutexLock lock(mutex_);
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
