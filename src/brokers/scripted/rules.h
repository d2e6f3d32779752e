// Rules that tell the scripted broker how to answer: which requests they are for, how often they count, and what
// happens then. Read from JSON; README.md has the fields. A Rule's counters are the only thing that changes, and
// atomic.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "json/value.h"
#include "osb/server/request.h"

namespace chandler::brokers {

// How an asynchronous operation goes.
struct AsyncScript {
  int64_t polls = 1;                      // that many times "in progress"
  std::vector<std::string> descriptions;  // for the polls in turn; the last one is repeated
  bool succeeds = true;
  std::string outcome_description;
  std::optional<int64_t> retry_after;  // seconds
  std::optional<bool> instance_usable;
  std::optional<bool> update_repeatable;
};

struct Rule {
  enum class Disconnect { kNo, kBefore, kAfter };  // relative to doing what was asked

  std::string on = "*";  // name of an action, or * for all
  std::string plan_id;   // empty: any
  std::string instance_id;
  std::string binding_id;

  std::optional<int> status;
  std::optional<std::string> body;  // as it is sent
  std::vector<std::pair<std::string, std::string>> headers;
  std::chrono::milliseconds delay{0};
  bool hang = false;   // until released
  bool apply = false;  // do what was asked, although the answer is the rule's
  Disconnect disconnect = Disconnect::kNo;
  std::optional<AsyncScript> async;

  mutable std::atomic<int64_t> skip{0};  // that many are answered as usual first
  mutable std::atomic<int64_t> left{0};  // that many more are answered by the rule
  bool is_limited = false;               // false: `left` does not count
  json::Value source;

  bool has_answer() const { return status || body; }
};
using RulePtr = std::shared_ptr<const Rule>;
using Rules = std::vector<RulePtr>;

// From {"rules": [...]}. The error names the rule and the field.
Result<Rules> read_rules(const json::Value& document);
json::Value write_rules(const Rules& rules);  // with what is left of each

// The first rule that fits and still counts, which it uses up once; null: none. `plan_id` is that of the request or of
// the instance.
RulePtr take_rule(const Rules& rules, const osb::server::BrokerRequest& request, const std::string& plan_id);

}  // namespace chandler::brokers
