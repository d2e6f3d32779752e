#include "reconcilers/catalog/abandon.h"

#include <fmt/format.h>

#include "base/time_text.h"
#include "reconcilers/catalog/operation.h"
#include "reconcilers/catalog/reasons.h"

namespace chandler::reconcilers {
namespace {

client::Write record_of(const std::string& name, const client::Object& object, const Abandoned& what,
                        controller::View& view) {
  json::Object data;
  data["kind"] = text(what.kind);
  data["namespace"] = text(object.ns());
  if (const auto space = view.get(kNamespaces, "", object.ns())) data["namespaceUID"] = text(space.uid());
  data["name"] = text(object.name());
  data["uid"] = text(object.uid());
  data["broker"] = text(what.target.broker.lane());
  data["serviceID"] = text(what.target.service_id);
  data["planID"] = text(what.target.plan_id);
  data["instanceID"] = text(what.instance_id);
  if (!what.binding_id.empty()) data["bindingID"] = text(what.binding_id);
  data["time"] = text(rfc3339(view.now()));
  if (const auto user = annotation_of(object, resolve::kAbandonedByAnnotation); !user.empty())
    data["user"] = text(user);
  data["requester"] = text(text_at(member(spec_of(object), "userInfo"), "username"));
  json::Object labels;
  labels["servicecatalog.kubernetes.io/abandoned"] = "true";
  json::Object metadata;
  metadata["name"] = text(name);
  metadata["namespace"] = text(kJournalNamespace);
  metadata["labels"] = std::move(labels);
  json::Object record;
  record["apiVersion"] = "v1";
  record["kind"] = "ConfigMap";
  record["metadata"] = std::move(metadata);
  record["data"] = std::move(data);
  client::Write write;
  write.verb = client::Write::Verb::kCreate;
  write.kind = kConfigMaps;
  write.ns = kJournalNamespace;
  write.name = name;
  write.object = std::move(record);
  return write;
}

}  // namespace

controller::Step abandon(Draft draft, const client::Object& object, const Abandoned& what, controller::View& view) {
  const auto name = resolve::abandoned_name(object.uid());
  controller::Step step;
  if (what.may_be_at_broker && !view.get(kConfigMaps, kJournalNamespace, name)) {
    step.stages.push_back({record_of(name, object, what, view)});
    step.notes.push_back(
        warning(reason::kAbandoned,
                fmt::format("Let go without telling {}: it may still have {} {}. On record in ConfigMap {}/{}.",
                            what.target.broker.empty() ? "its broker, which is not known"
                                                       : fmt::format("broker {}", what.target.broker.lane()),
                            what.binding_id.empty() ? "instance" : "binding",
                            what.binding_id.empty() ? what.instance_id : what.binding_id, kJournalNamespace, name)));
    return step;
  }
  draft.remove_finalizer(kFinalizer);
  return controller::Step::write(std::move(draft).update());
}

}  // namespace chandler::reconcilers
