#include "webhooks/review_answer.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "client/status_error.h"
#include "json/reader.h"

namespace chandler::webhooks {
namespace {

constexpr size_t kMaxWarnings = 64;
constexpr size_t kMaxWarning = 4096;  // bytes; the header is cut shorter yet
constexpr size_t kMaxMessage = 8192;
constexpr int kLeastDenial = 400;

// At most `limit` bytes, without cutting a character apart.
std::string shortened(std::string text, size_t limit) {
  if (text.size() <= limit) return text;
  while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xc0) == 0x80) --limit;
  text.resize(limit);
  return text + "...";
}

Error denial_of(const json::Value& response, std::string_view hook) {
  const auto by = fmt::format("admission webhook {} denied the request", quoted(hook));
  const auto* status = json::find(response, "status");
  if (status == nullptr || !status->is_object()) {
    Error error;
    error.code = kLeastDenial;
    error.message = by + " without explanation";
    return error;
  }
  Error error = client::error_of_status(*status, kLeastDenial);
  error.code = std::max(error.code, kLeastDenial);
  error.continue_token.clear();
  const auto message = json::string_or(*status, "message");
  const auto reason = json::string_or(*status, "reason");
  if (reason.empty()) error.reason = Reason::kUnknown;  // the webhook gave none, so none is made up
  if (!message.empty() || !reason.empty()) {
    error.message = fmt::format("{}: {}", by, shortened(message.empty() ? reason : message, kMaxMessage));
  } else {
    error.message = by + " without explanation";
  }
  return error;
}

std::string kind_text(const json::Value& review) {
  const auto version = json::string_or(review, "apiVersion");
  const auto slash = version.find('/');
  const auto group = slash == version.npos ? "" : version.substr(0, slash);
  return fmt::format("{}/{}, Kind={}", group, slash == version.npos ? version : version.substr(slash + 1),
                     json::string_or(review, "kind"));
}

// Why the patch is no patch; "" when it is one, or there is none.
std::string take_patch(const json::Value& response, bool mutating, ReviewAnswer& answer) {
  const auto patch = json::string_or(response, "patch");
  const auto type = json::string_or(response, "patchType");
  if (!mutating) {
    if (!patch.empty()) return "validating webhook may not return response.patch";
    return type.empty() ? "" : "validating webhook may not return response.patchType";
  }
  if (patch.empty() && type.empty()) return "";
  if (type.empty()) return "webhook returned response.patch but not response.patchType";
  if (patch.empty()) return "webhook returned response.patchType but not response.patch";
  if (type != "JSONPatch") {
    return fmt::format("webhook returned invalid response.patchType of {}", quoted(shortened(type, kMaxWarning)));
  }
  auto decoded = base64_decode(patch);
  if (!decoded) return "response.patch is not in base64";
  answer.patch = std::move(*decoded);
  return "";
}

}  // namespace

Result<ReviewAnswer, std::string> read_answer(std::string_view body, std::string_view uid, std::string_view hook,
                                              bool mutating) {
  const auto parsed = json::parse(body);
  if (!parsed.ok()) return fail(std::string("the answer is no JSON document"));
  const auto* response = json::object_at(*parsed, "response");
  if (response == nullptr) return fail(std::string("webhook response was absent"));
  const auto& answered = *json::find(*parsed, "response");
  if (const auto got = json::string_or(answered, "uid"); got != uid) {
    return fail(fmt::format("expected response.uid={}, got {}", quoted(uid), quoted(shortened(got, 128))));
  }
  if (json::string_or(*parsed, "apiVersion") != "admission.k8s.io/v1" ||
      json::string_or(*parsed, "kind") != "AdmissionReview") {
    return fail(fmt::format("expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got {}",
                            shortened(kind_text(*parsed), 256)));
  }
  ReviewAnswer answer;
  answer.allowed = json::bool_at(answered, "allowed").value_or(false);
  if (auto fault = take_patch(answered, mutating, answer); !fault.empty()) return fail(std::move(fault));
  const auto* warnings = json::array_at(answered, "warnings");
  for (size_t i = 0; warnings != nullptr && i < std::min(warnings->size(), kMaxWarnings); ++i) {
    if ((*warnings)[i].is_string()) {
      answer.warnings.push_back(shortened(std::string(json::view((*warnings)[i].get_string())), kMaxWarning));
    }
  }
  if (!answer.allowed) answer.denial = denial_of(answered, hook);
  return answer;
}

}  // namespace chandler::webhooks
