// Errors and successes as Kubernetes Status objects.
#pragma once

#include "base/error.h"
#include "json/value.h"

namespace chandler::apiserver {

json::Value status_of(const Error& error);
json::Value success_status(const ObjectRef& about);  // of a finished delete

}  // namespace chandler::apiserver
