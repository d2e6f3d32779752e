// Which requests are written to the audit log, and how much of them: an audit.k8s.io/v1 Policy. The first rule that
// matches decides; a request that none matches is not logged. Whatever the rules say, bodies of secrets and tokens are
// never logged: for these the level is Metadata at most. Immutable, thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/request_info.h"
#include "auth/user.h"
#include "base/result.h"
#include "json/value.h"

namespace chandler::apiserver {

enum class AuditLevel { kNone, kMetadata, kRequest, kRequestResponse };
std::string_view audit_level_name(AuditLevel level);  // "Metadata"

enum class AuditStage : unsigned { kRequestReceived = 1, kResponseStarted = 2, kResponseComplete = 4, kPanic = 8 };
std::string_view audit_stage_name(AuditStage stage);  // "ResponseComplete"

struct AuditVerdict {
  AuditLevel level = AuditLevel::kNone;
  unsigned omitted_stages = 0;  // AuditStage values, or-ed
  bool omit_managed_fields = false;

  bool wants(AuditStage stage) const {
    return level != AuditLevel::kNone && (omitted_stages & static_cast<unsigned>(stage)) == 0;
  }
};

class AuditPolicy {
 public:
  // `file` is what errors call the text; they name rule and field: "audit.yaml: rules[2].level: ...". Every fault is
  // told, not only the first.
  static Result<AuditPolicy> parse(std::string_view text, std::string_view file);
  // Everything at Metadata, once each, when it is answered.
  static AuditPolicy metadata_of_everything();

  // `user` is null when authentication failed: only rules for everybody match then. `is_secret`: the kind's content is
  // secret, as its definition says.
  AuditVerdict decide(const RequestInfo& info, const auth::User* user, bool is_secret) const;
  size_t rules() const { return rules_.size(); }

 private:
  struct Resources {
    std::string group;
    std::vector<std::string> resources;
    std::vector<std::string> names;
  };
  struct Rule {
    AuditVerdict verdict;
    std::vector<std::string> users;
    std::vector<std::string> user_groups;
    std::vector<std::string> verbs;
    std::vector<Resources> resources;
    std::vector<std::string> namespaces;
    std::vector<std::string> urls;
  };
  class Reader;

  static bool matches(const Rule& rule, const RequestInfo& info, const auth::User* user);
  static bool matches_resource(const Rule& rule, const RequestInfo& info);

  std::vector<Rule> rules_;
};

}  // namespace chandler::apiserver
