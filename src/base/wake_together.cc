#include "base/wake_together.h"

#include <utility>

#include "base/check.h"

namespace chandler {
namespace {

thread_local WakeTogether* current = nullptr;

}  // namespace

WakeTogether::WakeTogether() {
  CH_CHECK(current == nullptr);
  current = this;
}

WakeTogether::~WakeTogether() {
  current = nullptr;
  for (const auto& waking : put_off_) waking();
}

bool WakeTogether::put_off(std::function<void()> waking) {
  if (current == nullptr) return false;
  current->put_off_.push_back(std::move(waking));
  return true;
}

}  // namespace chandler
