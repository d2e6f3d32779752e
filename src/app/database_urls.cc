#include "app/database_urls.h"

#include "base/private_file.h"
#include "base/text.h"

namespace chandler::app {

Result<brokers::DatabaseUrls> read_database_urls(brokers::DatabaseUrls urls) {
  for (auto* url : {&urls.mysql, &urls.postgresql, &urls.redis}) {
    if (!url->starts_with("@")) continue;
    CH_TRY_LET(text, read_given_file(url->substr(1)));
    *url = std::string(trim(text));
  }
  return urls;
}

}  // namespace chandler::app
