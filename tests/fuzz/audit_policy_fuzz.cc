// An audit policy file, and every request it is asked about: the text up to the first NUL byte is the policy, the rest
// a request's target.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "apiserver/audit/audit_policy.h"
#include "base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace chandler;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t end = text.find('\0');
  const auto policy = apiserver::AuditPolicy::parse(text.substr(0, end), "policy");
  if (!policy.ok()) return 0;
  const auto target = end == std::string_view::npos ? std::string_view("/api/v1/secrets") : text.substr(end + 1);
  const auto info = apiserver::parse_request_info(http::Method::kGet, target);
  if (!info.ok()) return 0;
  const auth::User user = auth::anonymous();
  const auto verdict = policy->decide(*info, &user, false);
  CH_CHECK(!info->is_resource || info->resource != "secrets" || !info->group.empty() ||
           verdict.level <= apiserver::AuditLevel::kMetadata);
  return 0;
}
