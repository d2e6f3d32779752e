// The controllers of the service catalog: brokers, what they offer, instances and bindings.
#pragma once

#include "app/family.h"
#include "reconcilers/catalog/settings.h"

namespace chandler::app {

inline constexpr std::string_view kCatalogDuty = "service-catalog";

// When it starts it finds out the cluster's ID (ConfigMap cluster-info in kube-system, or in default where one is
// there; made when missing).
Family catalog_family(reconcilers::Settings settings);

}  // namespace chandler::app
