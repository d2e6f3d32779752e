// A broker's answer: the first byte chooses the method, the second the status, a line the Retry-After, the rest is the
// body. Whatever it is, there is a verdict in one line, and what is called well formed has the promised shape.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/text.h"
#include "osb/answer.h"
#include "osb/broker_text.h"
#include "osb/client/sender.h"

using namespace chandler;
using namespace chandler::osb;

namespace {

constexpr std::array kStatuses{200, 201, 202, 204, 301, 304, 400, 401, 403,
                               404, 408, 409, 410, 412, 422, 429, 500, 999};
constexpr int kMethods = static_cast<int>(Method::kPollBinding) + 1;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  Call call;
  call.method = static_cast<Method>(data[0] % kMethods);
  call.accepts_incomplete = data[0] >= 128;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 2, size - 2);
  const size_t line = std::min(rest.find('\n'), rest.size());
  http::ClientResponse response;
  response.status = kStatuses[data[1] % kStatuses.size()];
  response.headers.add("Retry-After", rest.substr(0, line));
  response.headers.add("Date", "Sun, 06 Nov 1994 08:49:37 GMT");
  response.body = rest.substr(std::min(line + 1, rest.size()));

  Answer answer = to_answer(call.method, std::move(response));
  Sensitive sensitive;
  sensitive.add("swordfish-4711");
  clean(answer, sensitive);
  CH_CHECK(answer.well_formed == answer.malformed_why.empty());
  CH_CHECK(answer.body.is_null() || answer.body.is_object());
  CH_CHECK(answer.error.size() <= 103 && answer.description.size() <= 1003);
  for (const auto* text : {&answer.error, &answer.description, &answer.dashboard_url, &answer.etag}) {
    CH_CHECK(is_visible(*text) && text->find("swordfish-4711") == std::string::npos);
  }
  CH_CHECK(!answer.retry_after || (answer.retry_after->count() >= 0 && answer.retry_after->count() <= 86'400));
  const Verdict verdict = judge(call, answer);
  CH_CHECK(!verdict.message.empty() && verdict.message.find('\n') == std::string::npos);
  CH_CHECK(!consequence_name(verdict.consequence).empty());
  if (call.method == Method::kPollInstance || call.method == Method::kPollBinding) {
    const Poll poll = read_poll(call, answer);
    CH_CHECK(poll.state == PollState::kUnknown || poll.state == PollState::kGone || answer.status == 200);
  }
  return 0;
}
