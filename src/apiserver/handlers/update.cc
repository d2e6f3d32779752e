#include "apiserver/body.h"
#include "apiserver/handlers/handlers.h"
#include "apiserver/respond.h"
#include "apiserver/write_answers.h"

namespace chandler::apiserver {

void handle_update(const Services& services, const CallPtr& call) {
  auto request = write_request(*call, "UpdateOptions");
  if (!request.ok()) return respond_error(services, *call, request.error());
  auto body = read_object(*call);
  if (!body.ok()) return respond_error(services, *call, body.error());
  for (const auto& check : {check_name(*call, body->value), check_namespace(*call, body->value)}) {
    if (!check.ok()) return respond_error(services, *call, check.error());
  }
  (*request)->duplicates = std::move(body->duplicates);
  if (call->kind->create_on_update) (*request)->may_create = creation_check(services, *call, (*request)->user);
  use_stored_kind(services, **request);
  const auto wanted = std::make_shared<const json::Value>(to_stored_form(*call, std::move(body->value)));
  const auto tell = [](const Services& all, Call& done, const registry::WriteResult& result) {
    respond_written(all, done, result.created ? 201 : 200, result);
  };
  services.objects.update(
      *request, [wanted](const registry::Document&) -> Result<json::Value> { return *wanted; }, wanted.get(),
      when_written(services, call, tell));
}

}  // namespace chandler::apiserver
