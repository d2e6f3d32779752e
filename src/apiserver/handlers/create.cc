#include <fmt/format.h>

#include "apiserver/body.h"
#include "apiserver/handlers/handlers.h"
#include "apiserver/respond.h"
#include "apiserver/write_answers.h"

namespace chandler::apiserver {

void handle_create(const Services& services, const CallPtr& call) {
  if (call->kind->terminating) {
    return respond_error(services, *call,
                         forbidden(call->kind->ref(), "its CustomResourceDefinition is being deleted; no new objects"));
  }
  auto request = write_request(*call, "CreateOptions");
  if (!request.ok()) return respond_error(services, *call, request.error());
  auto body = read_object(*call);
  if (!body.ok()) return respond_error(services, *call, body.error());
  if (auto matched = check_namespace(*call, body->value); !matched.ok()) {
    return respond_error(services, *call, matched.error());
  }
  (*request)->duplicates = std::move(body->duplicates);
  use_stored_kind(services, **request);
  auto object = to_stored_form(*call, std::move(body->value));
  const auto tell = [](const Services& all, Call& done, const registry::WriteResult& result) {
    respond_written(all, done, 201, result);
  };
  services.objects.create(*request, std::move(object), when_written(services, call, tell));
}

}  // namespace chandler::apiserver
