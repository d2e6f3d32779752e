#include <fmt/format.h>

#include "admission/catalog_external_id.h"
#include "admission/catalog_finalizer.h"
#include "admission/catalog_metadata.h"
#include "admission/catalog_parameters.h"
#include "admission/catalog_requester.h"
#include "admission/catalog_transforms.h"
#include "admission/fields.h"
#include "admission/kind_rules.h"
#include "base/text.h"

namespace chandler::admission {
namespace {

constexpr std::string_view kTransform = "secretTransform";    // the one spelling
constexpr std::string_view kTransforms = "secretTransforms";  // and the other

std::vector<SecretUse> all_secrets(const json::Value& object) {
  auto uses = parameter_secrets(object);
  for (const auto field : {kTransform, kTransforms}) {
    for (auto& use : transform_secrets(object, field)) uses.push_back(std::move(use));
  }
  return uses;
}

// What the broker was asked for cannot be asked for again: the API of brokers knows no update of a binding. The
// controller completes the parameters once, before it asks.
void check_frozen(const Context& context, meta::FieldErrors& errors) {
  if (context.old == nullptr || by_catalog_controller(context)) return;
  const auto& now = member(*context.object, "spec");
  const auto& before = member(*context.old, "spec");
  for (const std::string_view field : {"instanceRef", "parameters", "parametersFrom", "externalID"}) {
    if (same(now, before, field)) continue;
    if (field == "externalID" && !filled(before, field)) continue;  // made where this rule did not run
    errors.forbidden(meta::Path("spec").member(field),
                     "a binding cannot be changed at its broker; create a new binding and delete this one when it is "
                     "no longer used");
  }
}

}  // namespace

void default_service_binding(Context& context) {
  add_catalog_finalizer(context);
  keep_catalog_finalizer(context);
  record_abandoner(context);
  auto& spec = object_in(*context.object, "spec");
  // What the server filled in before stays when a client leaves it out.
  for (const std::string_view field : {"secretName", "serviceType"}) {
    if (context.old != nullptr && !filled(spec.if_contains(field))) {
      copy_member(spec, member(*context.old, "spec"), field);
    }
  }
  if (!filled(spec.if_contains("secretName"))) spec["secretName"] = text(name_of(*context.object));
  default_external_id(context);
  record_requester(context);
}

void check_service_binding(const Context& context, meta::FieldErrors& errors) {
  const auto& object = *context.object;
  const auto& spec = member(object, "spec");
  if (present(spec, kTransform) && present(spec, kTransforms)) {
    errors.forbidden(meta::Path("spec").member(kTransforms),
                     "is another spelling of secretTransform; give one of the two");
  }
  check_external_id(context, errors);
  check_parameters(context, "parameters", errors);
  check_transforms(object, kTransform, errors);
  check_transforms(object, kTransforms, errors);
  check_frozen(context, errors);
}

Result<void> permit_service_binding(const Context& context) {
  if (by_catalog_controller(context)) return {};
  const auto& object = *context.object;
  if (context.old == nullptr && context.lookup != nullptr) {
    const auto name = json::string_or(member(member(object, "spec"), "instanceRef"), "name");
    const auto instance = context.lookup->get(kCatalogGroup, "serviceinstances", namespace_of(object), name);
    // One that does not exist may still come: manifests are applied in any order.
    if (instance != nullptr && instance->deleting()) {
      return fail(refusal(context, fmt::format("spec.instanceRef.name: instance {} is being deleted and takes no new "
                                               "bindings; bind another instance",
                                               quoted(name))));
    }
  }
  CH_TRY(permit_secrets(context, all_secrets(object),
                        context.old == nullptr ? std::vector<SecretUse>() : all_secrets(*context.old)));
  return permit_abandon(context);
}

}  // namespace chandler::admission
