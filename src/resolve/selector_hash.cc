#include "resolve/selector_hash.h"

#include "resolve/digest.h"

namespace chandler::resolve {

std::string selector_label_key(std::string_view field) { return std::string("servicecatalog.k8s.io/").append(field); }

std::string selector_label_value(std::string_view text) { return sha224_hex(text); }

}  // namespace chandler::resolve
