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

void WakeTogether::wake(std::function<void()> waking) {
  if (current == nullptr) return waking();
  current->put_off_.push_back(std::move(waking));
}

}  // namespace chandler
