#include <utility>

#include "apiserver/body.h"
#include "apiserver/handlers/handlers.h"
#include "apiserver/respond.h"
#include "auth/reviews.h"
#include "auth/token_request.h"

namespace chandler::apiserver {
namespace {

Result<json::Value> answer(const Services& services, const Call& call, const json::Value& request) {
  const auto& kind = call.kind->kind;
  const auto policy = services.policy.current();
  if (kind == "SelfSubjectAccessReview") return auth::self_subject_access_review(request, call.user, *policy);
  if (kind == "SubjectAccessReview") return auth::subject_access_review(request, *policy);
  if (kind == "LocalSubjectAccessReview") return auth::local_subject_access_review(request, call.info.ns, *policy);
  if (kind == "SelfSubjectRulesReview") return auth::self_subject_rules_review(request, call.user, *policy);
  if (kind == "SelfSubjectReview") return auth::self_subject_review(call.user, services.clock.now());
  if (kind == "TokenReview") return auth::token_review(request, services.authenticator);
  return internal_error("no answer is known for " + kind);
}

// A token whose issuer's keys are just being fetched is reviewed when they are there.
bool puts_off(const Services& services, const CallPtr& call, const json::Value& review) {
  const auto* spec = json::find(review, "spec");
  const auto token = spec == nullptr ? "" : json::string_or(*spec, "token");
  if (token.empty() || std::exchange(call->asked_again, true)) return false;
  auth::Credentials credentials;
  credentials.bearer_token = token;
  if (services.authenticator.authenticate(credentials).ok()) return false;
  return services.authenticator.ask_again_later(credentials, [&services, call] {
    run_on_connection(services, call, [&services, call] { handle_review(services, call); });
  });
}

}  // namespace

void handle_review(const Services& services, const CallPtr& call) {
  auto body = read_object(*call);
  if (!body.ok()) return respond_error(services, *call, body.error());
  if (call->kind->kind == "TokenReview" && puts_off(services, call, body->value)) return;
  auto answered = answer(services, *call, body->value);
  if (!answered.ok()) return respond_error(services, *call, answered.error());
  call->output.shape = Shape::kObject;
  respond_value(services, *call, 201, *answered);
}

void handle_token_request(const Services& services, const CallPtr& call) {
  auto body = read_body(*call->request);
  if (!body.ok()) return respond_error(services, *call, body.error());
  auto answered = auth::answer_token_request(body->value, call->info.ns, call->info.name, services.tokens,
                                             services.accounts, services.clock.now());
  if (!answered.ok()) return respond_error(services, *call, answered.error());
  call->output.shape = Shape::kObject;
  respond_value(services, *call, 201, *answered);
}

}  // namespace chandler::apiserver
