#include "simulation/catalog_rest.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "json/writer.h"
#include "reconcilers/binding/binding_view.h"
#include "reconcilers/catalog/conditions.h"
#include "reconcilers/catalog/kinds.h"
#include "reconcilers/catalog/reasons.h"
#include "reconcilers/instance/instance_view.h"
#include "reconcilers/secrets/secret_protection.h"

namespace chandler::simulation {
namespace {

namespace reason = reconcilers::reason;
using reconcilers::kBindings;
using reconcilers::kInstances;
using reconcilers::member;
using reconcilers::status_of;
using reconcilers::text_at;

bool is_ready(const client::Object& object) {
  return reconcilers::condition_true(status_of(object), reconcilers::kReady);
}

// Why something may wait for ever: people have to decide.
bool is_final(const std::string& why) {
  static const std::set<std::string_view> kFinal{
      reason::kNoSuchClass,      reason::kNoSuchPlan,     reason::kClassRemoved,         reason::kPlanRemoved,
      reason::kNoDefaultPlan,    reason::kNoSuchInstance, reason::kAmbiguousDefaultPlan, reason::kDeprovisionBlocked,
      reason::kInstanceNotReady, reason::kNotBindable,    reason::kInstanceUnresolved,   reason::kExternalIdInUse};
  return kFinal.contains(why);
}

bool waits_for_id(const client::Object& object) {
  return reconcilers::condition_reason(status_of(object), reconcilers::kReady) == reason::kExternalIdInUse;
}

}  // namespace

void CatalogRest::complain(const client::KindName& kind, const client::Object& object, std::string_view what) {
  out_ += fmt::format("{} {} {} {}: {}\n", kind.plural, object.name(),
                      world_.trace.alias(text_at(reconcilers::spec_of(object), "externalID")), what,
                      json::write(status_of(object)));
}

// Deletion ends, unless bindings hold the instance and nobody asked for these to go with it.
void CatalogRest::check_deleting(const client::Object& object) {
  if (!object.deleting()) return;
  const reconcilers::InstanceView instance(object);
  bool is_held = false;
  for (const auto& binding : world_.list(kBindings)) {
    const reconcilers::BindingView view(binding);
    const bool is_of_another = view.needs_unbind() && view.instance_id() != instance.external_id();
    is_held = is_held || (view.instance_name() == instance.name() && !is_of_another &&
                          (instance.provisioned() || view.needs_unbind()));
  }
  if (!is_held || text_at(instance.spec(), "deletionPolicy") == "Cascade")
    complain(kInstances, object, "is never deleted");
}

void CatalogRest::check_properties(const client::Object& object, const SimInstance& made) {
  const reconcilers::InstanceView instance(object);
  const auto checksum = checksum_key().checksum(object.uid(), made.parameters);
  bool plan_fits = false;
  bool parameters_fit = false;
  // Of updates that failed nobody can know how much was done; but it is one of them or the state before. What is
  // going to be deleted and waits for its bindings does not follow an update to its end.
  std::vector<const json::Value*> candidates{&instance.external(), &instance.in_progress()};
  for (const auto& properties : instance.unconfirmed()) candidates.push_back(&properties);
  for (const auto* known : candidates) {
    if (!known->is_object()) continue;
    plan_fits = plan_fits || reconcilers::read_target(*known, object.ns()).plan_id == made.plan;
    parameters_fit = parameters_fit || text_at(*known, "parameterChecksum") == checksum;
  }
  if (!plan_fits) complain(kInstances, object, "believes in another plan than " + made.plan);
  if (!parameters_fit)
    complain(kInstances, object, "believes in other parameters than " + json::write(made.parameters));
  if (!is_ready(object)) return;
  if (!instance.unconfirmed().empty()) complain(kInstances, object, "is ready, but does not know what it has");
  for (const auto scope : {reconcilers::Scope::kCluster, reconcilers::Scope::kNamespace}) {
    const auto& names = reconcilers::names_of(scope);
    const auto wanted = text_at(instance.spec(), names.plan_external_name);
    if (!wanted.empty() && !made.plan.ends_with("-" + wanted))
      complain(kInstances, object, "is ready with another plan");
  }
  const auto& own = member(instance.spec(), "parameters");
  for (const auto& [key, value] : own.is_object() ? own.get_object() : json::Object()) {
    if (!json::equal(member(made.parameters, json::view(key)), value))
      complain(kInstances, object, "is ready with other parameters");
  }
}

bool CatalogRest::is_broker_leaving() {
  for (const auto& kind : {reconcilers::kClusterBrokers, reconcilers::kBrokers}) {
    for (const auto& broker : world_.list(kind)) {
      if (broker.deleting()) return true;
    }
  }
  return false;
}

// Where it wanted to go, or told for good why not.
void CatalogRest::check_outcome(const client::KindName& kind, const client::Object& object) {
  const auto& status = status_of(object);
  const bool is_held = object.deleting() && text_at(status, "currentOperation") == "Update";
  if (!text_at(status, "currentOperation").empty() && !is_held) return complain(kind, object, "is still at work");
  if (is_ready(object)) {
    if (reconcilers::number_at(status, "reconciledGeneration") != reconcilers::generation_of(object))
      complain(kind, object, "is ready for an older spec");
    return;
  }
  if (reconcilers::condition_true(status, reconcilers::kFailed)) return;
  const auto why = reconcilers::condition_reason(status, reconcilers::kReady);
  if (why == reason::kNoSuchBroker && is_broker_leaving()) return;
  if (!is_final(why)) complain(kind, object, "came to no end");
}

void CatalogRest::check_instance(const client::Object& object) {
  const reconcilers::InstanceView instance(object);
  check_deleting(object);
  check_outcome(kInstances, object);
  if (waits_for_id(object) && !instance.needs_deprovision()) return;  // what is there belongs to another
  const auto* made = watch_.find_instance(object);
  if (instance.provisioned() && made == nullptr) return complain(kInstances, object, "believes in what is not there");
  if (!instance.provisioned() && watch_.is_left(object)) return;
  if (!instance.provisioned() && made != nullptr) return complain(kInstances, object, "does not know what it has");
  if (made == nullptr) return;
  if (made->operation || made->has_failed || !made->is_ready)
    complain(kInstances, object, "rests on an instance that is not finished");
  check_properties(object, *made);
}

void CatalogRest::check_binding(const client::Object& object) {
  const reconcilers::BindingView binding(object);
  if (object.deleting()) complain(kBindings, object, "is never deleted");
  check_outcome(kBindings, object);
  if (waits_for_id(object) && !binding.needs_unbind()) return;  // what is there belongs to another
  const auto* made = watch_.find_binding(object);
  if (binding.bound() && made == nullptr) return complain(kBindings, object, "believes in what is not there");
  if (!binding.bound() && watch_.is_left(object)) return;
  if (!binding.bound() && made != nullptr) return complain(kBindings, object, "does not know what it has");
  if (made != nullptr && (made->operation || made->has_failed || !made->is_ready))
    complain(kBindings, object, "rests on a binding that is not finished");
  if (made != nullptr && !is_ready(object)) complain(kBindings, object, "is bound, but not ready");
  if (reconcilers::condition_reason(binding.status(), reconcilers::kReady) != reason::kInstanceNotReady) return;
  const auto instance = world_.get(kInstances, binding.ns(), binding.instance_name());
  if (instance && is_ready(instance) && !instance.deleting()) complain(kBindings, object, "waits for what is ready");
}

// Whoever names a secret keeps it, and nobody else does.
void CatalogRest::check_secret(const client::Object& secret) {
  if (!secret.deleting()) return;
  for (const auto& kind : {kInstances, kBindings}) {
    for (const auto& user : world_.list(kind)) {
      if (reconcilers::named_secrets(user).contains(std::string(secret.name()))) return;
    }
  }
  complain(reconcilers::kSecrets, secret, "is kept for nobody");
}

void CatalogRest::check_ledgers() {
  std::set<std::string> known;
  for (const auto& object : world_.list(kInstances)) known.insert(reconcilers::InstanceView(object).external_id());
  for (const auto& object : world_.list(kBindings)) known.insert(reconcilers::BindingView(object).id());
  for (const auto& [url, broker] : world_.network.brokers()) {
    for (const auto& violation : broker->violations()) out_ += violation + "\n";
    for (const auto& [id, instance] : broker->ledger()) {
      if (!known.contains(id) && !broker->is_abandoned(id))
        out_ += fmt::format("{} {} at {} belongs to nobody\n", instance.owner, world_.trace.alias(id), url);
      for (const auto& [binding_id, binding] : instance.bindings) {
        if (!known.contains(binding_id) && !broker->is_abandoned(binding_id))
          out_ += fmt::format("binding {} of {} belongs to nobody\n", world_.trace.alias(binding_id), instance.owner);
      }
    }
  }
}

std::string CatalogRest::faults() {
  out_.clear();
  for (const auto& object : world_.list(kInstances)) check_instance(object);
  for (const auto& object : world_.list(kBindings)) check_binding(object);
  for (const auto& object : world_.list(reconcilers::kSecrets)) check_secret(object);
  check_ledgers();
  return std::exchange(out_, "");
}

std::string CatalogRest::leftovers() {
  out_.clear();
  for (const auto& kind :
       {kBindings, kInstances, reconcilers::kClusterBrokers, reconcilers::kBrokers, reconcilers::kClusterClasses,
        reconcilers::kClasses, reconcilers::kClusterPlans, reconcilers::kPlans, reconcilers::kSecrets}) {
    for (const auto& object : world_.list(kind)) complain(kind, object, "is left");
  }
  check_ledgers();
  return std::exchange(out_, "");
}

}  // namespace chandler::simulation
