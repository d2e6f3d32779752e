chandler_fuzz(path DEPS apiserver)
chandler_fuzz(audit_policy DEPS apiserver)
