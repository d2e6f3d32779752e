// Renews the certificates of a server that runs for longer than they last: looks once a day and tells the owner when
// something was made anew, who then gives it to whatever uses it. One thread; thread-safe.
#pragma once

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "auth/pki.h"
#include "base/clock.h"
#include "base/mutex.h"

namespace chandler::auth {

class PkiRenewal {
 public:
  // Called on the thread of this object (or in check()) with what is valid now.
  using Renewed = std::function<void(const Pki&)>;

  // `current` is what load_or_create_pki() gave for the same directory and hosts.
  PkiRenewal(std::string directory, std::vector<std::string> hosts, Pki current, const Clock& clock, Renewed renewed);
  ~PkiRenewal();
  PkiRenewal(const PkiRenewal&) = delete;
  PkiRenewal& operator=(const PkiRenewal&) = delete;

  // One look now: renews what is about to expire. True: something was, and the owner has been told.
  Result<bool> check() CH_EXCLUDES(look_mutex_);

 private:
  void run() CH_EXCLUDES(mutex_);

  const std::string directory_;
  const std::vector<std::string> hosts_;
  const Clock& clock_;
  const Renewed renewed_;

  Mutex look_mutex_;  // one look at a time: it reads and writes files
  Pki current_ CH_GUARDED_BY(look_mutex_);

  Mutex mutex_;
  CondVar wake_;
  bool stopping_ CH_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace chandler::auth
