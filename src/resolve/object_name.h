// Names of class and plan objects, made of the identifiers that a broker gives them. The function is frozen: names are
// in manifests and charts of users. Pure, thread-safe.
#pragma once

#include <string>
#include <string_view>

namespace chandler::resolve {

// Lower-case letters but z, digits, and '-' and '.' where a name may have them stay; everything else becomes z<hex code
// point>z. Longer than 63: the first 30 characters, '-' and the MD5 of the identifier. Bytes that are no UTF-8 count as
// U+FFFD each.
std::string object_name_of_id(std::string_view id);

// When another broker has taken the name already: the owner's name makes it unique, escaped and shortened as a whole.
std::string plan_name_when_taken(std::string_view plan_id, std::string_view class_id);
std::string class_name_when_taken(std::string_view class_id, std::string_view broker_name);

}  // namespace chandler::resolve
