chandler_fuzz(resolve_merge DEPS resolve)
chandler_fuzz(secret_transform DEPS resolve)
chandler_fuzz(restrictions DEPS resolve)
