// Amounts of resources in documents. Pure.
#pragma once

#include <optional>

#include "json/value.h"
#include "meta/field_error.h"
#include "meta/quantity.h"

namespace chandler::admission {

// A quantity may be written as text or as a number.
std::optional<meta::Quantity> quantity_of(const json::Value& value);

// {requests, limits}: no amount is negative, no request is above its limit.
void check_resources(const json::Value& resources, const meta::Path& path, meta::FieldErrors& errors);

}  // namespace chandler::admission
