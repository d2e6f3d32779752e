// One command being carried out: its arguments, the world, and the server once it is needed. Belongs to one thread.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "svcat/arguments.h"
#include "svcat/catalog/catalog.h"
#include "svcat/environment.h"
#include "svcat/output/style.h"

namespace chandler::svcat {

class Call {
 public:
  Call(Environment& environment, const Command& command, Arguments arguments);

  Environment& env() { return env_; }
  const Command& command() const { return command_; }
  std::ostream& out() { return env_.out; }
  std::ostream& err() { return env_.err; }
  Style style() const;        // for out()
  Style error_style() const;  // for err()

  // Arguments; "" when not given.
  std::string argument(size_t index) const;
  size_t argument_count() const { return arguments_.words.size(); }
  bool given(std::string_view flag) const { return arguments_.has(flag); }
  bool is_set(std::string_view flag) const;       // of a switch
  std::string flag(std::string_view name) const;  // the value, else the fallback
  std::vector<std::string> flags(std::string_view name) const;
  Result<std::optional<std::chrono::nanoseconds>> duration(std::string_view name) const;  // nullopt: -1, no limit

  // Connects at the first call.
  Result<Catalog*> catalog();
  // Where names without a namespace are. Connects too, unless --namespace was given.
  Result<std::string> ns();

  // A line on the error stream that is no error.
  void hint(std::string_view text);
  void warn(std::string_view text);
  // Asks unless --yes was given. Without a terminal to answer at: an error that names --yes.
  Result<bool> confirm(std::string_view question);

 private:
  Environment& env_;
  const Command& command_;
  const Arguments arguments_;
  std::set<std::string> warned_;  // of the server; each text is shown once
  std::unique_ptr<client::Rest> rest_;
  std::unique_ptr<Catalog> catalog_;
};

}  // namespace chandler::svcat
