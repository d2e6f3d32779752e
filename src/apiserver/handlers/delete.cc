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
  services.objects.remove(*request, std::move(*options), [&services, call](Result<registry::WriteResult> result) {
    if (!result.ok()) return respond_error(services, *call, result.error());
    const bool as_status =
        result->removed && !call->kind->delete_returns_object && call->output.shape == Shape::kObject;
    if (!as_status) return respond_written(services, *call, 200, *result);
    auto about = call->kind->ref(call->info.name);
    about.uid = result->uid;
    respond_value(services, *call, 200, success_status(about), result->warnings);
  });
}

}  // namespace chandler::apiserver
