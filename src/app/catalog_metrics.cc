#include "app/catalog_metrics.h"

#include <set>
#include <string>

#include "base/find_text.h"
#include "base/mutex.h"
#include "base/time_text.h"
#include "reconcilers/catalog/document.h"
#include "reconcilers/catalog/kinds.h"

namespace chandler::app {
namespace {

using namespace reconcilers;

// A text member read off the canonical bytes: every change comes by here, and parsing each would cost more than
// all the rest. `at` is where it was found.
std::string_view text_at_place(std::string_view bytes, size_t at, std::string_view member) {
  if (at == bytes.npos) return {};
  const auto start = at + member.size();
  const auto end = bytes.find('"', start);
  return end == bytes.npos ? std::string_view() : bytes.substr(start, end - start);
}

std::string_view state_of(const client::Object& object) {
  if (!object) return {};
  constexpr std::string_view kMember = R"("lastConditionState":")";
  const auto bytes = object.document().bytes();
  // From the end: status stands behind spec, where parameters of users may have any name.
  const auto state = text_at_place(bytes, find_last_text(bytes, kMember), kMember);
  return state.empty() ? "New" : state;
}

// Far more than there are reasons. States are read off bytes that hold users' words too, which must not become series
// without end.
constexpr size_t kMostStates = 128;
constexpr std::string_view kOtherStates = "(other)";

double seconds_between(WallTime from, WallTime to) { return std::chrono::duration<double>(to - from).count(); }

}  // namespace

struct CatalogMetrics::Figures {
  Figures(metrics::Registry& registry, const Clock& the_clock)
      : clock(the_clock),
        objects(registry.gauge("servicecatalog_objects",
                               "Objects of the catalog by their state: the last condition, or its reason.",
                               {"kind", "state"})),
        time_to_ready(registry.histogram("servicecatalog_time_to_ready_seconds", "From creation to the first Ready.",
                                         {"kind"}, metrics::latency_bounds())),
        classes(registry.gauge("servicecatalog_broker_service_class_count", "Classes that a broker offers.",
                               {"broker", "namespace"})),
        plans(registry.gauge("servicecatalog_broker_service_plan_count", "Plans that a broker offers.",
                             {"broker", "namespace"})) {}

  void follow(const client::Change& change) {
    const auto before = state_of(change.before);
    const auto now = state_of(change.now);
    if (before != now) {
      if (change.before) objects.with({change.kind.plural, label_of(before)}).add(-1);
      if (change.now) objects.with({change.kind.plural, label_of(now)}).add(1);
      if (now == "Ready") note_ready(change);
    }
    if (change.kind == kClusterBrokers || change.kind == kBrokers) note_offers(change);
  }

  // The same for a state at any time.
  std::string_view label_of(std::string_view state) {
    const MutexLock lock(mutex);
    if (states.contains(state)) return state;
    if (states.size() >= kMostStates) return kOtherStates;
    states.emplace(state);
    return state;
  }

  void note_ready(const client::Change& change) {
    // What was Ready before and is again has been counted then.
    constexpr std::string_view kCounted = R"("reconciledGeneration":)";
    if (!change.before || find_text(change.before.document().bytes(), kCounted) != std::string_view::npos) return;
    constexpr std::string_view kMember = R"("creationTimestamp":")";
    const auto bytes = change.now.document().bytes();
    const auto created = parse_rfc3339(text_at_place(bytes, find_text(bytes, kMember), kMember));
    if (created) time_to_ready.with({change.kind.plural}).observe(seconds_between(*created, clock.now()));
  }

  void note_offers(const client::Change& change) {
    const auto& broker = change.now ? change.now : change.before;
    const auto counts = change.now ? member(status_of(change.now), "catalogCounts") : json::Value();
    classes.with({broker.name(), broker.ns()}).set(number_at(counts, "classes"));
    plans.with({broker.name(), broker.ns()}).set(number_at(counts, "plans"));
  }

  const Clock& clock;
  metrics::Family<metrics::Gauge>& objects;
  metrics::Family<metrics::Histogram>& time_to_ready;
  metrics::Family<metrics::Gauge>& classes;
  metrics::Family<metrics::Gauge>& plans;
  Mutex mutex;
  std::set<std::string, std::less<>> states CH_GUARDED_BY(mutex);
};

CatalogMetrics::CatalogMetrics(client::State& state, metrics::Registry& metrics, const Clock& clock)
    : figures_(std::make_shared<Figures>(metrics, clock)) {
  const std::vector<client::KindName> kinds = {kInstances, kBindings, kClusterBrokers, kBrokers};
  for (const auto& kind : kinds) {
    for (const auto& object : state.list(kind, {})) figures_->follow({kind, {}, object});
  }
  state.listen(kinds, [figures = figures_](const client::Change& change) { figures->follow(change); });
}

}  // namespace chandler::app
