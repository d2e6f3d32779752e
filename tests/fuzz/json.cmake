chandler_fuzz(json DEPS json)
chandler_fuzz(yaml DEPS json)
chandler_fuzz(patch DEPS json)
chandler_fuzz(json_path DEPS json)
