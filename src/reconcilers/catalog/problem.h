// Why an object cannot be worked on now: shown as its Ready condition, and left as soon as what was read changes.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace chandler::reconcilers {

struct Problem {
  std::string_view reason;
  std::string message;
};

template <typename T>
using Found = Result<T, Problem>;

}  // namespace chandler::reconcilers
