// What every workload demands of its selector and its pod template. Pure.
#pragma once

#include <string_view>

#include "json/value.h"
#include "meta/field_error.h"

namespace chandler::admission {

// The selector is legal, selects something, and selects the pods of the template. `spec` is that of the workload.
void check_workload_selector(const json::Value& spec, const meta::Path& path, meta::FieldErrors& errors);

// Selector and template of a workload that keeps its pods running for ever.
void check_long_running(const json::Value& spec, const meta::Path& path, meta::FieldErrors& errors);

}  // namespace chandler::admission
