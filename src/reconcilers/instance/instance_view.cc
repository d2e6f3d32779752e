#include "reconcilers/instance/instance_view.h"

namespace chandler::reconcilers {

std::string_view operation_name(InstanceOperation operation) {
  switch (operation) {
    case InstanceOperation::kNone:
      break;
    case InstanceOperation::kProvision:
      return "Provision";
    case InstanceOperation::kUpdate:
      return "Update";
    case InstanceOperation::kDeprovision:
      return "Deprovision";
  }
  return "";
}

InstanceOperation InstanceView::operation() const {
  const auto word = text_at(status(), "currentOperation");
  for (const auto operation :
       {InstanceOperation::kProvision, InstanceOperation::kUpdate, InstanceOperation::kDeprovision}) {
    if (word == operation_name(operation)) return operation;
  }
  return InstanceOperation::kNone;
}

const json::Array& InstanceView::unconfirmed() const {
  static const json::Array none;
  const auto* list = json::array_at(status(), "unconfirmedProperties");
  return list == nullptr ? none : *list;
}

bool InstanceView::needs_deprovision() const { return resolve::may_be_held(text_at(status(), "deprovisionStatus")); }

bool InstanceView::has_refs() const {
  return (!class_ref(Scope::kCluster).empty() && !plan_ref(Scope::kCluster).empty()) ||
         (!class_ref(Scope::kNamespace).empty() && !plan_ref(Scope::kNamespace).empty());
}

}  // namespace chandler::reconcilers
