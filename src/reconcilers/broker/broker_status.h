// How the outcome of reading a catalog is shown in a broker's status. Pure.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "controller/step.h"
#include "osb/broker_text.h"
#include "reconcilers/broker/broker_view.h"
#include "reconcilers/catalog/settings.h"

namespace chandler::reconcilers {

struct Failure {
  std::string_view reason;        // of the condition
  std::string_view event_reason;  // of the event
  std::string message;
  bool is_operators = false;              // credentials or version: whoever repairs it should not wait long
  std::chrono::milliseconds at_least{0};  // before the next try
  bool forgets_version = false;           // the next try begins with the version that the settings prefer
};

// The catalog could not be read or stored: counted, and tried again later.
controller::Step show_failure(const BrokerView& broker, const Failure& failure, const Settings& settings, WallTime now);
// It cannot even be asked for: nothing is counted, since only a change of the spec or of the secret helps.
controller::Step show_obstacle(const BrokerView& broker, const std::string& message, WallTime now);

// The broker refused the version of its API that it was sent: a lower one is remembered, and tried at once.
controller::Step show_lower_version(const BrokerView& broker, std::string_view refused, std::string_view lower);

// What a catalog becomes depends on more than the catalog: on the features that are on, and on how we read it. The tag
// of a catalog that was read otherwise says nothing.
std::string reading_of(const Settings& settings);

// The catalog is the one that is stored already.
client::Write show_unchanged(const BrokerView& broker, WallTime now);

struct Summary {
  std::string etag;
  std::string reading;  // see reading_of()
  std::vector<std::string> problems;
  int64_t classes = 0;
  int64_t plans = 0;
  std::string refused{};  // what the API would not store, and why; the catalog is then read whole the next time
};
client::Write show_success(const BrokerView& broker, const Summary& summary, WallTime now);

// As many as status holds. They quote the catalog: each goes through `text`, and is cut to what status may hold.
std::vector<std::string> bounded_problems(std::vector<std::string> problems, const osb::BrokerText& text);

}  // namespace chandler::reconcilers
