// Which existing volume fits a claim. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "client/object.h"
#include "meta/quantity.h"

namespace chandler::reconcilers {

// A quantity, written as text or as a number.
std::optional<meta::Quantity> quantity_at(const json::Value& value);
const json::Value& requested_storage(const client::Object& claim);

// The volume is reserved for this claim: by its UID, or by its name alone.
bool is_reserved_for(const client::Object& volume, const client::Object& claim);

// "" when the volume has what the claim needs in any case: size, access modes, mode, attributes. Else what it lacks.
std::string shortcoming(const client::Object& volume, const client::Object& claim);

// Of the volumes that are free, of the class and with labels that the selector wants: the one with the fewest access
// modes, then the smallest, then the first by name. No object when none fits.
client::Object best_match(const client::Object& claim, std::string_view class_name,
                          const std::vector<client::Object>& volumes);

}  // namespace chandler::reconcilers
