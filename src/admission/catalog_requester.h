// Who asks, in the rules of the service catalog: brokers are told on whose behalf they are called, nobody may have the
// controller read a secret that he could not read himself, and the controller is trusted with what only it may write.
// Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "admission/rules.h"
#include "resolve/abandonment.h"

namespace chandler::admission {

inline constexpr std::string_view kCatalogGroup = "servicecatalog.k8s.io";
// The identity under which the controllers of the catalog write.
inline constexpr std::string_view kCatalogController = "system:serviceaccount:kube-system:service-catalog-controller";
using resolve::kAbandonAnnotation;

bool by_catalog_controller(const Context& context);
bool is_abandoned(const json::Value& object);  // carries the annotation

// Something other than spec.userInfo differs. False on create.
bool spec_changed(const Context& context);

// spec.userInfo is the user who made the object or last changed its spec, whatever the client says. The controller's
// own writes leave it alone: they complete what somebody else asked for.
void record_requester(Context& context);

// What the requesting user may do in the namespace of the object; `name` empty: to any.
bool requester_may(const Context& context, std::string_view verb, std::string_view resource,
                   std::string_view subresource, std::string_view name);
// The same for objects of the cluster.
bool requester_may_in_cluster(const Context& context, std::string_view verb, std::string_view resource,
                              std::string_view name);

// 403 about the object of the write.
Error refusal(const Context& context, std::string_view why);

struct SecretUse {
  std::string ns;
  std::string name;
  std::string field;  // that refers to it
  bool operator==(const SecretUse&) const = default;
};
// The secrets of spec.parametersFrom.
std::vector<SecretUse> parameter_secrets(const json::Value& object);
// Refuses the write, naming the secrets that the requesting user may not get, of many only the first. `before` were
// permitted already.
Result<void> permit_secrets(const Context& context, const std::vector<SecretUse>& uses,
                            const std::vector<SecretUse>& before = {});

// The user who asks to abandon the object, by the annotation or by removing the finalizer, is noted on it, for the
// record.
void record_abandoner(Context& context);
// Only a user with the right `abandon` may request it, by the annotation or by removing the finalizer
// (catalog_finalizer.h).
Result<void> permit_abandon(const Context& context);

}  // namespace chandler::admission
