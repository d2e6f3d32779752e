// For tests: every sort of answer that a broker can give to a request, and what it means for each operation. This is
// the platform's duty as the Open Service Broker API has it, in one table; the tests of instances and bindings say
// what each word looks like in status.
#pragma once

#include <string>
#include <vector>

#include "reconcilers/fake_broker.h"
#include "reconcilers/reconciler_fixture.h"

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

struct PollRow {
  std::string name;
  std::string reason;
  osb::Answer answer;
  // "goes on", "invalid" (asked again, with the error shown), "done", "failed", "again" (one more request).
  std::string making, removing;
};

inline std::vector<PollRow> poll_rows() {
  using Kind = http::ClientFailure::Kind;
  const auto state = [](std::string_view text) { return answer_of(200, fmt::format("{{state: {}}}", text)); };
  return {
      {"in progress", "patience", state("in progress"), "goes on", "goes on"},
      {"succeeded", "as it says", state("succeeded"), "done", "done"},
      {"failed", "what was being made is cleaned up after", state("failed"), "failed", "again"},
      {"410", "gone is what a removal wants, for others it is invalid", answer_of(410), "invalid", "done"},
      {"404", "a removal is confirmed by one more request", answer_of(404), "invalid", "again"},
      {"400", "invalid", answer_of(400), "invalid", "invalid"},
      {"500", "invalid", answer_of(500), "invalid", "invalid"},
      {"malformed", "invalid", malformed(200), "invalid", "invalid"},
      {"odd state", "invalid", state("perhaps"), "invalid", "invalid"},
      {"time-out", "nothing is known", no_answer(Kind::kTimeout), "invalid", "invalid"},
      {"unreachable", "nothing is known", no_answer(Kind::kConnect, false), "invalid", "invalid"},
  };
}

class AnswerStory : public CatalogStory {
 protected:
  // The first call of `method` is answered like that; nothing is answered from then on.
  void answer(osb::Method method, const osb::Answer& with) {
    broker.script = [this, method, with](const osb::Call& call) -> std::optional<osb::Answer> {
      if (call.method != method) return std::nullopt;
      broker.hold = true;
      return with;
    };
  }
  // Calls of `method` are accepted, and the first poll is answered like that; nothing from then on.
  void accept_and_answer(osb::Method method, const osb::Answer& with) {
    broker.script = [this, method, with](const osb::Call& call) -> std::optional<osb::Answer> {
      if (call.method == method) return answer_of(202, "{operation: op}");
      if (!is_poll(call)) return std::nullopt;
      EXPECT_EQ(call.operation, "op");
      broker.hold = true;
      return with;
    };
  }
  // Calls of `method` are accepted, and polls are answered with the statuses, the last of them for ever.
  void accept_and_poll(osb::Method method, std::vector<osb::Answer> answers) {
    broker.script = [method, answers, i = size_t{0}](const osb::Call& call) mutable -> std::optional<osb::Answer> {
      if (call.method == method) return answer_of(202, "{operation: op}");
      if (!is_poll(call)) return std::nullopt;
      return answers[std::min(i++, answers.size() - 1)];
    };
  }
  static bool is_poll(const osb::Call& call) {
    return call.method == osb::Method::kPollInstance || call.method == osb::Method::kPollBinding;
  }
};

}  // namespace chandler::reconcilers::testing
