// What a run has found out, as conditions: collected first, then put into a status at once, so that Ready follows from
// the others and nothing is written when nothing differs. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "json/value.h"
#include "reconcilers/catalog/conditions.h"

namespace chandler::reconcilers {

struct Observation {
  std::string_view type;
  Truth truth = Truth::kUnknown;
  std::string_view reason;  // a constant
  std::string message;
  bool counts = true;  // Ready waits for it

  bool holds() const { return truth == Truth::kTrue; }
};

class Observations {
 public:
  void add(Observation observation) { list_.push_back(std::move(observation)); }
  bool all_hold() const;
  const Observation* find(std::string_view type) const;  // null: none

  // Makes the conditions of the status these and Ready, which holds with `ready_reason` when all that count hold, and
  // else says what the first of them says. Others that are there go. Also renews observedGeneration.
  void put_into(json::Object& status, std::string_view ready_reason, std::string_view ready_message, int64_t generation,
                WallTime now) const;

 private:
  std::vector<Observation> list_;
};

}  // namespace chandler::reconcilers
