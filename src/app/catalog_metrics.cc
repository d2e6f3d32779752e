#include "app/catalog_metrics.h"

#include <string>

#include "base/time_text.h"
#include "reconcilers/catalog/document.h"
#include "reconcilers/catalog/kinds.h"

namespace chandler::app {
namespace {

using namespace reconcilers;

// A text member read off the canonical bytes: every change comes by here, and parsing each would cost more than
// all the rest.
std::string_view text_in(const client::Object& object, std::string_view member) {
  const auto bytes = object.document().bytes();
  const auto at = bytes.find(member);
  if (at == bytes.npos) return {};
  const auto start = at + member.size();
  const auto end = bytes.find('"', start);
  return end == bytes.npos ? std::string_view() : bytes.substr(start, end - start);
}

std::string_view state_of(const client::Object& object) {
  if (!object) return {};
  const auto state = text_in(object, R"("lastConditionState":")");
  return state.empty() ? "New" : state;
}

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
      if (change.before) objects.with({change.kind.plural, before}).add(-1);
      if (change.now) objects.with({change.kind.plural, now}).add(1);
      if (now == "Ready") note_ready(change);
    }
    if (change.kind == kClusterBrokers || change.kind == kBrokers) note_offers(change);
  }

  void note_ready(const client::Change& change) {
    // What was Ready before and is again has been counted then.
    if (!change.before || change.before.document().bytes().find(R"("reconciledGeneration":)") != std::string_view::npos)
      return;
    const auto created = parse_rfc3339(text_in(change.now, R"("creationTimestamp":")"));
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
