#include "apiserver/console.h"
#include "apiserver/handlers/handlers.h"
#include "apiserver/respond.h"

namespace chandler::apiserver {
namespace {

void answer(const Services& services, const CallPtr& call, const ConsolePath& path) {
  const auto& query = call->info.query;
  const Console console(services.kinds.current(), services.cache, services.policy.current(), call->user);
  auto answered =
      path.usage_kind.empty()
          ? console.usage_kinds(query.get("namespace"))
          : console.resources({path.usage_kind, query.get("namespace"), query.get("limit"), query.get("continue")});
  if (!answered.ok()) return respond_error(services, *call, answered.error());
  respond_value(services, *call, 200, *answered);
}

}  // namespace

void handle_console(const Services& services, const CallPtr& call) {
  const auto path = parse_console_path(call->info.path);
  if (!path) return respond_error(services, *call, not_found({}));
  // It looks at whole collections, which is no work for a thread that serves connections.
  if (!services.pool.submit([&services, call, path = *path] { answer(services, call, path); })) {
    respond_error(services, *call, too_many_requests("the server is busy; try again", 1));
  }
}

}  // namespace chandler::apiserver
