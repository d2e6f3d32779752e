#include "admission/quantities.h"

#include <string_view>

#include "admission/fields.h"
#include "json/writer.h"

namespace chandler::admission {

std::optional<meta::Quantity> quantity_of(const json::Value& value) {
  if (value.is_string()) return meta::parse_quantity(json::view(value.get_string()));
  if (value.is_number()) return meta::parse_quantity(json::write(value));
  return std::nullopt;
}

void check_resources(const json::Value& resources, const meta::Path& path, meta::FieldErrors& errors) {
  const auto& limits = member(resources, "limits");
  for (const std::string_view list : {"limits", "requests"}) {
    const auto* amounts = json::object_at(resources, list);
    if (amounts == nullptr) continue;
    for (const auto& entry : *amounts) {
      const std::string_view name(entry.key().data(), entry.key().size());
      const auto amount = quantity_of(entry.value());
      if (!amount) continue;
      if (amount->is_negative()) errors.invalid(path.member(list).key(name), entry.value(), "must not be negative");
      const auto limit = list == "requests" ? quantity_of(member(limits, name)) : std::nullopt;
      if (limit && *amount > *limit) {
        errors.invalid(path.member(list), entry.value(),
                       "the request for " + std::string(name) + " is above its limit");
      }
    }
  }
}

}  // namespace chandler::admission
