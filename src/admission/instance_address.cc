#include "admission/instance_address.h"

#include <algorithm>

#include <fmt/format.h>

#include "admission/catalog_requester.h"
#include "admission/fields.h"

namespace chandler::admission {
namespace {

using Names = std::array<std::string_view, 3>;

// Position of the first field that is given, -1 without one; every further one is a fault.
int only_one(const json::Value& spec, const Names& names, meta::FieldErrors& errors) {
  int found = -1;
  for (int i = 0; i < static_cast<int>(names.size()); ++i) {
    if (!filled(spec, names[static_cast<size_t>(i)])) continue;
    if (found < 0) {
      found = i;
    } else {
      errors.forbidden(meta::Path("spec").member(names[static_cast<size_t>(i)]),
                       fmt::format("give either this or {}, not both", names[static_cast<size_t>(found)]));
    }
  }
  return found;
}

void check_names(const json::Value& spec, meta::FieldErrors& errors) {
  const meta::Path path("spec");
  const auto& [cluster, local] = address_fields();
  const int cluster_class = only_one(spec, cluster.classes, errors);
  const int cluster_plan = only_one(spec, cluster.plans, errors);
  const int local_class = only_one(spec, local.classes, errors);
  const int local_plan = only_one(spec, local.plans, errors);
  if ((cluster_class >= 0 || cluster_plan >= 0) && (local_class >= 0 || local_plan >= 0)) {
    const auto field = local_class >= 0 ? local.classes[static_cast<size_t>(local_class)]
                                        : local.plans[static_cast<size_t>(local_plan)];
    errors.forbidden(path.member(field), "class and plan are both of the cluster or both of the namespace");
    return;
  }
  if (cluster_class < 0 && local_class < 0 && cluster_plan < 0 && local_plan < 0 && !filled(spec, "serviceType")) {
    errors.required(path.member(cluster.classes.front()),
                    "name a class (by clusterServiceClassExternalName, clusterServiceClassExternalID, "
                    "clusterServiceClassName or the same without \"cluster\" for one of the namespace), or ask for a "
                    "kind of service by serviceType");
  }
  const auto check_way = [&](const AddressFields& fields, int of_class, int of_plan) {
    if (of_plan < 0 || of_class == of_plan) return;
    if (of_class < 0) {
      // An instance that was asked for by type moves to another plan of the class that was found.
      if (filled(spec, fields.class_ref)) return;
      return errors.required(path.member(fields.classes[static_cast<size_t>(of_plan)]),
                             "a plan is looked for in its class; name that too");
    }
    errors.forbidden(
        path.member(fields.plans[static_cast<size_t>(of_plan)]),
        fmt::format("a class given by {} goes with a plan given by {}", fields.classes[static_cast<size_t>(of_class)],
                    fields.plans[static_cast<size_t>(of_class)]));
  };
  check_way(cluster, cluster_class, cluster_plan);
  check_way(local, local_class, local_plan);
}

void check_references(const Context& context, const json::Value& spec, meta::FieldErrors& errors) {
  const meta::Path path("spec");
  const auto& [cluster, local] = address_fields();
  if (context.old == nullptr) {
    for (const auto& fields : address_fields()) {
      for (const auto ref : {fields.class_ref, fields.plan_ref}) {
        if (filled(spec, ref)) errors.forbidden(path.member(ref), "is filled in by the controller; leave it out");
      }
    }
    return;
  }
  const auto exclude = [&](std::string_view ref, std::string_view other) {
    if (filled(spec, ref) && filled(spec, other)) {
      errors.forbidden(path.member(ref), fmt::format("cannot be there together with {}", other));
    }
  };
  exclude(local.class_ref, cluster.class_ref);
  exclude(local.plan_ref, cluster.plan_ref);
  exclude(local.plan_ref, cluster.class_ref);
  exclude(cluster.plan_ref, local.class_ref);
}

}  // namespace

const std::array<AddressFields, 2>& address_fields() {
  static constexpr std::array<AddressFields, 2> kFields = {{
      {{"clusterServiceClassExternalName", "clusterServiceClassExternalID", "clusterServiceClassName"},
       {"clusterServicePlanExternalName", "clusterServicePlanExternalID", "clusterServicePlanName"},
       "clusterServiceClassRef",
       "clusterServicePlanRef",
       "clusterserviceclasses",
       "clusterserviceplans",
       true},
      {{"serviceClassExternalName", "serviceClassExternalID", "serviceClassName"},
       {"servicePlanExternalName", "servicePlanExternalID", "servicePlanName"},
       "serviceClassRef",
       "servicePlanRef",
       "serviceclasses",
       "serviceplans",
       false},
  }};
  return kFields;
}

bool plan_changed(const Context& context) {
  if (context.old == nullptr) return false;
  const auto& now = member(*context.object, "spec");
  const auto& before = member(*context.old, "spec");
  for (const auto& fields : address_fields()) {
    for (const auto plan : fields.plans) {
      if (!same(now, before, plan)) return true;
    }
  }
  return false;
}

bool is_resolved(const json::Value& object) {
  const auto& spec = member(object, "spec");
  if (filled(member(object, "status"), "resolution")) return true;
  return std::any_of(address_fields().begin(), address_fields().end(), [&](const AddressFields& fields) {
    return filled(spec, fields.class_ref) || filled(spec, fields.plan_ref);
  });
}

void check_address(const Context& context, meta::FieldErrors& errors) {
  const auto& spec = member(*context.object, "spec");
  // What was stored before with a fault must not keep the controller from finishing its work; the class cannot change.
  const bool type_changed = context.old != nullptr && !same(spec, member(*context.old, "spec"), "serviceType");
  if (context.old == nullptr || plan_changed(context) || type_changed) check_names(spec, errors);
  check_references(context, spec, errors);
}

}  // namespace chandler::admission
