// The parameters that an instance or binding sends: its own and those from secrets, which whoever asked for it must be
// allowed to read.
#pragma once

#include <string>
#include <vector>

#include "auth/user.h"
#include "controller/view.h"
#include "reconcilers/catalog/problem.h"
#include "resolve/combine_parameters.h"

namespace chandler::reconcilers {

struct Parameters {
  json::Value value;     // an object, or null when there are none; holds secrets
  json::Value redacted;  // for status
  std::string checksum;  // "" without parameters
};

// What spec.parametersFrom refers to. A problem without a reason: access is being asked for, wait.
Found<std::vector<resolve::SecretParameters>> read_parameter_secrets(const json::Value& spec, std::string_view ns,
                                                                     controller::View& view);
Found<Parameters> join_parameters(const json::Value& own, const std::vector<resolve::SecretParameters>& secrets);
// Both at once.
Found<Parameters> parameters_of(const json::Value& spec, std::string_view ns, controller::View& view);

// What spec.parametersFrom refers to as it is stored now, whoever may read it: to recognise it in what a broker says,
// never to send or show it. What cannot be read is left out.
json::Object stored_parameters(const json::Value& spec, std::string_view ns, controller::View& view);

// Whom a userInfo of a spec names; without a name: nobody is on record.
auth::User user_of(const json::Value& info);

// May the user who asked for the object (spec.userInfo) read this secret? A problem says no, or wait.
Found<bool> check_secret_access(const json::Value& spec, std::string_view ns, std::string_view secret,
                                controller::View& view);

}  // namespace chandler::reconcilers
