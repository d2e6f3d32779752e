// One call of one webhook: from the question to an answer or to why there is none. Holds no thread while it waits.
// Thread-safe.
#pragma once

#include <functional>
#include <string>

#include "admission/lookup.h"
#include "base/clock.h"
#include "http/client.h"
#include "registry/reviewer.h"
#include "webhooks/hook.h"
#include "webhooks/hook_metrics.h"
#include "webhooks/review_answer.h"

namespace chandler::webhooks {

// A question that is ready to be sent.
struct Question {
  HookPtr hook;
  registry::Operation operation = registry::Operation::kCreate;
  std::string uid;
  std::string body;
};

// Why a webhook gave no answer.
struct CallFailure {
  std::string why;
  bool stopping = false;  // because this server stops: then nothing may be concluded from it
};

class HookCaller {
 public:
  using Outcome = Result<ReviewAnswer, CallFailure>;
  using Done = std::function<void(Outcome)>;

  HookCaller(http::Client& client, const admission::Lookup& lookup, HookMetrics& metrics, const Clock& clock)
      : client_(client), lookup_(lookup), metrics_(metrics), clock_(clock) {}

  // `done` runs once: at once when the webhook cannot be called, else on the client's thread, so it has to be quick.
  void call(Question question, Done done);

 private:
  struct Pending;
  void send(const std::shared_ptr<Pending>& pending);
  void took(const std::shared_ptr<Pending>& pending, http::ClientOutcome outcome);
  void finish(const Pending& pending, int code, Outcome outcome);

  http::Client& client_;
  const admission::Lookup& lookup_;
  HookMetrics& metrics_;
  const Clock& clock_;
};

}  // namespace chandler::webhooks
