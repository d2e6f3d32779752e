// Nobody may grant more than they hold. Checked when roles and bindings are written; the verbs escalate (on the role)
// and bind (on the role that is bound) lift the rule, and system:masters hold everything. Pure over the policy in
// force.
#pragma once

#include "auth/policy.h"
#include "base/result.h"
#include "json/value.h"

namespace chandler::auth {

// `role`: the Role or ClusterRole as it would be stored; `old`: as it is stored now, null on create. An update that
// leaves what is granted alone needs no rights. Forbidden, listing what the user lacks.
Result<void> check_role_escalation(const Policy& policy, const User& user, const json::Value& role,
                                   const json::Value* old);

// The same for a RoleBinding or ClusterRoleBinding. NotFound when the user would need the rights of a role that does
// not exist.
Result<void> check_binding_escalation(const Policy& policy, const User& user, const json::Value& binding,
                                      const json::Value* old);

}  // namespace chandler::auth
