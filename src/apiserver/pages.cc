#include "apiserver/pages.h"

namespace chandler::apiserver {

json::Object page_metadata(const registry::Page& page) {
  json::Object metadata;
  metadata["resourceVersion"] = std::to_string(page.revision);
  if (page.more) {
    const auto& last = *page.items.back();
    metadata["continue"] = ContinueToken{page.revision, std::string(last.ns()), std::string(last.name())}.encode();
    if (page.remaining) metadata["remainingItemCount"] = *page.remaining;
  }
  return metadata;
}

Result<registry::Page> read_page(const Services& services, const Call& call, const ListOptions& options) {
  std::string ns;
  std::string after;
  registry::Revision at = 0;
  if (!options.continue_token.empty()) {
    CH_TRY_LET(token, ContinueToken::decode(options.continue_token));
    ns = token.ns;
    after = token.name + '\0';
    at = token.revision == -1 ? 0 : token.revision;
  } else if (options.revision != 0 && (options.match == "Exact" || (options.match.empty() && options.limit != 0))) {
    at = options.revision;
  }
  auto page = services.cache.list(*call.kind, options.query, options.limit, {ns, after}, at);
  if (!page.ok() && !options.continue_token.empty()) {
    auto error = std::move(page).error();
    after.pop_back();
    error.continue_token = ContinueToken{-1, ns, after}.encode();
    return error;
  }
  return page;
}

}  // namespace chandler::apiserver
