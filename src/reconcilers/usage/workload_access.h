// May the controllers, and may whoever asked for a usage, change the workload? Asked before anything is touched. A
// denial names the missing rule and prints the role that grants it.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "auth/user.h"
#include "client/kind_names.h"
#include "controller/view.h"

namespace chandler::reconcilers {

// Rights cannot be watched: who was denied is asked about again after this time.
inline constexpr std::chrono::seconds kAskAboutRightsAgain{10};

struct WorkloadQuestion {
  client::KindName kind;
  std::string version;
  std::string ns;    // empty: in all namespaces
  std::string name;  // empty: any
};

struct WorkloadAnswer {
  client::Access::Decision decision = client::Access::Decision::kUnknown;
  std::string message;  // of a denial
};

// To read the workload and to change it: the verbs get and update, as the design has them. The controllers ask about
// whomever they act as; `controller` is how people know that user.
WorkloadAnswer controllers_may_change(const auth::User& controller, const WorkloadQuestion& question,
                                      controller::View& view);
WorkloadAnswer requester_may_change(const auth::User& requester, const WorkloadQuestion& question,
                                    controller::View& view);

}  // namespace chandler::reconcilers
