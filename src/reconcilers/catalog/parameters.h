// The parameters that an instance or binding sends: its own and those from secrets, which whoever asked for it must be
// allowed to read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "auth/user.h"
#include "controller/step.h"
#include "controller/view.h"
#include "reconcilers/catalog/problem.h"
#include "reconcilers/catalog/settings.h"
#include "resolve/combine_parameters.h"

namespace chandler::reconcilers {

struct Parameters {
  json::Value value;     // an object, or null when there are none; holds secrets
  json::Value redacted;  // for status
  std::string checksum;  // for status too; "" without parameters
};

// What spec.parametersFrom refers to. A problem without a reason: access is being asked for, wait.
Found<std::vector<resolve::SecretParameters>> read_parameter_secrets(const json::Value& spec, std::string_view ns,
                                                                     controller::View& view);
// Those of `object`, which `own` need not be stored in yet.
Found<Parameters> join_parameters(const json::Value& own, const std::vector<resolve::SecretParameters>& secrets,
                                  const client::Object& object, const Settings& settings);
// Both at once.
Found<Parameters> parameters_of(const client::Object& object, const Settings& settings, controller::View& view);

// These properties of a status were written with these parameters.
bool has_parameters(const json::Value& properties, const Parameters& parameters);
// Another service catalog, and earlier versions, stored bare digests of parameters, which can be guessed. The step that
// replaces them in the status of an instance or binding; none: there is no such. The parameters count as unchanged.
std::optional<controller::Step> seal_checksums(const client::KindName& kind, const client::Object& object,
                                               const Settings& settings);

// What spec.parametersFrom refers to as it is stored now, whoever may read it: to recognise it in what a broker says,
// never to send or show it. What cannot be read is left out.
json::Object stored_parameters(const json::Value& spec, std::string_view ns, controller::View& view);

// Whom a userInfo of a spec names; without a name: nobody is on record.
auth::User user_of(const json::Value& info);

// May the user who asked for the object (spec.userInfo) read this secret? A problem says no, or wait.
Found<bool> check_secret_access(const json::Value& spec, std::string_view ns, std::string_view secret,
                                controller::View& view);

}  // namespace chandler::reconcilers
