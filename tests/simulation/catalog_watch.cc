#include "simulation/catalog_watch.h"

#include <map>

#include "base/text.h"
#include "json/writer.h"
#include "reconcilers/binding/binding_view.h"
#include "reconcilers/catalog/abandon.h"
#include "reconcilers/catalog/conditions.h"
#include "reconcilers/catalog/kinds.h"
#include "reconcilers/instance/instance_view.h"

namespace chandler::simulation {
namespace {

using reconcilers::kBindings;
using reconcilers::kInstances;
using reconcilers::kSecrets;
using reconcilers::member;
using reconcilers::text_at;

bool is_ready(const client::Object& object) {
  return reconcilers::condition_true(reconcilers::status_of(object), reconcilers::kReady);
}

}  // namespace

void CatalogWatch::complain(const client::KindName& kind, const client::Object& object, std::string_view what) {
  world_.trace.add("FAULT {} {} {}", kind.plural, object.name(), what);
  found_ +=
      fmt::format("{} {} {}: {}\n", kind.plural, object.name(), what, json::write(reconcilers::status_of(object)));
}

// The brokers at which something of an object can be: its own, or any while its status names none, since what it does
// not know of must not be anywhere.
std::vector<SimBroker*> CatalogWatch::brokers_of(const reconcilers::Target& target) const {
  std::vector<SimBroker*> found;
  for (const auto& [url, broker] : world_.network.brokers()) {
    if (target.broker.empty() || url == SimNetwork::url_of(target.broker.name)) found.push_back(broker.get());
  }
  return found;
}

const SimInstance* CatalogWatch::find_instance(const client::Object& object) const {
  const reconcilers::InstanceView instance(object);
  const auto has = instance.external_target();
  for (auto* broker : brokers_of(has.broker.empty() ? instance.in_progress_target() : has)) {
    const auto found = broker->ledger().find(instance.external_id());
    if (found != broker->ledger().end()) return &found->second;
  }
  return nullptr;
}

const SimBinding* CatalogWatch::find_binding(const client::Object& object) const {
  const reconcilers::BindingView binding(object);
  for (auto* broker : brokers_of(binding.target())) {
    for (const auto& [instance_id, instance] : broker->ledger()) {
      if (const auto found = instance.bindings.find(binding.id()); found != instance.bindings.end())
        return &found->second;
    }
  }
  return nullptr;
}

void CatalogWatch::check_instance(const client::Object& object) {
  if (!is_ready(object)) return;
  const auto* made = find_instance(object);
  if (made == nullptr) return complain(kInstances, object, "is ready, but not at its broker");
  if (!made->is_ready) complain(kInstances, object, "is ready, but not finished at its broker");
}

void CatalogWatch::check_binding(const client::Object& object) {
  if (!is_ready(object) || object.deleting()) return;  // the secret goes first
  const reconcilers::BindingView binding(object);
  const auto* made = find_binding(object);
  if (made == nullptr) return complain(kBindings, object, "is ready, but not at its broker");
  const auto name = binding.written_secret();
  if (users_.has_disturbed(name)) return;  // by a user; the controllers have not come round to it yet
  const auto secret = world_.get(kSecrets, binding.ns(), name);
  if (!secret) return complain(kBindings, object, "is ready, but its secret is not there");
  const auto password = base64_decode(text_at(member(secret.value(), "data"), "password"));
  if (password != text_at(made->credentials, "password"))
    complain(kBindings, object, "is ready, but its secret has other credentials");
}

void CatalogWatch::check_owners() {
  std::map<std::string, int> owners;
  for (const auto& [url, broker] : world_.network.brokers()) {
    for (const auto& [id, instance] : broker->ledger()) {
      if (broker->is_abandoned(id) || instance.owner.empty()) continue;
      if (++owners[instance.owner] == 2) found_ += fmt::format("{} has instances at two brokers\n", instance.owner);
    }
  }
}

void CatalogWatch::note_abandoned(const client::Object& record) {
  is_anything_abandoned_ = true;
  const auto& data = member(record.value(), "data");
  const auto binding = text_at(data, "bindingID");
  for (const auto& [url, broker] : world_.network.brokers())
    broker->abandon(binding.empty() ? text_at(data, "instanceID") : binding);
}

// What is behind an ID that somebody chose may be somebody else's: when the broker says that it is something else, the
// object says so, fails for good and leaves it there.
void CatalogWatch::note_left(const client::Object& object) {
  const auto id = text_at(reconcilers::spec_of(object), "externalID");
  if (!id.starts_with("chosen")) return;
  const bool has_failed = reconcilers::condition_true(reconcilers::status_of(object), reconcilers::kFailed);
  for (const auto& [url, broker] : world_.network.brokers()) {
    if (has_failed) broker->abandon(id);
    // A failed one at another broker stays left, whoever uses the ID here.
    const auto other = broker->ledger().find(id);
    const bool is_elsewhere = other != broker->ledger().end() && !other->second.is_ready;
    if (is_ready(object) && !is_elsewhere) broker->reclaim(id);
  }
}

bool CatalogWatch::is_left(const client::Object& object) const {
  const auto id = text_at(reconcilers::spec_of(object), "externalID");
  for (const auto& [url, broker] : world_.network.brokers()) {
    if (broker->is_abandoned(id)) return true;
  }
  return false;
}

void CatalogWatch::on_write(const client::KindName& kind, const client::Object& object) {
  if (!object) return;
  if (kind == kSecrets) return users_.note_written(object.name());
  const auto text = object.document().bytes();
  static const std::string encoded = base64_encode(kSecretMark).substr(0, 6);
  if (text.find(kSecretMark) != std::string_view::npos || text.find(encoded) != std::string_view::npos)
    found_ += fmt::format("{} {} shows a secret: {}\n", kind.plural, object.name(), text);
  if (kind.plural == "events") events_.insert(text_at(object.value(), "reason"));
  if (kind == reconcilers::kConfigMaps) note_abandoned(object);
  if (kind == kInstances || kind == kBindings) note_left(object);
  if (kind == kInstances) check_instance(object);
  if (kind == kBindings) check_binding(object);
}

void CatalogWatch::look_around() {
  for (const auto& object : world_.list(kInstances)) check_instance(object);
  for (const auto& object : world_.list(kBindings)) check_binding(object);
  check_owners();
}

}  // namespace chandler::simulation
