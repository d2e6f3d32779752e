// Which fields of a class or plan its broker's catalog provided, as the object itself says. The record is an annotation
// and not status: one write sets the fields and tells whose they are, so nobody ever sees the one without the other,
// and a relist writes each object once. Pure, thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"

namespace chandler::resolve {

// Paths such as spec.description, joined by commas.
inline constexpr std::string_view kProvidedFieldsAnnotation = "servicecatalog.kubernetes.io/broker-provided-fields";

// On a plan that has no type of its own and whose class got one from an operator: that type, which the plan was given
// with it. It follows the class from then on. When it is not what spec.serviceType says, somebody chose another since.
inline constexpr std::string_view kTypeOfClassAnnotation = "servicecatalog.kubernetes.io/type-of-class";

// The paths, which lie in the offer; none when there is no record.
std::vector<std::string_view> provided_fields_of(const json::Value& offer);
// The path, or something below it, is in the record. Not the type that an operator gave the class of a plan: relists
// write it too, but it is not the broker's.
bool is_provided(const json::Value& offer, std::string_view path);

}  // namespace chandler::resolve
