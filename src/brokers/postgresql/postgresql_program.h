// How PostgreSQL servers are made and run, with the programs of Debian's postgresql packages. Holds no state.
#pragma once

#include <csignal>
#include <string>
#include <string_view>
#include <vector>

#include "brokers/supervisor/server_program.h"

namespace chandler::brokers {

class PostgresqlProgram final : public ServerProgram {
 public:
  static bool is_installed();

  std::string_view kind() const override { return "postgresql"; }
  std::vector<std::string> accounts() const override { return {"postgres"}; }
  int stop_signal() const override { return SIGINT; }  // "fast": does not wait until clients leave
  Result<void> initialise(const ServerPlace& place, const ServerRecord& record) const override;
  Result<Command> begin(const ServerPlace& place, const ServerRecord& record) const override;
  Result<void> probe(const ServerRecord& record) const override;
};

}  // namespace chandler::brokers
