#include "admission/catalog_external_id.h"

#include "admission/fields.h"
#include "base/ids.h"
#include "resolve/external_id.h"

namespace chandler::admission {
namespace {

constexpr std::string_view kField = "externalID";

json::Value own_external_id(const Context& context) {
  const auto uid = json::string_or(member(*context.object, "metadata"), "uid");
  return text(uid.empty() ? new_uuid() : uid);
}

}  // namespace

void default_external_id(Context& context) {
  auto& spec = object_in(*context.object, "spec");
  if (filled(spec.if_contains(kField))) return;
  if (context.old != nullptr) copy_member(spec, member(*context.old, "spec"), kField);
  if (!filled(spec.if_contains(kField))) spec[kField] = own_external_id(context);
}

void check_external_id(const Context& context, meta::FieldErrors& errors) {
  const auto& spec = member(*context.object, "spec");
  if (!filled(spec, kField)) return;
  if (context.old != nullptr && same(spec, member(*context.old, "spec"), kField)) return;
  const auto id = json::string_or(spec, kField);
  if (const auto fault = resolve::external_id_fault(id); !fault.empty())
    errors.invalid(meta::Path("spec").member(kField), id, fault);
}

}  // namespace chandler::admission
