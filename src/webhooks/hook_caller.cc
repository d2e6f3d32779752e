#include "webhooks/hook_caller.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "webhooks/hook_address.h"

namespace chandler::webhooks {
namespace {

using Kind = http::ClientFailure::Kind;

CallFailure failure(std::string why) { return {std::move(why), false}; }

}  // namespace

struct HookCaller::Pending {
  Question question;
  Done done;
  std::string url;
  MonoTime started{};
  MonoTime due{};
  bool repeated = false;
};

void HookCaller::call(Question question, Done done) {
  auto pending = std::make_shared<Pending>();
  pending->question = std::move(question);
  pending->done = std::move(done);
  pending->started = clock_.mono();
  pending->due = pending->started + pending->question.hook->timeout;
  auto url = hook_url(*pending->question.hook, lookup_);
  if (!url.ok()) return finish(*pending, 0, fail(failure(std::move(url).error())));
  pending->url = fmt::format("{}?timeout={}s", *url, pending->question.hook->timeout.count());
  send(pending);
}

void HookCaller::send(const std::shared_ptr<Pending>& pending) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(pending->due - clock_.mono());
  http::ClientRequest request;
  request.method = "POST";
  request.url = pending->url;
  request.headers.set("Content-Type", "application/json");
  request.headers.set("Accept", "application/json, */*");
  request.body = pending->question.body;
  request.tls = pending->question.hook->tls;
  request.timeout = std::max(left, std::chrono::milliseconds(1));  // 0 would be for ever
  request.connect_timeout = request.timeout;
  request.max_body_bytes = kMaxAnswerBytes;
  client_.send(std::move(request), [this, pending](http::ClientOutcome outcome) { took(pending, std::move(outcome)); });
}

void HookCaller::took(const std::shared_ptr<Pending>& pending, http::ClientOutcome outcome) {
  const auto& question = pending->question;
  if (!outcome.ok()) {
    const auto& problem = outcome.error();
    // A kept connection that the webhook has closed meanwhile. Being asked twice is nothing a webhook may mind.
    if (problem.kind == Kind::kBroken && !std::exchange(pending->repeated, true) && clock_.mono() < pending->due) {
      return send(pending);
    }
    CallFailure failed = failure(fmt::format("failed to call webhook: {}", problem.message));
    failed.stopping = problem.kind == Kind::kCancelled;
    return finish(*pending, 0, fail(std::move(failed)));
  }
  const int code = outcome->status;
  if (code < 200 || code > 299) {
    const auto why = code < 400 && code >= 300 ? "; redirects are not followed: use the final address" : "";
    return finish(*pending, code, fail(failure(fmt::format("failed to call webhook: it answered {}{}", code, why))));
  }
  auto answer = read_answer(outcome->body, question.uid, question.hook->name, question.hook->mutating);
  if (!answer.ok()) {
    return finish(*pending, code, fail(failure("received invalid webhook response: " + std::move(answer).error())));
  }
  finish(*pending, code, std::move(answer).value());
}

void HookCaller::finish(const Pending& pending, int code, Outcome outcome) {
  const bool rejected = !outcome.ok() ? !pending.question.hook->fails_open : !outcome->allowed;
  metrics_.called(*pending.question.hook, pending.question.operation, code, rejected, clock_.mono() - pending.started);
  pending.done(std::move(outcome));
}

}  // namespace chandler::webhooks
