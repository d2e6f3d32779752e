#include "reconcilers/broker/broker_deletion.h"

#include <set>
#include <utility>

#include <fmt/format.h>

#include "reconcilers/broker/broker_reasons.h"
#include "reconcilers/broker/ownership.h"
#include "resolve/choose_default.h"

namespace chandler::reconcilers {
namespace {

constexpr size_t kNamesShown = 5;

// Everything that names the broker, a namespace's own classes and plans of a cluster's broker included.
std::vector<std::pair<client::KindName, OfferView>> offers(const BrokerView& broker, bool plans,
                                                           controller::View& view) {
  std::vector<std::pair<client::KindName, OfferView>> out;
  client::Selection selection;
  selection.ns = broker.object().ns();
  selection.fields.emplace_back(fmt::format("spec.{}", broker.names().broker_name), broker.object().name());
  for (const auto scope : {Scope::kCluster, Scope::kNamespace}) {
    if (scope == Scope::kCluster && broker.scope() == Scope::kNamespace) continue;
    const auto kind = plans ? names_of(scope).plans : names_of(scope).classes;
    for (auto& object : view.list(kind, selection)) out.emplace_back(kind, OfferView(scope, std::move(object)));
  }
  return out;
}

using Instances = std::set<std::pair<std::string, std::string>>;  // namespace and name

void collect(Instances& instances, std::string ns, std::string field, std::string value, controller::View& view) {
  client::Selection selection{std::move(ns), {{std::move(field), std::move(value)}}};
  for (const auto& instance : view.list(kInstances, selection)) instances.emplace(instance.ns(), instance.name());
}

// By what the broker was called for or is about to be, and by the class they refer to, called or not. An intent is
// stored before the spec that names its class, unless both are one write.
Instances users_of(const BrokerView& broker, const std::vector<std::pair<client::KindName, OfferView>>& classes,
                   controller::View& view) {
  Instances instances;
  const std::string ns(broker.object().ns());
  for (const auto properties : {"externalProperties", "inProgressProperties"}) {
    collect(instances, ns, fmt::format("status.{}.{}", properties, broker.names().broker_name),
            std::string(broker.object().name()), view);
  }
  for (const auto& [kind, offer] : classes) {
    collect(instances, std::string(offer.object().ns()), fmt::format("spec.{}.name", names_of(offer.scope()).class_ref),
            offer.name(), view);
  }
  return instances;
}

std::string list_of(const Instances& instances) {
  std::vector<std::string> names;
  for (const auto& [ns, name] : instances) names.push_back(fmt::format("{}/{}", ns, name));
  return resolve::list_names(names, kNamesShown);
}

controller::Step blocked(const BrokerView& broker, const Instances& instances, controller::View& view) {
  const auto message = fmt::format(
      "still used by {} ServiceInstance{}: {}; the broker goes once they are deleted (annotate one with {}: \"true\" "
      "to "
      "give it up without asking the broker)",
      instances.size(), instances.size() == 1 ? "" : "s", list_of(instances), kAbandonAnnotation);
  Draft draft(broker.names().brokers, broker.object());
  set_condition(draft.status(), kReady, Truth::kFalse, reason::kDeletionBlocked, message, view.now());
  if (!draft.changed()) return controller::Step::done();
  auto step = controller::Step::write(std::move(draft).update_status());
  step.notes.push_back({true, std::string(reason::kDeletionBlocked), message});
  return step;
}

// Removes what relists maintain, and flags what operators made: it has no broker any more. What waits for a broker to
// take it over goes on waiting.
std::vector<client::Write> clear(const BrokerView& broker,
                                 const std::vector<std::pair<client::KindName, OfferView>>& offers) {
  std::vector<client::Write> writes;
  for (const auto& [kind, offer] : offers) {
    const auto holder = holder_of(offer, broker);
    if (holder == Holder::kThisBroker) {
      if (!offer.object().deleting()) writes.push_back(delete_of(kind, offer.object()));
    } else if (holder == Holder::kOperator && !offer.removed()) {
      Draft draft(kind, offer.object());
      draft.status()["removedFromBrokerCatalog"] = true;
      writes.push_back(std::move(draft).update_status());
    }
  }
  return writes;
}

}  // namespace

controller::Step end_broker(const BrokerView& broker, controller::View& view) {
  if (!has_finalizer(broker.object(), kFinalizer)) return controller::Step::done();
  const auto classes = offers(broker, false, view);
  const auto instances = users_of(broker, classes, view);
  if (!instances.empty()) return blocked(broker, instances, view);
  // An instance that was decided on before the broker was seen to be deleted may be about to store its intent: it would
  // be left with an intent and without a broker. Every such write was under way when this was first asked, since one
  // engine decides about both kinds, and from then on instances refuse this broker. So what is seen once these writes
  // have ended is all there will be. The order of writes alone would not do: webhooks, or the way to the server, may
  // hold up one and not the other. Over HTTP a write may be stored after its answer was given up: nobody can wait for
  // that, and the instance is then one to abandon.
  if (!view.has_caught_up(kInstances)) return controller::Step::done();

  controller::Step step;
  for (auto writes : {clear(broker, offers(broker, true, view)), clear(broker, classes)}) {
    if (!writes.empty()) step.stages.push_back(std::move(writes));
  }
  Draft draft(broker.names().brokers, broker.object());
  draft.remove_finalizer(kFinalizer);
  step.stages.push_back({std::move(draft).update()});
  step.notes.push_back(
      {false, std::string(broker.scope() == Scope::kCluster ? reason::kDeletedClusterBroker : reason::kDeletedBroker),
       fmt::format("{} and its classes and plans are deleted", broker.kind_and_name())});
  return step;
}

}  // namespace chandler::reconcilers
