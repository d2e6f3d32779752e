#include "svcat/wait.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "base/time_text.h"
#include "svcat/catalog/fields.h"

namespace chandler::svcat {
namespace {

using std::chrono::duration_cast;
using std::chrono::floor;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kTimeOutCode = 3;  // an exit code
constexpr milliseconds kFirstPause{100};

bool is_settled(const json::Value& object) {
  if (true_at(object, {"status", "asyncOpInProgress"})) return false;
  if (!text_at(object, {"status", "currentOperation"}).empty()) return false;
  const auto generation = number_at(object, {"metadata", "generation"});
  const auto observed = number_at(object, {"status", "observedGeneration"});
  if (observed != 0 && observed < generation) return false;
  return condition_holds(object, "Ready") || condition_holds(object, "Failed");
}

// Shows the state while we wait.
class Progress {
 public:
  Progress(Call& call, const Kind& kind, const std::string& name)
      : call_(call), label_(fmt::format("{} {}", kind.noun, name)), start_(call.env().clock.mono()) {}
  ~Progress() { clear(); }

  void show(const json::Value& object) {
    auto& env = call_.env();
    const auto state = printable(progress_of(object, env.clock.now()));
    if (env.err_is_terminal) {
      fmt::print(env.err, "\r\033[K{}: {} ({})", label_, state, elapsed());
      env.err.flush();
      shown_ = true;
      return;
    }
    const auto plain = state.substr(0, state.find("; next "));  // what only counts down is no news
    if (plain == last_) return;
    last_ = plain;
    fmt::print(env.err, "{}: {} ({})\n", label_, state, elapsed());
    env.err.flush();
  }
  void clear() {
    if (shown_) call_.env().err << "\r\033[K" << std::flush;
    shown_ = false;
  }
  std::string elapsed() const { return go_duration(floor<seconds>(call_.env().clock.mono() - start_)); }
  MonoTime start() const { return start_; }

 private:
  Call& call_;
  const std::string label_;
  const MonoTime start_;
  std::string last_;
  bool shown_ = false;
};

enum class Goal { kSettled, kGone };

Result<WaitResult> wait_for(Call& call, const Kind& kind, const std::string& ns, const std::string& name, Goal goal) {
  CH_TRY_LET(catalog, call.catalog());
  CH_TRY_LET(limit, call.duration("timeout"));
  CH_TRY_LET(given, call.duration("interval"));
  const auto interval = std::max(duration_cast<milliseconds>(given.value_or(seconds(1))), kFirstPause);
  auto next_pause = kFirstPause;  // most brokers answer at once, so the first looks come quickly
  Progress progress(call, kind, name);
  WaitResult result;
  for (;;) {
    auto object = catalog->get(kind, ns, name);
    if (!object.ok() && is_not_found(object.error())) {
      result.how = Waited::kGone;
      return result;
    }
    if (!object.ok()) return std::move(object).error();
    result.object = std::move(object).value();
    if (goal == Goal::kSettled && is_settled(result.object)) {
      result.how = condition_holds(result.object, "Ready") ? Waited::kDone : Waited::kFailed;
      return result;
    }
    if (goal == Goal::kGone && is_deleting(result.object) && condition_holds(result.object, "Failed") &&
        is_settled(result.object)) {
      result.how = Waited::kFailed;
      return result;
    }
    progress.show(result.object);
    const auto waited = call.env().clock.mono() - progress.start();
    if (limit && waited + next_pause > *limit) {
      return time_out(fmt::format("{} {} is not {} after {}: {}; it goes on without us, see: svcat explain {} {} -n {}",
                                  kind.noun, name, goal == Goal::kGone ? "gone" : "ready", progress.elapsed(),
                                  progress_of(result.object, call.env().clock.now()), kind.noun, name, ns));
    }
    const auto pause = next_pause;
    next_pause = std::min(next_pause * 2, interval);
    if (!call.env().pause(pause)) {
      progress.clear();
      result.how = Waited::kInterrupted;
      call.hint(fmt::format("Interrupted. The operation on {} {} goes on; see how it stands: svcat describe {} {}{}",
                            kind.noun, name, kind.noun, name, ns.empty() ? "" : " -n " + ns));
      return result;
    }
  }
}

}  // namespace

Error time_out(std::string message) {
  Error error = timeout(std::move(message));
  error.code = kTimeOutCode;
  return error;
}

bool is_time_out(const Error& error) { return error.code == kTimeOutCode; }

Result<WaitResult> wait_until_settled(Call& call, const Kind& kind, const std::string& ns, const std::string& name) {
  return wait_for(call, kind, ns, name, Goal::kSettled);
}

Result<WaitResult> wait_until_gone(Call& call, const Kind& kind, const std::string& ns, const std::string& name) {
  return wait_for(call, kind, ns, name, Goal::kGone);
}

std::string progress_of(const json::Value& object, WallTime now) {
  const auto word = status_word(object);
  auto state = word.empty() ? "waiting for the controller" : word;
  const auto* ready = condition_of(object, "Ready");
  if (is_deleting(object)) state = word.empty() || word == "Ready" ? "deleting" : fmt::format("deleting ({})", word);
  if (const auto said = text_at(object, {"status", "lastPollDescription"}); !said.empty()) {
    state += fmt::format(" - the broker says: {}", said);
  } else if (const auto error = text_at(object, {"status", "retry", "lastError"}); !error.empty()) {
    state += fmt::format(" - {}", error);
  } else if (ready != nullptr && word != "Ready" && !text_at(*ready, {"message"}).empty()) {
    state += fmt::format(" - {}", text_at(*ready, {"message"}));
  }
  const bool polled = true_at(object, {"status", "asyncOpInProgress"});
  auto next = time_at(object, {"status", "nextPollTime"});
  if (!polled || !next) next = time_at(object, {"status", "retry", "nextAttemptTime"});
  if (next && *next > now) {
    state +=
        fmt::format("; next {} in {}", polled ? "poll" : "try", go_duration(std::chrono::ceil<seconds>(*next - now)));
  }
  return state;
}

}  // namespace chandler::svcat
