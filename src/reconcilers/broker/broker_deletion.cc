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

using Users = std::set<std::pair<std::string, std::string>>;  // namespace and name

void collect(Users& users, const client::KindName& kind, std::string ns, std::string field, std::string value,
             controller::View& view) {
  client::Selection selection{std::move(ns), {{std::move(field), std::move(value)}}};
  for (const auto& user : view.list(kind, selection)) users.emplace(user.ns(), user.name());
}

// What the broker was called for, or is about to be.
Users called_for(const client::KindName& kind, const BrokerView& broker, controller::View& view) {
  Users users;
  for (const auto properties : {"externalProperties", "inProgressProperties"}) {
    collect(users, kind, std::string(broker.object().ns()),
            fmt::format("status.{}.{}", properties, broker.names().broker_name), std::string(broker.object().name()),
            view);
  }
  return users;
}

// Also those that refer to a class of it, called for or not. An intent is stored before the spec that names its class,
// unless both are one write.
Users instances_of(const BrokerView& broker, const std::vector<std::pair<client::KindName, OfferView>>& classes,
                   controller::View& view) {
  auto instances = called_for(kInstances, broker, view);
  for (const auto& [kind, offer] : classes) {
    collect(instances, kInstances, std::string(offer.object().ns()),
            fmt::format("spec.{}.name", names_of(offer.scope()).class_ref), offer.name(), view);
  }
  return instances;
}

std::string list_of(const Users& users) {
  std::vector<std::string> names;
  for (const auto& [ns, name] : users) names.push_back(fmt::format("{}/{}", ns, name));
  return resolve::list_names(names, kNamesShown);
}

controller::Step blocked(const BrokerView& broker, std::string_view kind, const Users& users, controller::View& view) {
  const auto message = fmt::format(
      "still used by {} {}{}: {}; the broker goes once they are deleted (annotate one with {}: \"true\" to give it up "
      "without asking the broker)",
      users.size(), kind, users.size() == 1 ? "" : "s", list_of(users), kAbandonAnnotation);
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
  const auto instances = instances_of(broker, classes, view);
  if (!instances.empty()) return blocked(broker, "ServiceInstance", instances, view);
  // An instance that was abandoned leaves its bindings, which need the broker to be ended.
  const auto bindings = called_for(kBindings, broker, view);
  if (!bindings.empty()) return blocked(broker, "ServiceBinding", bindings, view);
  // An instance that was decided on before the broker was seen to be deleted may be about to store its intent: it would
  // be left with an intent and without a broker. So may a binding whose instance has been abandoned since. Every such
  // write is under way now that nothing else is left, since one engine decides about all these kinds; from here on
  // instances refuse this broker, and a binding needs an instance. So what is seen once these writes have ended is all
  // there will be. The order of writes alone would not do: webhooks, or the way to the server, may hold up one and not
  // the other. Over HTTP a write may be stored after its answer was given up: nobody can wait for that, and the
  // instance or binding is then one to abandon.
  const bool instances_are_in = view.has_caught_up(kInstances);
  const bool bindings_are_in = view.has_caught_up(kBindings);
  if (!instances_are_in || !bindings_are_in) return controller::Step::done();

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
