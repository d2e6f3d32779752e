// Classes, plans and brokers as reconcilers read them: names for what stands in the documents, the same for both
// scopes. A view borrows nothing but the Object it holds. catalog/views_test.cc checks every path against the YAML.
#pragma once

#include <optional>
#include <string>

#include "client/object.h"
#include "reconcilers/catalog/document.h"
#include "reconcilers/catalog/kinds.h"

namespace chandler::reconcilers {

// What classes and plans have in common.
class OfferView {
 public:
  OfferView() = default;
  OfferView(Scope scope, client::Object object) : scope_(scope), object_(std::move(object)) {}

  explicit operator bool() const { return static_cast<bool>(object_); }
  const client::Object& object() const { return object_; }
  Scope scope() const { return scope_; }
  std::string name() const { return std::string(object_.name()); }
  std::string external_name() const { return text_at(spec(), "externalName"); }
  std::string external_id() const { return text_at(spec(), "externalID"); }
  std::string service_type() const { return text_at(spec(), "serviceType"); }
  BrokerRef broker() const;  // a namespaced offer may belong to a broker of the cluster
  bool removed() const { return true_at(status_of(object_), "removedFromBrokerCatalog"); }
  // Can be chosen for something new.
  bool usable() const { return object_ && !removed() && !object_.deleting(); }
  // Kept in step with a broker's catalog by relists: has a controller reference into our group, or asks to be adopted.
  bool managed() const { return resolve::is_broker_managed(object_.value()); }

  const json::Value& default_provision_parameters() const { return member(spec(), "defaultProvisionParameters"); }
  const json::Value& default_binding_parameters() const { return member(spec(), "defaultBindingParameters"); }
  const json::Value& default_secret_transform() const { return member(spec(), "defaultSecretTransform"); }
  const json::Value& spec() const { return spec_of(object_); }

 protected:
  Scope scope_ = Scope::kCluster;
  client::Object object_;
};

class ClassView : public OfferView {
 public:
  using OfferView::OfferView;
  bool bindable() const { return true_at(spec(), "bindable"); }
  bool binding_retrievable() const { return true_at(spec(), "bindingRetrievable"); }
  bool instance_retrievable() const { return true_at(spec(), "instanceRetrievable"); }
  bool plan_updatable() const { return true_at(spec(), "planUpdatable"); }
};

class PlanView : public OfferView {
 public:
  using OfferView::OfferView;
  std::string class_name() const { return text_at(member(spec(), names_of(scope_).class_ref), "name"); }
  std::optional<bool> bindable() const { return json::bool_at(spec(), "bindable"); }
  std::optional<bool> plan_updatable() const { return json::bool_at(spec(), "planUpdatable"); }
  bool free() const { return true_at(spec(), "free"); }
  bool is_default() const { return annotation_of(object_, kDefaultPlanAnnotation) == "true"; }
  bool is_suggested() const { return annotation_of(object_, kSuggestedPlanAnnotation) == "true"; }
  std::string acknowledged_default_for() const { return text_at(status_of(object_), "acknowledgedDefaultFor"); }
  resolve::PlanCandidate candidate() const;
  int64_t maximum_polling_seconds() const { return number_at(spec(), "maximumPollingDuration"); }  // 0: not given
  std::string maintenance_version() const { return text_at(member(spec(), "maintenanceInfo"), "version"); }
  const json::Value& create_schema() const { return member(spec(), "instanceCreateParameterSchema"); }
  const json::Value& update_schema() const { return member(spec(), "instanceUpdateParameterSchema"); }
  const json::Value& binding_schema() const { return member(spec(), "serviceBindingCreateParameterSchema"); }
};

}  // namespace chandler::reconcilers
