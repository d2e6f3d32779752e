// An answer of a broker in the light of the object it came for: what instances and bindings make of it in the same way,
// namely waiting for an operation, asking how it is getting on, and repeating a removal. What differs between the two
// stays with them. Lives for one run of a reconciler; borrows everything but the draft.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "controller/step.h"
#include "reconcilers/catalog/operation.h"

namespace chandler::reconcilers {

struct BrokerReply {
  const client::Object& object;
  const Settings& settings;
  WallTime now;
  const controller::CallOutcome& outcome;
  osb::Verdict verdict;
  Draft draft;

  BrokerReply(const client::Object& about, Draft of_it, const Settings& with, WallTime at,
              const controller::CallOutcome& answered)
      : object(about),
        settings(with),
        now(at),
        outcome(answered),
        verdict(osb::judge(answered.call, answered.answer)),
        draft(std::move(of_it)) {}

  json::Object& status() { return draft.status(); }
  const json::Value& stored() const { return status_of(object); }
  bool has_answer() const { return !outcome.answer.failure; }
  bool is_cleaning_up() const { return true_at(stored(), "orphanMitigationInProgress"); }
  controller::Step save(controller::Note note) { return save_status(std::move(draft), {std::move(note)}); }
  controller::Step save(std::vector<controller::Note> notes) { return save_status(std::move(draft), std::move(notes)); }
};

// The broker works on it.
controller::Step wait_for_broker(BrokerReply& reply, std::string_view ready_reason, std::string_view message);

// A deletion never ends by itself without success: it is tried again and again, ever more slowly, and says so.
controller::Step retry_removal(BrokerReply& reply, std::string_view call_failed, std::string_view message);

// What a poll has told.
enum class Progress {
  kDone,     // it succeeded; for a removal also: it is gone
  kFailure,  // the broker says so, or says for long enough that there is nothing
  kLate,     // it takes longer than is allowed
  kLost,     // of a removal: the broker does not know it any more, so it has to be asked for once more
  kGoesOn,
};
struct Polled {
  Progress progress = Progress::kGoesOn;
  osb::Poll poll;
  std::string message;  // a sentence; of kGoesOn: what the broker added, in brackets
};
// `limit` is how long the broker may take. That what is being made or changed is gone (410) is no valid answer, so
// asking goes on; but a broker that says nothing else for a minute will say nothing else until the limit.
Polled read_progress(const BrokerReply& reply, bool is_removal, std::chrono::seconds limit);

// Nothing final: the next poll follows.
controller::Step go_on_polling(BrokerReply& reply, const Polled& polled, std::string_view ready_reason,
                               std::string_view waiting);

}  // namespace chandler::reconcilers
