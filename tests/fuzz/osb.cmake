chandler_fuzz(osb_answer DEPS osb READS osb/answer.cc osb/client/sender.cc osb/client/shape.cc osb/client/http_date.cc)
chandler_fuzz(osb_catalog DEPS osb READS osb/catalog.cc osb/catalog_entry.cc osb/catalog_suggestions.cc)
