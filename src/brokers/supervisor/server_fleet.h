// The servers of one kind that we run: the shared one and those of single instances. Each has a directory with its
// record, data, and log; a server that was made once comes up again with its port and data whenever the fleet is
// opened. Making a server is all or nothing: what a crash leaves half-made is thrown away and made again.
//
// Thread-safe. Work on one server is done by one thread at a time (a Turn); others wait for it.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/mutex.h"
#include "base/result.h"
#include "brokers/supervisor/server_process.h"
#include "brokers/supervisor/server_program.h"
#include "brokers/supervisor/server_record.h"

namespace chandler::brokers {

struct FleetOptions {
  std::string directory;  // absolute; created
  std::string top;        // the uppermost directory that may be opened for passing through; "" means `directory`
  std::chrono::milliseconds ready_limit{60'000};
  size_t max_servers = 200;
};

class ServerFleet {
 public:
  // Starts every server that is there, without waiting for it. `program` outlives this.
  static Result<std::unique_ptr<ServerFleet>> open(FleetOptions options, const ServerProgram& program);
  ~ServerFleet();  // stop()
  ServerFleet(const ServerFleet&) = delete;
  ServerFleet& operator=(const ServerFleet&) = delete;

  // Makes the server if it is not there (port and password are chosen here), and waits until it is ready. One that is
  // there stays as it is. `wish` needs name, owner, takes_members and settings.
  Result<ServerRecord> ensure(ServerRecord wish, const std::function<void(std::string)>& progress);
  // The server as it is remembered, running or not; nullopt: there is none.
  std::optional<ServerRecord> record(const std::string& name) const CH_EXCLUDES(mutex_);
  // Waits until it is ready. An error if there is none.
  Result<ServerRecord> ready(const std::string& name);
  // Other settings; restarts the server if they differ.
  Result<ServerRecord> configure(const std::string& name, const json::Value& settings);
  // Remembers, before it is made, that a database of another instance is on the server; or that it is gone.
  Result<void> add_member(const std::string& name, const std::string& member);
  Result<void> remove_member(const std::string& name, const std::string& member);
  // Stops the server and removes all of it. Refused while it has members. Fine if there is none.
  Result<void> remove(const std::string& name);

  pid_t pid(const std::string& name) const CH_EXCLUDES(mutex_);  // 0 when it does not run
  void stop() CH_EXCLUDES(mutex_);                               // all of them, at the same time; blocking, idempotent

 private:
  struct Entry {
    bool is_busy = false;
    std::optional<ServerRecord> record;  // nullopt: not made
    std::shared_ptr<ServerProcess> process;
  };
  // Exclusive work on one server, from construction to destruction.
  class Turn {
   public:
    Turn(ServerFleet& fleet, std::string name);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    ServerFleet& fleet_;
    const std::string name_;
  };

  ServerFleet(FleetOptions options, const ServerProgram& program, std::optional<Account> account)
      : options_(std::move(options)), program_(program), account_(std::move(account)) {}
  void report_obstacle() const;
  Result<void> load();
  Result<void> make(ServerRecord& record, const std::function<void(std::string)>& progress);
  void launch(const ServerRecord& record) CH_EXCLUDES(mutex_);
  Result<void> store(const ServerRecord& record) CH_EXCLUDES(mutex_);  // on disk, then in the entry
  Result<void> discard(const std::string& name);                       // the directory
  Result<uint16_t> choose_port() const CH_EXCLUDES(mutex_);
  ServerPlace place(const std::string& name) const;
  std::string home(const std::string& name) const { return options_.directory + "/servers/" + name; }

  const FleetOptions options_;
  const ServerProgram& program_;
  const std::optional<Account> account_;
  mutable Mutex mutex_;
  CondVar turn_over_;
  bool is_stopped_ CH_GUARDED_BY(mutex_) = false;
  std::map<std::string, Entry> entries_ CH_GUARDED_BY(mutex_);
};

}  // namespace chandler::brokers
