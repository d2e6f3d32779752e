// For tests: every sort of answer that a broker can give to a request, and what it means for each operation. This is
// the platform's duty as the Open Service Broker API has it, in one table; the tests of instances and bindings say
// what each word looks like in status.
#pragma once

#include <string>
#include <vector>

#include "reconcilers/fake_broker.h"

namespace chandler::reconcilers::testing {

struct AnswerRow {
  std::string name;
  std::string reason;
  osb::Answer answer;
  // "done", "poll", "reject" (rests until the spec changes), "retry", "clean up"; for removals "reject" is retried
  // slowly. "!" after the word: there was no answer at all.
  std::string provision, bind, update, remove;
};

inline std::vector<AnswerRow> answer_rows() {
  using Kind = http::ClientFailure::Kind;
  const auto word = [](std::string_view error) { return answer_of(422, fmt::format("{{error: {}}}", error)); };
  return {
      {"200", "it was there already", answer_of(200), "done", "done", "done", "done"},
      {"200 malformed", "it is likely there: asked again", malformed(200), "retry", "retry", "retry", "retry"},
      {"201", "made", answer_of(201), "done", "done", "done", "done"},
      {"201 malformed", "something was made", malformed(201), "clean up", "clean up", "retry", "retry"},
      {"202", "works on it", answer_of(202), "poll", "poll", "poll", "poll"},
      {"202 malformed", "works on something", malformed(202), "clean up", "clean up", "retry", "retry"},
      {"204", "means nothing here", answer_of(204), "clean up", "clean up", "retry", "retry"},
      {"302", "credentials do not travel", answer_of(302), "reject", "reject", "reject", "reject"},
      {"400", "refused", answer_of(400), "reject", "reject", "reject", "reject"},
      {"401", "an operator can repair it", answer_of(401), "retry", "retry", "retry", "retry"},
      {"403", "an operator can repair it", answer_of(403), "retry", "retry", "retry", "retry"},
      {"404", "refused", answer_of(404), "reject", "reject", "reject", "reject"},
      {"408", "not received", answer_of(408), "retry", "retry", "retry", "retry"},
      {"409", "there is another one", answer_of(409), "reject", "reject", "reject", "reject"},
      {"410", "gone is what a removal wants", answer_of(410), "reject", "reject", "reject", "done"},
      {"412", "an operator can repair it", answer_of(412), "retry", "retry", "retry", "retry"},
      {"422", "refused", answer_of(422), "reject", "reject", "reject", "reject"},
      {"422 AsyncRequired", "although it was offered", word("AsyncRequired"), "reject", "reject", "reject", "reject"},
      {"422 ConcurrencyError", "another time", word("ConcurrencyError"), "retry", "retry", "retry", "retry"},
      {"422 RequiresApp", "we have none", word("RequiresApp"), "reject", "reject", "reject", "reject"},
      {"422 MaintenanceInfoConflict", "the catalog is old", word("MaintenanceInfoConflict"), "retry", "retry", "retry",
       "reject"},
      {"429", "another time", answer_of(429), "retry", "retry", "retry", "retry"},
      {"500", "who knows what it did", answer_of(500), "clean up", "clean up", "retry", "retry"},
      {"503", "who knows what it did", answer_of(503), "clean up", "clean up", "retry", "retry"},
      {"time-out", "it may have arrived", no_answer(Kind::kTimeout), "clean up later", "clean up later", "retry!",
       "retry"},
      {"broken", "it may have arrived", no_answer(Kind::kBroken), "clean up later", "clean up later", "retry!",
       "retry"},
      {"too large", "it did arrive", no_answer(Kind::kTooLarge), "clean up!", "clean up!", "retry!", "retry"},
      {"unreachable", "it did not arrive", no_answer(Kind::kConnect, false), "retry!", "retry!", "retry!", "retry"},
      {"interrupted", "it may have arrived", no_answer(Kind::kCancelled, true), "clean up later", "clean up later",
       "retry!", "retry"},
      {"not begun", "it did not arrive", no_answer(Kind::kCancelled, false), "retry!", "retry!", "retry!", "retry"},
  };
}

}  // namespace chandler::reconcilers::testing
