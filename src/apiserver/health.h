// Health of the server: named checks behind /healthz, /livez and /readyz. Checks are added before the server starts;
// asking is thread-safe.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace chandler::apiserver {

class Health {
 public:
  // `check` answers "" when fine, else what is wrong. `live`: a failure means that a restart may help.
  void add(std::string name, bool live, std::function<std::string()> check);

  struct Report {
    bool ok = true;
    std::string text;  // one line per check
  };
  // `path`: /healthz, /livez, /readyz or /readyz/<check>; nullopt for a check that does not exist.
  std::optional<Report> ask(std::string_view path, const std::vector<std::string_view>& exclude) const;

 private:
  struct Check {
    std::string name;
    bool live = false;
    std::function<std::string()> ask;
  };
  std::vector<Check> checks_;
};

}  // namespace chandler::apiserver
