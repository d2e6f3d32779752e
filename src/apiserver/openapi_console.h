// The console's paths (console.h) as OpenAPI describes them, in either dialect. Pure.
#pragma once

#include <string_view>

#include "apiserver/openapi_schemas.h"
#include "json/value.h"

namespace chandler::apiserver {

inline constexpr std::string_view kConsoleDocument = "console/v1";  // its name in the index of documents

// Adds paths and schemas to those of a document.
void describe_console(Dialect dialect, json::Object& paths, json::Object& schemas);
// The document of the console alone, OpenAPI 3.
json::Value console_openapi_v3();

}  // namespace chandler::apiserver
