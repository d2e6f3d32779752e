// For which kinds of claims a class is the default: said by a list and by labels, which mean the same. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"

namespace chandler::svcat {

// Sorted; without group where the class names none.
std::vector<std::string> default_kinds(const json::Value& resource_class);
// `claim_kind` as "postgresqlinstance.storage.crossplane.io". A class that names the kind alone counts too.
bool is_default_for(const json::Value& resource_class, std::string_view claim_kind);

// In the list and in the labels.
void add_default(json::Object& resource_class, const std::string& claim_kind);
// Also where the class names the kind alone.
void remove_default(json::Object& resource_class, const std::string& claim_kind);

}  // namespace chandler::svcat
