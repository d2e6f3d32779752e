chandler_fuzz(selector DEPS meta)
chandler_fuzz(schema DEPS meta)
chandler_fuzz(apply DEPS meta)
