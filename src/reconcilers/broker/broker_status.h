// How the outcome of reading a catalog is shown in a broker's status. Pure.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "controller/step.h"
#include "reconcilers/broker/broker_view.h"
#include "reconcilers/catalog/settings.h"

namespace chandler::reconcilers {

struct Failure {
  std::string_view reason;        // of the condition
  std::string_view event_reason;  // of the event
  std::string message;
  bool is_operators = false;              // credentials or version: whoever repairs it should not wait long
  std::chrono::milliseconds at_least{0};  // before the next try
};

// The catalog could not be read or stored: counted, and tried again later.
controller::Step show_failure(const BrokerView& broker, const Failure& failure, const Settings& settings, WallTime now);
// It cannot even be asked for: nothing is counted, since only a change of the spec or of the secret helps.
controller::Step show_obstacle(const BrokerView& broker, const std::string& message, WallTime now);

// The catalog is the one that is stored already.
client::Write show_unchanged(const BrokerView& broker, WallTime now);

struct Summary {
  std::string etag;
  std::vector<std::string> problems;
  int64_t classes = 0;
  int64_t plans = 0;
};
client::Write show_success(const BrokerView& broker, const Summary& summary, WallTime now);

// As many as status holds, each cut to what it may hold.
std::vector<std::string> bounded_problems(std::vector<std::string> problems);

}  // namespace chandler::reconcilers
