// What a webhook answers: an AdmissionReview with a response. Nothing in it is trusted; whatever it is, there is either
// an answer or a sentence that says what is wrong with it. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "json/value.h"

namespace chandler::webhooks {

inline constexpr size_t kMaxAnswerBytes = 4 * 1024 * 1024;  // enough for a patch that replaces the largest object

struct ReviewAnswer {
  bool allowed = false;
  Error denial;                      // when it is not allowed: what the client is told
  std::optional<std::string> patch;  // JSON of an RFC 6902 patch
  std::vector<std::string> warnings;
};

// `uid` is that of the question, `hook` the webhook's name.
Result<ReviewAnswer, std::string> read_answer(std::string_view body, std::string_view uid, std::string_view hook,
                                              bool mutating);

}  // namespace chandler::webhooks
