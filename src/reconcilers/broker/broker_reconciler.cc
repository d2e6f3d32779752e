#include "reconcilers/broker/broker_reconciler.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "osb/catalog.h"
#include "reconcilers/broker/broker_deletion.h"
#include "reconcilers/broker/broker_reasons.h"
#include "reconcilers/broker/broker_status.h"
#include "reconcilers/broker/relist.h"
#include "reconcilers/broker/shelf.h"
#include "reconcilers/catalog/api_version.h"
#include "reconcilers/catalog/endpoint.h"
#include "reconcilers/secrets/secret_protection.h"

namespace chandler::reconcilers {
namespace {

using controller::Step;

constexpr size_t kShownInEvents = 5;

// Changes with whatever makes an answer outdated: another spec, a later try, a catalog that came meanwhile, another
// version of the API.
std::string intent_of(const BrokerView& broker) {
  return fmt::format("{}/{}/{}/{}", generation_of(broker.object()), attempts_of(broker.status()),
                     text_at(broker.status(), "lastCatalogRetrievalTime"), text_at(broker.status(), "osbAPIVersion"));
}

// The tag stands for what is stored only if that is still what the last relist left.
std::string etag_to_send(const BrokerView& broker, const Settings& settings, controller::View& view) {
  if (!broker.ready() || broker.reconciled_generation() != generation_of(broker.object())) return {};
  if (broker.etag().empty() || broker.reading() != reading_of(settings)) return {};
  const auto& names = broker.names();
  const bool is_complete = count_offered(broker, names.classes, view) == broker.class_count() &&
                           count_offered(broker, names.plans, view) == broker.plan_count();
  return is_complete ? broker.etag() : std::string();
}

std::string first_of(const std::vector<std::string>& all) {
  const std::vector<std::string> shown(all.begin(),
                                       all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), kShownInEvents)));
  auto out = join(shown, "; ");
  if (all.size() > shown.size()) out += fmt::format("; and {} more", all.size() - shown.size());
  return out;
}

// What the API has refused before is left out, so that the rest can be stored. Says what and why.
std::vector<std::string> leave_out(Relist& relist, const std::vector<controller::Refusal>& refused,
                                   const BrokerView& broker) {
  std::map<std::pair<client::KindName, std::string>, std::string> reasons;
  for (const auto& refusal : refused) reasons.emplace(std::pair(refusal.kind, refusal.name), refusal.message);
  for (auto& stage : relist.stages) {
    std::erase_if(stage, [&](const client::Write& write) {
      if (!reasons.contains({write.kind, write.name})) return false;
      if (write.verb == client::Write::Verb::kCreate)
        --(write.kind == broker.names().plans ? relist.plans : relist.classes);
      return true;
    });
  }
  std::vector<std::string> out;
  for (const auto& [place, message] : reasons) {
    const auto kind = place.first == broker.names().plans ? broker.names().plan_kind : broker.names().class_kind;
    out.push_back(fmt::format("{} {} could not be stored: {}", kind, quoted(place.second), message));
  }
  return out;
}

// Read only to see whether the broker takes our calls: what is offered changes when the operator says.
bool is_only_tried(const BrokerView& broker) {
  return broker.is_doubted() && broker.ready() && !broker.relists_by_itself() &&
         broker.reconciled_generation() == generation_of(broker.object());
}

bool are_new(const std::vector<std::string>& problems, const BrokerView& broker) {
  json::Array list;
  for (const auto& problem : problems) list.push_back(text(problem));
  return !problems.empty() && !json::equal(list, member(broker.status(), "problems"));
}

}  // namespace

std::vector<client::KindName> BrokerReconciler::kinds() const { return {kClusterBrokers, kBrokers}; }

std::vector<client::KindName> BrokerReconciler::reads() const {
  return {kClusterClasses, kClusterPlans, kClasses, kPlans, kInstances, kBindings, kSecrets};
}

Step BrokerReconciler::reconcile(const client::KindName& kind, const client::Object& object,
                                 controller::View& view) const {
  const BrokerView broker(kind == kClusterBrokers ? Scope::kCluster : Scope::kNamespace, object);
  if (object.deleting()) return end_broker(broker, view);
  if (!has_finalizer(object, kFinalizer)) {
    Draft draft(kind, object);
    draft.add_finalizer(kFinalizer);
    return Step::write(std::move(draft).update());
  }
  const auto* outcome = view.outcome();
  if (outcome != nullptr && outcome->intent == intent_of(broker)) return conclude(broker, *outcome, view);
  const auto due = due_at(broker);
  if (!due) return Step::done();
  if (*due > view.now()) return Step::wait_until(*due);
  return fetch(broker, view);
}

std::optional<WallTime> BrokerReconciler::due_at(const BrokerView& broker) const {
  const auto tried_for = std::max(broker.observed_generation(), broker.reconciled_generation());
  if (tried_for != generation_of(broker.object())) return WallTime{};
  if (!broker.ready()) return next_attempt_of(broker.status());
  const auto last = broker.last_retrieval();
  if (!last || broker.is_doubted()) return WallTime{};
  if (!broker.relists_by_itself()) return std::nullopt;
  return *last + broker.relist_interval().value_or(settings_.broker_relist_interval);
}

Step BrokerReconciler::fetch(const BrokerView& broker, controller::View& view) const {
  auto endpoint = endpoint_of(broker.object(), broker.scope(), settings_, view);
  if (!endpoint.ok()) return show_obstacle(broker, endpoint.error().message, view.now());
  if (const auto secret = broker.auth_secret()) {
    if (auto write = protect_secret(view.get(kSecrets, secret->ns, secret->name)))
      return Step::write(*std::move(write));
  }
  Step step;
  auto& call = step.call.emplace();
  call.lane = broker.ref().lane();
  call.endpoint = *std::move(endpoint);
  call.call.method = osb::Method::kGetCatalog;
  call.call.etag = etag_to_send(broker, settings_, view);
  call.intent = intent_of(broker);
  return step;
}

Step BrokerReconciler::conclude(const BrokerView& broker, const controller::CallOutcome& outcome,
                                controller::View& view) const {
  const auto verdict = osb::judge(outcome.call, outcome.answer);
  const bool is_read = verdict.consequence == osb::Consequence::kDone;
  if (is_read && !is_only_tried(broker)) return store(broker, outcome, view);
  if (is_read || verdict.consequence == osb::Consequence::kNotModified) {
    return Step::write(show_unchanged(broker, view.now()));
  }
  Failure failure{reason::kErrorFetchingCatalog, reason::kErrorFetchingCatalog, verdict.message,
                  verdict.broker_at_fault, outcome.answer.retry_after.value_or(std::chrono::seconds(0))};
  if (outcome.answer.status == 412) {
    const auto sent = api_version_for(broker.object(), settings_);
    if (const auto lower = lower_api_version(sent)) return show_lower_version(broker, sent, *lower);
    failure.message = fmt::format(
        "{}; so it did with every version from {} down to {}: it needs another version of the broker, or of us",
        verdict.message, settings_.osb_api_version, sent);
    failure.forgets_version = true;
  }
  return show_failure(broker, failure, settings_, view.now());
}

Step BrokerReconciler::store(const BrokerView& broker, const controller::CallOutcome& outcome,
                             controller::View& view) const {
  const auto fail = [&](std::string message) {
    return show_failure(broker, {reason::kErrorSyncingCatalog, reason::kErrorSyncingCatalog, std::move(message)},
                        settings_, view.now());
  };
  const osb::BrokerText text(outcome.what_is_sensitive());
  auto catalog = osb::parse_catalog(outcome.answer.body, text);
  if (!catalog.ok()) return fail(catalog.error().message);
  auto work = relist(broker, offered_catalog(*std::move(catalog), settings_), settings_, view);
  if (!work.ok()) return fail(work.error().message);

  const auto refused = bounded_problems(leave_out(*work, outcome.refused, broker), text);
  work->problems.insert(work->problems.begin(), refused.begin(), refused.end());
  const auto problems = bounded_problems(std::move(work->problems), text);
  Step step;
  step.stages = std::move(work->stages);
  step.stages.push_back({show_success(
      broker, {outcome.answer.etag, reading_of(settings_), problems, work->classes, work->plans, first_of(refused)},
      view.now())});
  step.notes.push_back({false, std::string(reason::kFetchedCatalog),
                        fmt::format("the catalog offers {} classes and {} plans", work->classes, work->plans)});
  if (are_new(problems, broker)) {
    step.notes.push_back({true, std::string(reason::kErrorSyncingCatalog),
                          fmt::format("parts of the catalog have faults: {}", first_of(problems))});
  }
  if (!work->overwritten.empty()) {
    step.notes.push_back(
        {true, std::string(reason::kFieldsOverwritten),
         fmt::format("the broker now provides what was set by hand: {}; make a class or plan of your own "
                     "to keep other values",
                     first_of(work->overwritten))});
  }
  return step;
}

}  // namespace chandler::reconcilers
