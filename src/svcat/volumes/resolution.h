// How the selector of a claim and the options of its class come out, shown to people; the same decision as the
// controllers make.
#pragma once

#include "resolve/volume_selector.h"
#include "svcat/call.h"
#include "svcat/output/details.h"

namespace chandler::svcat {

// The class that a claim names or, without one, the default; a null value when there is none. `why` says how it was
// found, as a sentence.
Result<json::Value> storage_class_of(Call& call, const json::Value& claim, std::string& why);

// Fails when the options of the class cannot be read.
Result<resolve::SelectorResolution> resolve_claim(const json::Value& storage_class, const json::Value& claim);

void tell_resolution(Call& call, Details& details, const resolve::SelectorResolution& resolution);

}  // namespace chandler::svcat
