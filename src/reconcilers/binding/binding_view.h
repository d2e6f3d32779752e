// A ServiceBinding as its reconciler reads it. Borrows nothing but the Object it holds.
#pragma once

#include <optional>
#include <string>

#include "client/object.h"
#include "reconcilers/catalog/document.h"
#include "reconcilers/catalog/kinds.h"
#include "reconcilers/catalog/target.h"

namespace chandler::reconcilers {

enum class BindingOperation { kNone, kBind, kUnbind };

class BindingView {
 public:
  explicit BindingView(client::Object object) : object_(std::move(object)) {}

  const client::Object& object() const { return object_; }
  const json::Value& spec() const { return spec_of(object_); }
  const json::Value& status() const { return status_of(object_); }
  std::string name() const { return std::string(object_.name()); }
  std::string ns() const { return std::string(object_.ns()); }
  std::string instance_name() const { return text_at(member(spec(), "instanceRef"), "name"); }
  std::string secret_name() const;
  // The secret that was written last; another one than secret_name() after that has changed.
  std::string written_secret() const { return text_at(member(status(), "binding"), "name"); }
  // The binding's ID at the broker.
  std::string id() const;
  int64_t generation() const { return generation_of(object_); }
  int64_t reconciled_generation() const { return number_at(status(), "reconciledGeneration"); }

  BindingOperation operation() const;
  bool polling() const { return true_at(status(), "asyncOpInProgress"); }
  bool cleaning_up() const { return true_at(status(), "orphanMitigationInProgress"); }
  bool bound() const { return external().is_object(); }  // the broker has it
  bool needs_unbind() const;
  // On whose behalf the broker is called: who deleted the instance, when that took the binding along.
  const json::Value& requester() const {
    const auto& by = member(status(), "cascadedBy");
    return by.is_object() ? by : member(spec(), "userInfo");
  }
  std::string operation_start() const { return text_at(status(), "operationStartTime"); }
  const json::Value& in_progress() const { return member(status(), "inProgressProperties"); }
  const json::Value& external() const { return member(status(), "externalProperties"); }
  // What is under way, else what the broker has.
  const json::Value& properties() const { return in_progress().is_object() ? in_progress() : external(); }
  Target target() const { return read_target(properties(), object_.ns()); }
  std::string instance_id() const { return text_at(properties(), "instanceExternalID"); }

  // "secretTransform" or "secretTransforms", as the user spelled it.
  std::string_view transform_field() const;

 private:
  client::Object object_;
};

}  // namespace chandler::reconcilers
