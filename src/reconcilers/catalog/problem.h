// Why an object cannot be worked on now: shown as its Ready condition, and left as soon as what was read changes.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/result.h"

namespace chandler::reconcilers {

struct Problem {
  std::string_view reason;
  std::string message;
  std::chrono::seconds again{0};  // look again after this time: rights, for example, cannot be watched; 0: no need
};

template <typename T>
using Found = Result<T, Problem>;

}  // namespace chandler::reconcilers
