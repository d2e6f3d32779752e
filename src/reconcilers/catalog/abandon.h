// Letting go of what a broker may still have: an operator's last resort when the broker is gone for good. What was
// abandoned stays on record as a ConfigMap, so that somebody can clean up by hand later, and nobody else takes it over
// (claimed_id.h). `user` asked for that, if it is known; `requester` last changed or deleted the object.
#pragma once

#include <string>

#include "controller/step.h"
#include "controller/view.h"
#include "reconcilers/catalog/document.h"
#include "reconcilers/catalog/kinds.h"
#include "reconcilers/catalog/target.h"

namespace chandler::reconcilers {

inline constexpr client::KindName kConfigMaps{"", "configmaps"};
inline constexpr std::string_view kJournalNamespace = resolve::kAbandonedNamespace;

struct Abandoned {
  std::string kind;  // ServiceInstance or ServiceBinding
  bool may_be_at_broker = false;
  Target target;  // as far as it is known
  std::string instance_id;
  std::string binding_id;  // empty for an instance
};

// First the record, unless the broker never had anything, then the finalizer.
controller::Step abandon(Draft draft, const client::Object& object, const Abandoned& what, controller::View& view);

}  // namespace chandler::reconcilers
