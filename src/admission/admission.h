// The rules of single kinds, put into the engine's hook: who may write into a namespace, then the list of the kind in
// table.cc. Holds no state; borrows what it is made with. Thread-safe.
#pragma once

#include "admission/lookup.h"
#include "auth/policy_store.h"
#include "base/clock.h"
#include "registry/admission.h"

namespace chandler::admission {

class KindAdmission final : public registry::Admission {
 public:
  KindAdmission(const Lookup& lookup, const auth::PolicyStore& policy, const Clock& clock)
      : lookup_(lookup), policy_(policy), clock_(clock) {}

  Result<void> mutate(registry::AdmissionRequest& request) override;
  Result<void> validate(const registry::AdmissionRequest& request, meta::FieldErrors& errors) override;
  Result<void> permit_still(const registry::AdmissionRequest& request) override;

 private:
  // Nothing new in a namespace that is missing or on its way out.
  Result<void> permit_in_namespace(const registry::AdmissionRequest& request) const;

  const Lookup& lookup_;
  const auth::PolicyStore& policy_;
  const Clock& clock_;
};

}  // namespace chandler::admission
