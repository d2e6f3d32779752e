// How kinds of claims are written where classes name them, and the two ways in which a class says that it is their
// default: the list defaultForClaimKinds and labels. Pure, thread-safe.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"

namespace chandler::resolve {

// On a CustomResourceDefinition, with the value "true": its objects are claims.
inline constexpr std::string_view kClaimLabel = "core.crossplane.io/claim";
// Of a class, as a number: the higher one wins where operators chose that several defaults are told apart by it.
inline constexpr std::string_view kPriorityAnnotation = "core.crossplane.io/default-priority";

// "PostgreSQLInstance", "storage.crossplane.io" -> "postgresqlinstance.storage.crossplane.io".
std::string claim_kind_name(std::string_view kind, std::string_view group);
// The kind in it: "postgresqlinstance"; the group: "storage.crossplane.io", empty when it is the kind alone.
std::string_view kind_in(std::string_view claim_kind);
std::string_view group_in(std::string_view claim_kind);

// The claim kinds that are part of the program.
const std::vector<std::string>& built_in_claim_kinds();

// "postgresqlinstance.storage.crossplane.io" -> "postgresqlinstance.storage.crossplane.io/default".
std::string default_label(std::string_view claim_kind);
std::string_view kind_of_default_label(std::string_view label);  // and back; "" when it is no such label

// What a class is the default for, as its labels say and as its list says; in lower case.
std::set<std::string> defaults_by_label(const json::Value& resource_class);
std::set<std::string> defaults_by_list(const json::Value& resource_class);

// Makes labels of the list: an entry gets its label; an entry that was listed `before` and is no longer loses it. Other
// labels are the user's. True when something changed.
bool label_defaults(json::Object& resource_class, const std::set<std::string>& before);

}  // namespace chandler::resolve
