#include "auth/pki_renewal.h"

#include <utility>

#include "base/log.h"
#include "base/pool.h"

namespace chandler::auth {
namespace {

constexpr std::chrono::hours kPause{24};
constexpr std::chrono::hours kPauseAfterFault{1};

}  // namespace

PkiRenewal::PkiRenewal(std::string directory, std::vector<std::string> hosts, Pki current, const Clock& clock,
                       Renewed renewed)
    : directory_(std::move(directory)),
      hosts_(std::move(hosts)),
      clock_(clock),
      renewed_(std::move(renewed)),
      current_(std::move(current)),
      thread_([this] { run(); }) {}

PkiRenewal::~PkiRenewal() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    wake_.notify_all();
  }
  thread_.join();
}

Result<bool> PkiRenewal::check() {
  MutexLock lock(look_mutex_);
  CH_TRY_LET(now, load_or_create_pki(directory_, hosts_, clock_));
  if (now == current_) return false;
  current_ = std::move(now);
  renewed_(current_);
  return true;
}

void PkiRenewal::run() {
  name_this_thread("pki-renewal");
  auto pause = kPause;
  while (true) {
    {
      MutexLock lock(mutex_);
      const auto until = std::chrono::steady_clock::now() + pause;
      while (!stopping_ && wake_.wait_until(mutex_, until)) {
      }
      if (stopping_) return;
    }
    const auto looked = check();
    pause = looked.ok() ? kPause : kPauseAfterFault;
    if (!looked.ok()) {
      log::error("certificates could not be renewed", {{"error", looked.error().message}});
    } else if (*looked) {
      log::info("certificates were renewed", {{"directory", directory_}});
    }
  }
}

}  // namespace chandler::auth
