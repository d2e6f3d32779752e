chandler_fuzz(cel_parse DEPS cel)
chandler_fuzz(cel_eval DEPS cel)
