// The error of a patch that is well formed but cannot be applied: Invalid, 422.
#pragma once

#include <string>
#include <utility>

#include "base/error.h"

namespace chandler::json {

inline Error patch_refused(std::string why) {
  Error error;
  error.reason = Reason::kInvalid;
  error.message = std::move(why);
  return error;
}

}  // namespace chandler::json
