// A ServiceInstance as its reconciler reads it. Borrows nothing but the Object it holds.
#pragma once

#include <optional>
#include <string>

#include "client/object.h"
#include "reconcilers/catalog/document.h"
#include "reconcilers/catalog/kinds.h"
#include "reconcilers/catalog/target.h"

namespace chandler::reconcilers {

enum class InstanceOperation { kNone, kProvision, kUpdate, kDeprovision };
std::string_view operation_name(InstanceOperation operation);  // as in status.currentOperation

class InstanceView {
 public:
  explicit InstanceView(client::Object object) : object_(std::move(object)) {}

  const client::Object& object() const { return object_; }
  const json::Value& spec() const { return spec_of(object_); }
  const json::Value& status() const { return status_of(object_); }
  std::string name() const { return std::string(object_.name()); }
  std::string ns() const { return std::string(object_.ns()); }
  std::string external_id() const { return text_at(spec(), "externalID"); }
  std::string service_type() const { return text_at(spec(), "serviceType"); }
  int64_t generation() const { return generation_of(object_); }
  int64_t observed_generation() const { return number_at(status(), "observedGeneration"); }
  int64_t reconciled_generation() const { return number_at(status(), "reconciledGeneration"); }

  InstanceOperation operation() const;
  bool polling() const { return true_at(status(), "asyncOpInProgress"); }
  bool cleaning_up() const { return true_at(status(), "orphanMitigationInProgress"); }
  bool provisioned() const { return text_at(status(), "provisionStatus") == "Provisioned"; }
  // The broker may have something of this instance.
  bool needs_deprovision() const;
  std::optional<WallTime> operation_start() const { return time_at(status(), "operationStartTime"); }
  const json::Value& in_progress() const { return member(status(), "inProgressProperties"); }
  const json::Value& external() const { return member(status(), "externalProperties"); }
  // Properties of updates that may have been carried out or not, oldest first.
  const json::Array& unconfirmed() const;
  Target in_progress_target() const { return read_target(in_progress(), object_.ns()); }
  Target external_target() const { return read_target(external(), object_.ns()); }

  // Whether class and plan were found and written into the spec.
  std::string class_ref(Scope scope) const { return text_at(member(spec(), names_of(scope).class_ref), "name"); }
  std::string plan_ref(Scope scope) const { return text_at(member(spec(), names_of(scope).plan_ref), "name"); }
  bool has_refs() const;
  // The class stays for ever once it was found; defaults are merged in the same write, and only then.
  bool has_class() const { return !class_ref(Scope::kCluster).empty() || !class_ref(Scope::kNamespace).empty(); }

 private:
  client::Object object_;
};

}  // namespace chandler::reconcilers
