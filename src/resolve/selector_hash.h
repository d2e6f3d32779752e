// The labels by which clients without field selectors find classes, plans and instances: the label's value is a hash of
// the field's value, so that any text fits. The algorithm is frozen. Pure, thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace chandler::resolve {

// "servicecatalog.k8s.io/spec.externalName"
std::string selector_label_key(std::string_view field);
// Lower-case hex SHA-224 of the text as it is: 56 characters.
std::string selector_label_value(std::string_view text);

}  // namespace chandler::resolve
