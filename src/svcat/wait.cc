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

  void show(const std::string& text) {
    auto& env = call_.env();
    const auto state = printable(text);
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

std::optional<Waited> judge_settled(const json::Value& object) {
  if (!is_settled(object)) return std::nullopt;
  return condition_holds(object, "Ready") ? Waited::kDone : Waited::kFailed;
}

std::optional<Waited> judge_gone(const json::Value& object) {
  const bool stuck = is_deleting(object) && condition_holds(object, "Failed") && is_settled(object);
  return stuck ? std::optional(Waited::kFailed) : std::nullopt;
}

}  // namespace

Error time_out(std::string message) {
  Error error = timeout(std::move(message));
  error.code = kTimeOutCode;
  return error;
}

bool is_time_out(const Error& error) { return error.code == kTimeOutCode; }

Result<WaitResult> wait_until(Call& call, const Kind& kind, const std::string& ns, const std::string& name,
                              const WaitGoal& goal) {
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
    if (const auto how = goal.judge(result.object)) {
      result.how = *how;
      return result;
    }
    const auto state = goal.state ? goal.state(result.object) : progress_of(result.object, call.env().clock.now());
    progress.show(state);
    const auto waited = call.env().clock.mono() - progress.start();
    if (limit && waited + next_pause > *limit) {
      return time_out(fmt::format("{} {} is not {} after {}: {}; it goes on without us, see: svcat {} {} {} -n {}",
                                  kind.noun, name, goal.wanted, progress.elapsed(), state, kind.story_verb(), kind.noun,
                                  name, ns));
    }
    const auto pause = next_pause;
    next_pause = std::min(next_pause * 2, interval);
    if (!call.env().pause(pause)) {
      progress.clear();
      result.how = Waited::kInterrupted;
      call.hint(fmt::format("Interrupted. The operation on {} {} goes on; see how it stands: svcat {} {} {}{}",
                            kind.noun, name, kind.story.empty() ? "describe" : kind.story, kind.noun, name,
                            ns.empty() ? "" : " -n " + ns));
      return result;
    }
  }
}

Result<WaitResult> wait_until_settled(Call& call, const Kind& kind, const std::string& ns, const std::string& name,
                                      std::function<std::string(const json::Value&)> state) {
  return wait_until(call, kind, ns, name, {"ready", judge_settled, std::move(state)});
}

Result<WaitResult> wait_until_gone(Call& call, const Kind& kind, const std::string& ns, const std::string& name,
                                   std::function<std::string(const json::Value&)> state) {
  return wait_until(call, kind, ns, name, {"gone", judge_gone, std::move(state)});
}

std::string progress_of(const json::Value& object, WallTime now) {
  const auto word = status_word(object);
  auto state = word.empty() ? "waiting for the controller" : word;
  const auto* ready = condition_of(object, "Ready");
  if (is_deleting(object)) state = word.empty() || word == "Ready" ? "deleting" : fmt::format("deleting ({})", word);
  if (const auto error = text_at(object, {"status", "retry", "lastError"}); !error.empty()) {
    state += fmt::format(" - {}", error);
  } else if (ready != nullptr && word != "Ready" && !text_at(*ready, {"message"}).empty()) {
    state += fmt::format(" - {}", text_at(*ready, {"message"}));
  }
  const auto next = time_at(object, {"status", "retry", "nextAttemptTime"});
  if (next && *next > now) {
    const bool polled = true_at(object, {"status", "asyncOpInProgress"});
    state +=
        fmt::format("; next {} in {}", polled ? "poll" : "try", go_duration(std::chrono::ceil<seconds>(*next - now)));
  }
  return state;
}

}  // namespace chandler::svcat
