// Abandoning what a broker holds for an instance or a binding: the names and the one rule that admission, controllers
// and svcat share. Pure.
#pragma once

#include <string>
#include <string_view>

namespace chandler::resolve {

// By which an object that is being deleted waits until its broker holds nothing for it.
inline constexpr std::string_view kCatalogFinalizer = "kubernetes-incubator/service-catalog";
// "true" ends the wait without asking the broker.
inline constexpr std::string_view kAbandonAnnotation = "servicecatalog.kubernetes.io/abandon";
// Who asked for that; our admission sees to it that it is true.
inline constexpr std::string_view kAbandonedByAnnotation = "servicecatalog.kubernetes.io/abandoned-by";

// What was abandoned is on record in a ConfigMap for each object.
inline constexpr std::string_view kAbandonedNamespace = "kube-system";
inline std::string abandoned_name(std::string_view uid) { return "abandoned-" + std::string(uid); }

// Whether the broker may hold something, by status.deprovisionStatus or status.unbindStatus. It says so before a
// request is sent. Other controllers give up after a failure; ours do not.
inline bool may_be_held(std::string_view removal_status) {
  return removal_status == "Required" || removal_status == "Failed";
}

}  // namespace chandler::resolve
