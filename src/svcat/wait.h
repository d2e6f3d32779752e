// --wait: looks at an object until it is done, and shows how it goes: one line that changes on a terminal, a line for
// each change elsewhere. Ctrl-C stops the looking, never the operation.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "svcat/call.h"

namespace chandler::svcat {

enum class Waited { kDone, kFailed, kGone, kInterrupted };

struct WaitResult {
  Waited how = Waited::kDone;
  json::Value object;  // as last seen
};

// A time-out is an error with exit code 3 (is_time_out()).
Error time_out(std::string message);
bool is_time_out(const Error& error);

constexpr int kInterruptedCode = 130;

struct WaitGoal {
  std::string_view wanted;                                         // "ready", for messages
  std::function<std::optional<Waited>(const json::Value&)> judge;  // nullopt: go on
  std::function<std::string(const json::Value&)> state;            // in a line; none: progress_of()
};
Result<WaitResult> wait_until(Call& call, const Kind& kind, const std::string& ns, const std::string& name,
                              const WaitGoal& goal);

// Until Ready or Failed holds and the broker is no longer being asked. `state` as in WaitGoal.
Result<WaitResult> wait_until_settled(Call& call, const Kind& kind, const std::string& ns, const std::string& name,
                                      std::function<std::string(const json::Value&)> state = {});
// Until it is gone. Failed: it will not go by itself.
Result<WaitResult> wait_until_gone(Call& call, const Kind& kind, const std::string& ns, const std::string& name,
                                   std::function<std::string(const json::Value&)> state = {});

// The state in a line: what happens, what the broker says, when it is asked again.
std::string progress_of(const json::Value& object, WallTime now);

}  // namespace chandler::svcat
