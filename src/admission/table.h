// The rules of all kinds that have some; see table.cc.
#pragma once

#include <string_view>
#include <vector>

#include "admission/rules.h"

namespace chandler::admission {

const std::vector<Rules>& all_rules();
const Rules* find_rules(std::string_view group, std::string_view plural);  // null: the schema says it all
// Of definitions that are labelled as kinds of claims, whatever they are called.
const Rules& labelled_claim_rules();

}  // namespace chandler::admission
