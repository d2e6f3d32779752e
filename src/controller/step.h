// The vocabulary between reconcilers and the engine: a reconciler looks at a View and answers with one Step. Plain
// values; nothing here does anything.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "client/api.h"
#include "osb/answer.h"
#include "osb/call.h"
#include "osb/sensitive.h"

namespace chandler::controller {

// A call to a broker. It is made when the writes of its step have succeeded: what it will cause is durable then.
struct BrokerCall {
  std::string lane;  // which broker, for limits, breaker and metrics: "azure", "dev/azure"
  osb::Endpoint endpoint;
  osb::Call call;
  // Names the stored intent that this call carries out. Its answer is handed back with the same word; a reconciler that
  // finds another intent stored by then drops the answer.
  std::string intent;
  // What the answer must not repeat, besides the login of the endpoint, which the engine adds.
  osb::Sensitive sensitive{};
};

// An object that the API refused to store, for good: by its rules (422) or by its rights (403).
struct Refusal {
  client::KindName kind;
  std::string ns;
  std::string name;
  std::string message;
};

struct CallOutcome {
  std::string intent;
  osb::Call call;
  osb::Answer answer;  // its texts have been cleaned
  WallTime at;         // when it came
  // Of the writes of earlier steps that were made with this answer. A step that leaves these out can go on.
  std::vector<Refusal> refused{};
  // What its texts were cleaned of; for what else the body holds. Null: nothing.
  osb::SharedSensitive sensitive{};

  osb::Sensitive what_is_sensitive() const { return sensitive ? *sensitive : osb::Sensitive(); }
};

struct Note {  // becomes an Event about the object
  bool warning = false;
  std::string reason;
  std::string message;
};

struct Step {
  // Writes in stages: those of one stage go out together, the next stage begins when all have succeeded. A failure ends
  // the step; the reconciler then runs again on what is stored. Refusals of a step made with an outcome end it after
  // the stage, and are handed over with the outcome. An update of an object that an earlier stage has written gets the
  // resourceVersion which that left, so one step can create an object and then write its status. A stage that writes
  // the status of an object, and a next one that writes that object, are one write where the API can do both at once.
  std::vector<std::vector<client::Write>> stages;
  std::optional<BrokerCall> call;
  // Of a step that writes, `call` and `rests` say what the next run would decide if it found the object as the writes
  // leave it: the call, or that nothing is left to do until something changes that was read. Then that run is left out.
  // It is not when something came between, or when the API may make something else of what it is told (see
  // writes_both()).
  bool rests = false;
  std::vector<Note> notes;       // recorded once the writes have succeeded
  std::optional<WallTime> wake;  // run again then, or earlier when something it read has changed

  static Step done() { return {}; }
  static Step write(client::Write write) {
    Step step;
    step.stages.emplace_back().push_back(std::move(write));  // a list in braces would copy the object
    return step;
  }
  static Step wait_until(WallTime time) {
    Step step;
    step.wake = time;
    return step;
  }
};

}  // namespace chandler::controller
