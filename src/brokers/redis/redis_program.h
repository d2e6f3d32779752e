// How Redis servers are made and run, with the program of Debian's redis-server. Holds no state.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "brokers/supervisor/server_program.h"

namespace chandler::brokers {

class RedisProgram final : public ServerProgram {
 public:
  static bool is_installed();

  std::string_view kind() const override { return "redis"; }
  std::vector<std::string> accounts() const override { return {"redis"}; }
  Result<void> initialise(const ServerPlace& place, const ServerRecord& record) const override;
  Result<Command> begin(const ServerPlace& place, const ServerRecord& record) const override;
  Result<void> probe(const ServerRecord& record) const override;
};

}  // namespace chandler::brokers
