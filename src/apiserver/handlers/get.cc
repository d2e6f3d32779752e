#include <fmt/format.h>

#include "apiserver/handlers/handlers.h"
#include "apiserver/list_options.h"
#include "apiserver/respond.h"
#include "base/text.h"

namespace chandler::apiserver {

void handle_get(const Services& services, const CallPtr& call) {
  if (const auto text = call->info.query.get("resourceVersion"); !text.empty()) {
    const auto revision = parse_uint64(text);
    if (!revision) {
      return respond_error(
          services, *call,
          bad_request(fmt::format("resourceVersion: Invalid value: {}: must be a number", quoted(text))));
    }
    const auto current = services.cache.revision();
    if (*revision > static_cast<uint64_t>(current)) {
      return respond_error(services, *call, too_large_revision(*revision, current));
    }
  }
  const auto document = services.cache.get(*call->kind, call->info.ns, call->info.name);
  if (document == nullptr) return respond_error(services, *call, not_found(call->kind->ref(call->info.name)));
  respond_object(services, *call, 200, document);
}

}  // namespace chandler::apiserver
