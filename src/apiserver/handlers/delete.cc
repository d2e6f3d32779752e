#include "apiserver/body.h"
#include "apiserver/delete_options.h"
#include "apiserver/handlers/handlers.h"
#include "apiserver/respond.h"
#include "apiserver/status.h"
#include "apiserver/write_answers.h"

namespace chandler::apiserver {

void handle_delete(const Services& services, const CallPtr& call) {
  auto request = write_request(*call, "DeleteOptions");
  if (!request.ok()) return respond_error(services, *call, request.error());
  auto options = delete_options(*call, **request);
  if (!options.ok()) return respond_error(services, *call, options.error());
  use_stored_kind(services, **request);
  const auto tell = [](const Services& all, Call& done, const registry::WriteResult& result) {
    const bool as_status = result.removed && !done.kind->delete_returns_object && done.output.shape == Shape::kObject;
    if (!as_status) return respond_written(all, done, 200, result);
    auto about = done.kind->ref(done.info.name);
    about.uid = result.uid;
    respond_value(all, done, 200, success_status(about), result.warnings);
  };
  services.objects.remove(*request, std::move(*options), when_written(services, call, tell));
}

}  // namespace chandler::apiserver
