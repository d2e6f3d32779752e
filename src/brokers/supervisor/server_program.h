// How servers of one kind (MariaDB, PostgreSQL, Redis) are made and run. Implemented once per kind; ServerFleet does
// the rest. Implementations hold no state and are thread-safe.
#pragma once

#include <csignal>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "brokers/supervisor/account.h"
#include "brokers/supervisor/child_process.h"
#include "brokers/supervisor/server_record.h"

namespace chandler::brokers {

// Where one server lives. The account of the server owns `data` and `scratch`; what else is in the directory is ours.
struct ServerPlace {
  std::string home;     // the directory of the others
  std::string data;     // what must not be lost
  std::string scratch;  // sockets, temporary files, what is written for each start
  std::string log;
  std::optional<Account> account;
  std::string closed;  // a directory above that the account may not pass through; "": none

  // A program that works for this server, run in its data directory.
  Command command(std::vector<std::string> argv) const { return {std::move(argv), data, account, closed, home}; }
};

class ServerProgram {
 public:
  virtual ~ServerProgram() = default;

  virtual std::string_view kind() const = 0;  // "mysql"
  virtual std::vector<std::string> accounts() const = 0;
  virtual int stop_signal() const { return SIGTERM; }
  virtual int death_signal() const { return stop_signal(); }  // when we are gone without having stopped it
  // Fills place.data, which is there and empty. The admin of the record must be able to log in from then on.
  virtual Result<void> initialise(const ServerPlace& place, const ServerRecord& record) const = 0;
  // Before each start: writes what the server reads and says how it is run.
  virtual Result<Command> begin(const ServerPlace& place, const ServerRecord& record) const = 0;
  // Succeeds when the admin can work at the server.
  virtual Result<void> probe(const ServerRecord& record) const = 0;
};

// A file in a directory of the server, for its account alone. Replaced as a whole.
Result<void> write_for_server(const std::string& path, std::string_view content, const std::optional<Account>& account);

}  // namespace chandler::brokers
