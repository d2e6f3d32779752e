#include "reconcilers/catalog/broker_doubt.h"

#include <optional>
#include <utility>

#include "base/time_text.h"
#include "reconcilers/catalog/conditions.h"
#include "reconcilers/catalog/document.h"
#include "reconcilers/catalog/endpoint.h"

namespace chandler::reconcilers {
namespace {

constexpr std::chrono::seconds kReadMomentsAgo{30};

std::optional<client::Write> doubt(const BrokerRef& broker, controller::View& view) {
  if (broker.empty()) return std::nullopt;
  const auto object = broker_object(broker, view);
  if (!object || object.deleting() || !condition_true(status_of(object), kReady)) return std::nullopt;
  const auto last = time_at(status_of(object), "lastCatalogRetrievalTime");
  const bool is_asked = time_at(status_of(object), "catalogDoubtTime").has_value();
  if (is_asked || !last || view.now() < *last + kReadMomentsAgo) return std::nullopt;
  Draft draft(names_of(broker.scope).brokers, object);
  draft.status()["catalogDoubtTime"] = text(rfc3339(view.now()));
  return std::move(draft).update_status();
}

}  // namespace

bool raises_doubt(const osb::Verdict& verdict) { return verdict.broker_at_fault || verdict.refetch_catalog; }

void add_doubt(controller::Step& step, const BrokerRef& broker, controller::View& view) {
  if (step.stages.empty()) return;
  if (auto write = doubt(broker, view)) step.stages.emplace_back().push_back(*std::move(write));
}

}  // namespace chandler::reconcilers
