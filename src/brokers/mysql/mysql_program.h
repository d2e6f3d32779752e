// How MariaDB servers are made and run, with the programs of Debian's mariadb-server. Holds no state.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "brokers/supervisor/server_program.h"

namespace chandler::brokers {

class MysqlProgram final : public ServerProgram {
 public:
  static bool is_installed();

  std::string_view kind() const override { return "mysql"; }
  std::vector<std::string> accounts() const override { return {"mysql"}; }
  // It forgets a SIGTERM that comes while it starts, would live on, and would keep its successor from the data for
  // ever.
  int death_signal() const override { return SIGKILL; }
  Result<void> initialise(const ServerPlace& place, const ServerRecord& record) const override;
  Result<Command> begin(const ServerPlace& place, const ServerRecord& record) const override;
  Result<void> probe(const ServerRecord& record) const override;
};

}  // namespace chandler::brokers
