#include "app/audit_setup.h"

#include <utility>

#include "base/file.h"

namespace chandler::app {
namespace {

constexpr uint64_t kAuditMiB = 1024 * 1024;

Result<apiserver::AuditPolicy> audit_policy(const std::string& file) {
  if (file.empty()) return apiserver::AuditPolicy::metadata_of_everything();
  CH_TRY_LET(text, read_file(file));
  return apiserver::AuditPolicy::parse(text, file);
}

}  // namespace

Result<std::unique_ptr<apiserver::AuditLog>> make_audit_log(const AuditOptions& options, const Clock& clock,
                                                            metrics::Registry& metrics) {
  if (options.log_path.empty()) {
    if (options.policy_file.empty()) return std::unique_ptr<apiserver::AuditLog>();
    return bad_request("--audit-policy-file says what is logged, but not where: add --audit-log-path");
  }
  CH_TRY_LET(policy, audit_policy(options.policy_file));
  apiserver::AuditFile::Limits limits;
  limits.max_bytes = options.max_size_mib * kAuditMiB;
  limits.max_backups = options.max_backups;
  limits.max_age_days = options.max_age_days;
  auto file = std::make_unique<apiserver::AuditFile>(options.log_path, limits, clock);
  CH_TRY(file->open());
  return std::make_unique<apiserver::AuditLog>(std::move(policy), std::move(file), metrics);
}

}  // namespace chandler::app
