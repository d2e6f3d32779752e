#include "reconcilers/broker/broker_status.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/time_text.h"
#include "reconcilers/broker/broker_reasons.h"
#include "reconcilers/catalog/reasons.h"

namespace chandler::reconcilers {
namespace {

constexpr size_t kMostProblems = 100;
constexpr size_t kLongestProblem = 1020;  // and "..."
constexpr size_t kLongestETag = 1024;
constexpr std::string_view kReading = "1";  // to be changed with what is made of a catalog
// Credentials and addresses are repaired by people who wait for the effect.
constexpr std::chrono::milliseconds kLastDelayForOperators{60'000};

Draft draft_of(const BrokerView& broker) { return Draft(broker.names().brokers, broker.object()); }

void note_start(json::Object& status, WallTime now) {
  auto& start = status["operationStartTime"];
  if (!start.is_string()) start = text(rfc3339(now));
}

void show_ready(json::Object& status, const BrokerView& broker, const std::string& message, WallTime now) {
  if (condition(broker.status(), kFailed) != nullptr) remove_condition(status, kFailed);
  set_condition(status, kReady, Truth::kTrue, reason::kFetchedCatalog, message, now);
  status.erase("operationStartTime");
  status.erase("catalogDoubtTime");
  clear_retry(status);
  const auto generation = generation_of(broker.object());
  status["reconciledGeneration"] = generation;
  status["observedGeneration"] = generation;
  status["lastCatalogRetrievalTime"] = text(rfc3339(now));
}

std::string success_message(const Summary& summary) {
  auto message = fmt::format("{} class{} and {} plan{} are offered", summary.classes, summary.classes == 1 ? "" : "es",
                             summary.plans, summary.plans == 1 ? "" : "s");
  if (!summary.refused.empty()) {
    message += fmt::format("; {}. Ask for a relist (svcat sync broker) when that is repaired", summary.refused);
  } else if (!summary.problems.empty())
    message += "; parts of the catalog have faults, see status.problems";
  return message;
}

}  // namespace

controller::Step show_failure(const BrokerView& broker, const Failure& failure, const Settings& settings,
                              WallTime now) {
  auto draft = draft_of(broker);
  auto& status = draft.status();
  status.erase("catalogDoubtTime");
  note_start(status, now);
  // A changed spec begins anew.
  const auto generation = generation_of(broker.object());
  if (generation != broker.observed_generation()) clear_retry(status);
  status["observedGeneration"] = generation;
  if (failure.forgets_version) status.erase("osbAPIVersion");
  Backoff backoff{settings.retry_first_delay, settings.retry_last_delay};
  if (failure.is_operators) backoff.last = std::min(backoff.last, kLastDelayForOperators);
  note_attempt(status, backoff, broker.object().uid(), failure.message, now, failure.at_least);
  set_condition(status, kReady, Truth::kFalse, failure.reason, failure.message, now);

  std::vector<controller::Note> notes{{true, std::string(failure.event_reason), failure.message}};
  const auto started = time_at(broker.status(), "operationStartTime").value_or(now);
  if (now - started > settings.reconciliation_retry_duration) {
    const auto message = fmt::format("the catalog could not be read since {}; it is tried further. Last: {}",
                                     rfc3339(started), failure.message);
    if (!condition_true(broker.status(), kFailed)) {
      notes.push_back({true, std::string(reason::kRetryTimeout), message});
    }
    set_condition(status, kFailed, Truth::kTrue, reason::kRetryTimeout, message, now);
    status["reconciledGeneration"] = generation;
  }
  auto step = controller::Step::write(std::move(draft).update_status());
  step.notes = std::move(notes);
  return step;
}

controller::Step show_obstacle(const BrokerView& broker, const std::string& message, WallTime now) {
  auto draft = draft_of(broker);
  auto& status = draft.status();
  status.erase("catalogDoubtTime");
  note_start(status, now);
  clear_retry(status);
  status["observedGeneration"] = generation_of(broker.object());
  set_condition(status, kReady, Truth::kFalse, reason::kErrorFetchingCatalog, message, now);
  if (!draft.changed()) return controller::Step::done();
  auto step = controller::Step::write(std::move(draft).update_status());
  step.notes.push_back({true, std::string(reason::kErrorGettingCredentials), message});
  return step;
}

controller::Step show_lower_version(const BrokerView& broker, std::string_view refused, std::string_view lower) {
  auto draft = draft_of(broker);
  draft.status()["osbAPIVersion"] = text(lower);
  auto step = controller::Step::write(std::move(draft).update_status());
  step.notes.push_back({true, std::string(reason::kVersionRefused),
                        fmt::format("the broker refused version {} of the API (412); {} is used from now on, unless it "
                                    "refuses that too",
                                    refused, lower)});
  return step;
}

std::string reading_of(const Settings& settings) {
  std::string out(kReading);
  if (settings.service_plan_defaults) out += " ServicePlanDefaults";
  if (settings.service_types) out += " ServiceTypes";
  if (settings.suggested_plans) out += " SuggestedPlans";
  return out;
}

client::Write show_unchanged(const BrokerView& broker, WallTime now) {
  auto draft = draft_of(broker);
  Summary summary{"", "", {}, broker.class_count(), broker.plan_count()};
  if (const auto* problems = json::array_at(broker.status(), "problems"); problems != nullptr && !problems->empty()) {
    summary.problems.emplace_back();
  }
  show_ready(draft.status(), broker, success_message(summary), now);
  return std::move(draft).update_status();
}

client::Write show_success(const BrokerView& broker, const Summary& summary, WallTime now) {
  auto draft = draft_of(broker);
  auto& status = draft.status();
  show_ready(status, broker, success_message(summary), now);
  if (summary.etag.empty() || summary.etag.size() > kLongestETag || !summary.refused.empty()) {
    status.erase("catalogETag");
  } else {
    status["catalogETag"] = text(summary.etag);
  }
  status["catalogReading"] = text(summary.reading);
  auto& counts = object_in(status, "catalogCounts");
  counts["classes"] = summary.classes;
  counts["plans"] = summary.plans;
  if (summary.problems.empty()) {
    status.erase("problems");
  } else {
    json::Array list;
    for (const auto& problem : summary.problems) list.push_back(text(problem));
    status["problems"] = std::move(list);
  }
  return std::move(draft).update_status();
}

std::vector<std::string> bounded_problems(std::vector<std::string> problems, const osb::BrokerText& text) {
  if (problems.size() > kMostProblems) {
    const auto more = problems.size() - (kMostProblems - 1);
    problems.resize(kMostProblems - 1);
    problems.push_back(fmt::format("and {} more problems", more));
  }
  for (auto& problem : problems) problem = text.own_line(problem, kLongestProblem);
  return problems;
}

}  // namespace chandler::reconcilers
