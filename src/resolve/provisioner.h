// The provisioner of a resource class: a kind, as kind.group/version. Objects of it are made for claims. Pure,
// thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace chandler::resolve {

struct Provisioner {
  std::string kind;  // in lower case: "serviceinstance"
  std::string group;
  std::string version;  // empty: the preferred one
};

// "rdsinstance.database.aws.crossplane.io/v1alpha1"; nullopt when it is not of this form.
std::optional<Provisioner> parse_provisioner(std::string_view text);

// Orders a service from the catalog.
bool is_catalog_service(const Provisioner& provisioner);

// Why no objects of the kind are made for claims; empty when they may be. Kubernetes' own kinds give rights and run
// programs: a class must not be a way to have them made by the controller. Claims do not serve claims.
std::string unfit_provisioner(const Provisioner& provisioner);

}  // namespace chandler::resolve
