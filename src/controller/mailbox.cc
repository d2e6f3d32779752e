#include "controller/mailbox.h"

#include <algorithm>
#include <utility>

namespace chandler::controller {

void Mailbox::put(Mail mail) {
  std::shared_ptr<const std::function<void()>> wake;
  {
    MutexLock lock(mutex_);
    if (closed_) return;
    const bool was_empty = mail_.empty() && !missed_changes_;
    if (std::holds_alternative<client::Change>(mail)) {
      if (missed_changes_) return;  // everything will be looked at anyway
      if (changes_ == most_changes_) {
        std::erase_if(mail_, [](const Mail& item) { return std::holds_alternative<client::Change>(item); });
        changes_ = 0;
        missed_changes_ = true;
      } else {
        ++changes_;
        mail_.push_back(std::move(mail));
      }
    } else {
      mail_.push_back(std::move(mail));
    }
    if (was_empty) wake = wake_;
  }
  if (wake != nullptr) (*wake)();
}

Mailbox::Delivery Mailbox::take(size_t most, std::vector<Mail> room) {
  room.clear();
  Delivery out;
  out.mail = std::move(room);
  MutexLock lock(mutex_);
  out.missed_changes = std::exchange(missed_changes_, false);
  while (!mail_.empty() && out.mail.size() < most) {
    if (std::holds_alternative<client::Change>(mail_.front())) --changes_;
    out.mail.push_back(std::move(mail_.front()));
    mail_.pop_front();
  }
  return out;
}

bool Mailbox::is_empty() const {
  MutexLock lock(mutex_);
  return mail_.empty() && !missed_changes_;
}

void Mailbox::on_mail(std::function<void()> wake) {
  MutexLock lock(mutex_);
  wake_ = wake ? std::make_shared<const std::function<void()>>(std::move(wake)) : nullptr;
}

void Mailbox::close() {
  std::deque<Mail> dropped;  // freed outside the lock
  MutexLock lock(mutex_);
  closed_ = true;
  wake_ = nullptr;
  dropped.swap(mail_);
  changes_ = 0;
}

}  // namespace chandler::controller
