#include "admission/catalog_parameters.h"

#include "admission/fields.h"
#include "resolve/parameter_bounds.h"

namespace chandler::admission {

void check_parameters(const Context& context, std::string_view field, meta::FieldErrors& errors) {
  const auto& spec = member(*context.object, "spec");
  if (!filled(spec, field)) return;
  if (context.old != nullptr && same(spec, member(*context.old, "spec"), field)) return;
  const auto bounded = resolve::check_bounds(member(spec, field), field);
  // Forbidden, since that is the report which does not repeat the value.
  if (!bounded.ok()) errors.forbidden(meta::Path("spec").member(field), bounded.error().message);
}

}  // namespace chandler::admission
