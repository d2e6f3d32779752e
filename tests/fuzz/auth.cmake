chandler_fuzz(token DEPS auth)
