// Reading the objects of the catalog: one name for each thing that commands show or decide by. A field that is absent
// reads as empty. Pure.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "json/value.h"
#include "svcat/catalog/kinds.h"

namespace chandler::svcat {

using Path = std::initializer_list<std::string_view>;

std::string text_at(const json::Value& object, Path path);
bool true_at(const json::Value& object, Path path);
int64_t number_at(const json::Value& object, Path path);
const json::Value* array_at(const json::Value& object, Path path);  // null unless there is one with elements

std::string name_of(const json::Value& object);
std::string namespace_of(const json::Value& object);
std::string annotation_of(const json::Value& object, std::string_view key);
bool is_deleting(const json::Value& object);
std::string age_of(const json::Value& object, WallTime now);  // as kubectl shows it

// Classes and plans.
Scope scope_of(const json::Value& object);                // by its kind
std::string external_name_of(const json::Value& object);  // as users call it
bool is_removed(const json::Value& object);               // from its broker's catalog
std::string broker_of(const json::Value& object);
std::string class_ref_of(const json::Value& object);  // of a plan or an instance: the class's object name
std::string plan_ref_of(const json::Value& instance);
std::string type_of(const json::Value& object);
bool is_default(const json::Value& plan);
bool is_suggested(const json::Value& plan);
std::string scope_cell(const json::Value& object);  // "broker (azure)", "cluster", "ns (dev)"

// Instances: class and plan as users know them, as far as the object itself says.
std::string class_shown(const json::Value& instance);
std::string plan_shown(const json::Value& instance);

// The last condition in a word (its type when it holds, else its reason) and in a sentence with its time.
std::string status_word(const json::Value& object);
std::string status_sentence(const json::Value& object);
// The same of the condition Ready, for kinds whose other conditions say more about it.
std::string readiness_word(const json::Value& object);
std::string readiness_sentence(const json::Value& object);
// What describe says as the status: the sentence, or that there is none yet.
std::string shown_status(std::string sentence);
const json::Value* condition_of(const json::Value& object, std::string_view type);
bool condition_holds(const json::Value& object, std::string_view type);

std::string utc(std::string_view rfc3339_time);  // "2017-11-30 19:11:49 +0000 UTC"; as it is when it is no time
std::optional<WallTime> time_at(const json::Value& object, Path path);

}  // namespace chandler::svcat
