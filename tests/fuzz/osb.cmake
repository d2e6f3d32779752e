chandler_fuzz(osb_answer DEPS osb)
chandler_fuzz(osb_catalog DEPS osb)
