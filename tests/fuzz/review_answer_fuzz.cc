// What an admission webhook answers: the first byte says whether it may change the object, the rest is the body.
// Whatever it is, there is an answer of the promised shape or one line that says what is wrong; a patch either applies
// to an object or is refused.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/text.h"
#include "json/patch.h"
#include "json/reader.h"
#include "webhooks/review_answer.h"

using namespace chandler;
using namespace chandler::webhooks;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  const bool mutating = (data[0] & 1) != 0;
  const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto answer = read_answer(body, "u", "hook.example.com", mutating);
  if (!answer.ok()) {
    CH_CHECK(!answer.error().empty() && answer.error().find('\n') == std::string::npos);
    return 0;
  }
  CH_CHECK(mutating || !answer->patch);
  CH_CHECK(answer->warnings.size() <= 64);
  for (const auto& warning : answer->warnings) CH_CHECK(warning.size() <= 4099 && is_valid_utf8(warning));
  if (!answer->allowed) {
    CH_CHECK(answer->denial.http() >= 400 && answer->denial.http() <= 599);
    CH_CHECK(answer->denial.message.starts_with("admission webhook \"hook.example.com\" denied the request"));
    CH_CHECK(is_valid_utf8(answer->denial.message));
  }
  if (!answer->patch) return 0;
  const auto patch = json::parse(*answer->patch);
  if (!patch.ok() || !patch->is_array()) return 0;
  auto object = json::parse(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"v"}})");
  CH_CHECK(object.ok());
  const auto patched = json::json_patch(*object, *patch);
  CH_CHECK(patched.ok() || !patched.error().message.empty());
  return 0;
}
