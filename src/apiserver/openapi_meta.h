// Schemas of what every API of this family shares and no kind's file describes. Pure.
#pragma once

#include <string_view>

namespace chandler::apiserver {

// A schema in the language of api/fragments, as JSON text; empty when the name is not one of these.
std::string_view meta_schema(std::string_view name);

}  // namespace chandler::apiserver
