// Notes about objects become Events (core/v1), as `kubectl describe` shows them. The same note about the same object
// within ten minutes is one Event whose count grows. Each object has a budget, so that something that fails all the
// time does not fill the store. Best effort: an Event that cannot be written is logged and forgotten. What is
// remembered is bounded. Belongs to one thread.
#pragma once

#include <list>
#include <string>
#include <string_view>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/clock.h"
#include "base/text_hash.h"
#include "client/api.h"
#include "controller/step.h"

namespace chandler::controller {

struct EventLimits {
  std::chrono::minutes same_for{10};  // the same note within that time bumps the count
  size_t burst = 25;                  // Events and bumps of one object at once ...
  std::chrono::seconds refill{300};   // ... and one more after each such time
  size_t remembered = 4'096;          // notes, and objects, at most; the longest unused go first
};

class EventRecorder {
 public:
  EventRecorder(client::Writer& writer, const Clock& clock, std::string component, EventLimits limits = {})
      : writer_(writer), clock_(clock), component_(std::move(component)), limits_(limits) {}

  void record(const client::Object& about, const Note& note);

 private:
  struct Known {  // an Event that exists: what is not in the note itself
    std::string key;
    std::string name;
    std::string resource_version;  // of the object, when it was noted first
    int64_t count = 1;
    WallTime first;
    WallTime last;
  };
  struct Budget {
    std::string uid;
    double tokens = 0;
    WallTime at;
  };
  bool spend(std::string_view uid);
  void write(client::Write::Verb verb, const client::Object& about, const Note& note, const Known& known);

  client::Writer& writer_;
  const Clock& clock_;
  const std::string component_;
  const EventLimits limits_;
  // The most recently used in front; the keys of the tables are views into them.
  std::list<Known> known_;
  boost::unordered_flat_map<std::string_view, std::list<Known>::iterator, TextHash> known_by_key_;
  std::list<Budget> budgets_;
  boost::unordered_flat_map<std::string_view, std::list<Budget>::iterator, TextHash> budget_by_uid_;
};

}  // namespace chandler::controller
