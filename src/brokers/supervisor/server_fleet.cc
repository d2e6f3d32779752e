#include "brokers/supervisor/server_fleet.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/file.h"
#include "base/ids.h"
#include "base/log.h"
#include "base/private_file.h"
#include "brokers/random_password.h"
#include "brokers/supervisor/free_port.h"

namespace chandler::brokers {
namespace {

constexpr std::string_view kRecordFile = "server.json";
constexpr std::chrono::seconds kObstacleLimit{10};

// What is in the trash does no harm: what cannot be removed now, perhaps because a process that is ending still writes
// into it, is removed at the next start.
void remove_trash(const std::string& path) {
  std::error_code fault;
  std::filesystem::remove_all(path, fault);
  if (fault) log::warn("what is left of a server cannot be removed yet", {{"path", path}, {"why", fault.message()}});
}

Result<void> move(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) == 0) return {};
  return unavailable(fmt::format("cannot move {} to {}: {}", from, to, std::generic_category().message(errno)));
}

// Everything on the file system of `path` is on disk afterwards.
Result<void> sync_all(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return unavailable(fmt::format("cannot open {}: {}", path, std::generic_category().message(errno)));
  const bool is_synced = ::syncfs(fd) == 0;
  ::close(fd);
  if (!is_synced) return unavailable(fmt::format("cannot sync {}", path));
  return {};
}

Error no_server(const std::string& name) { return unavailable(fmt::format("there is no server {} here", name)); }

}  // namespace

ServerFleet::Turn::Turn(ServerFleet& fleet, std::string name) : fleet_(fleet), name_(std::move(name)) {
  MutexLock lock(fleet_.mutex_);
  while (fleet_.entries_[name_].is_busy) fleet_.turn_over_.wait(fleet_.mutex_);
  fleet_.entries_[name_].is_busy = true;
}

ServerFleet::Turn::~Turn() {
  MutexLock lock(fleet_.mutex_);
  const auto entry = fleet_.entries_.find(name_);
  entry->second.is_busy = false;
  if (!entry->second.record) fleet_.entries_.erase(entry);
  fleet_.turn_over_.notify_all();
}

Result<std::unique_ptr<ServerFleet>> ServerFleet::open(FleetOptions options, const ServerProgram& program) {
  CH_TRY_LET(account, server_account(program.accounts()));
  if (options.top.empty()) options.top = options.directory;
  CH_TRY(secure_directory(options.directory + "/servers"));
  CH_TRY(secure_directory(options.directory + "/trash"));
  std::unique_ptr<ServerFleet> fleet(
      new ServerFleet(std::move(options), program, std::move(account)));  // the constructor is private
  fleet->report_obstacle();
  CH_TRY(fleet->load());
  return fleet;
}

// What the first request for a database would find out: now, when somebody looks at the log.
void ServerFleet::report_obstacle() const {
  const auto closed = closed_above(options_.top, account_);
  if (!closed.ok() || closed->empty()) return;
  // Where the machine lets us mount, a server reaches its directory all the same; to see that, a program is started as
  // one would be.
  const Command command{{"/bin/true"}, options_.directory, account_, *closed, options_.directory};
  const auto done = run_to_end(command, "", "/dev/null", kObstacleLimit);
  if (done.ok()) return;
  log::error("no database server can be run with this data directory",
             {{"service", program_.kind()}, {"why", done.error().message}});
}

ServerFleet::~ServerFleet() { stop(); }

Result<void> ServerFleet::load() {
  for (const std::string& folder : {options_.directory + "/trash", options_.directory + "/servers"}) {
    std::error_code fault;
    std::filesystem::directory_iterator entries(folder, fault);
    if (fault) return unavailable(fmt::format("cannot read {}: {}", folder, fault.message()));
    const bool is_trash = folder.ends_with("/trash");
    for (const auto& entry : entries) {
      const std::string path = entry.path().string();
      if (is_trash) {
        remove_trash(path);
        continue;
      }
      // Half-made: the record is written last.
      if (!file_exists(path + "/" + std::string(kRecordFile))) {
        CH_TRY(discard(entry.path().filename().string()));
        continue;
      }
      CH_TRY(secure_directory(path));
      CH_TRY(secure_file(path + "/" + std::string(kRecordFile)));  // it holds the password of the server's admin
      CH_TRY_LET(text, read_file(path + "/" + std::string(kRecordFile)));
      auto record = read_record(text);
      if (!record.ok() || record->name != entry.path().filename().string()) {
        return unavailable(fmt::format("{}/{} is damaged ({}); restore it from a backup", path, kRecordFile,
                                       record.ok() ? "its name is another" : record.error().message));
      }
      {
        MutexLock lock(mutex_);
        entries_[record->name].record = *record;
      }
      launch(*record);
    }
  }
  return {};
}

ServerPlace ServerFleet::place(const std::string& name) const {
  return {home(name), home(name) + "/data", home(name) + "/scratch", home(name) + "/server.log", account_, ""};
}

void ServerFleet::launch(const ServerRecord& record) {
  ServerProcessOptions options;
  options.name = fmt::format("{}/{}", program_.kind(), record.name);
  options.log = place(record.name).log;
  options.stop_signal = program_.stop_signal();
  options.death_signal = program_.death_signal();
  options.begin = [this, name = record.name]() -> Result<Command> {
    const auto current = this->record(name);
    if (!current) return no_server(name);
    auto where = place(name);
    CH_TRY_LET(closed, open_way(options_.top, home(name), account_));
    where.closed = std::move(closed);
    CH_TRY(make_private_directory(where.scratch, account_));
    return program_.begin(where, *current);
  };
  auto process = std::make_shared<ServerProcess>(std::move(options));
  MutexLock lock(mutex_);
  if (!is_stopped_) entries_[record.name].process = std::move(process);
}

std::optional<ServerRecord> ServerFleet::record(const std::string& name) const {
  MutexLock lock(mutex_);
  const auto found = entries_.find(name);
  return found == entries_.end() ? std::nullopt : found->second.record;
}

pid_t ServerFleet::pid(const std::string& name) const {
  std::shared_ptr<ServerProcess> process;
  {
    MutexLock lock(mutex_);
    const auto found = entries_.find(name);
    if (found != entries_.end()) process = found->second.process;
  }
  return process ? process->pid() : 0;
}

Result<uint16_t> ServerFleet::choose_port() const {
  std::set<uint16_t> taken;
  {
    MutexLock lock(mutex_);
    for (const auto& [name, entry] : entries_) {
      if (entry.record) taken.insert(entry.record->port);
    }
  }
  return free_port(taken);
}

Result<void> ServerFleet::store(const ServerRecord& record) {
  CH_TRY(write_file(fmt::format("{}/{}", home(record.name), kRecordFile), write_record(record), 0600));
  MutexLock lock(mutex_);
  entries_[record.name].record = record;
  return {};
}

Result<void> ServerFleet::make(ServerRecord& record, const std::function<void(std::string)>& progress) {
  progress("making a server");
  CH_TRY_LET(port, choose_port());
  record.port = port;
  record.admin_password = random_password();
  const std::string directory = home(record.name);
  CH_TRY(discard(record.name));
  CH_TRY(make_directories(directory, 0711));
  CH_TRY_LET(closed, open_way(options_.top, directory, account_));
  auto where = place(record.name);
  where.closed = std::move(closed);
  CH_TRY(make_private_directory(where.data, account_));
  CH_TRY(make_private_directory(where.scratch, account_));
  CH_TRY(program_.initialise(where, record));
  CH_TRY(sync_all(directory));
  return store(record);  // last: it says that the rest is complete
}

Result<ServerRecord> ServerFleet::ensure(ServerRecord wish, const std::function<void(std::string)>& progress) {
  const std::string name = wish.name;
  {
    const Turn turn(*this, name);
    size_t count = 0;
    bool is_stopped = false;
    {
      MutexLock lock(mutex_);
      count = entries_.size();
      is_stopped = is_stopped_;
    }
    if (is_stopped) return unavailable("the broker is stopping; try again");
    if (!record(name)) {
      if (count > options_.max_servers) {
        return unavailable(fmt::format("{} servers run here, which is the limit; delete some", options_.max_servers));
      }
      if (auto made = make(wish, progress); !made.ok()) {
        (void)discard(name).ok();  // nobody may find half of a server; the next start tries that again
        return fail(std::move(made).error());
      }
      launch(wish);
    }
  }
  progress("waiting for the server");
  return ready(name);
}

Result<ServerRecord> ServerFleet::ready(const std::string& name) {
  std::shared_ptr<ServerProcess> process;
  std::optional<ServerRecord> found;
  {
    MutexLock lock(mutex_);
    const auto entry = entries_.find(name);
    if (entry != entries_.end()) {
      process = entry->second.process;
      found = entry->second.record;
    }
  }
  if (!found || !process) return no_server(name);
  CH_TRY(process->wait_ready([&] { return program_.probe(*found); }, options_.ready_limit));
  return std::move(*found);
}

Result<ServerRecord> ServerFleet::configure(const std::string& name, const json::Value& settings) {
  {
    const Turn turn(*this, name);
    auto current = record(name);
    if (!current) return no_server(name);
    if (!json::equal(current->settings, settings)) {
      current->settings = settings;
      CH_TRY(store(*current));
      std::shared_ptr<ServerProcess> process;
      {
        MutexLock lock(mutex_);
        process = std::exchange(entries_[name].process, nullptr);
      }
      if (process) process->stop();
      launch(*current);
    }
  }
  return ready(name);
}

Result<void> ServerFleet::add_member(const std::string& name, const std::string& member) {
  const Turn turn(*this, name);
  auto current = record(name);
  if (!current) return no_server(name);
  if (!current->members.insert(member).second) return {};
  return store(*current);
}

Result<void> ServerFleet::remove_member(const std::string& name, const std::string& member) {
  const Turn turn(*this, name);
  auto current = record(name);
  if (!current || current->members.erase(member) == 0) return {};
  return store(*current);
}

Result<void> ServerFleet::discard(const std::string& name) {
  const std::string directory = home(name);
  if (!std::filesystem::exists(directory)) return {};
  const std::string aside = fmt::format("{}/trash/{}-{}", options_.directory, name, name_suffix(8));
  CH_TRY(move(directory, aside));  // at once and as a whole; from then on its name is free
  remove_trash(aside);
  return {};
}

Result<void> ServerFleet::remove(const std::string& name) {
  const Turn turn(*this, name);
  const auto current = record(name);
  if (current && !current->members.empty()) {
    Error error;
    error.reason = Reason::kInvalid;
    error.message = fmt::format("the server still holds {} of other instances; delete these instances first",
                                current->members.size() == 1 ? std::string("a database")
                                                             : fmt::format("{} databases", current->members.size()));
    return error;
  }
  std::shared_ptr<ServerProcess> process;
  {
    MutexLock lock(mutex_);
    process = std::exchange(entries_[name].process, nullptr);
  }
  if (process) process->stop();
  CH_TRY(discard(name));
  MutexLock lock(mutex_);
  entries_[name].record.reset();
  return {};
}

void ServerFleet::stop() {
  std::vector<std::shared_ptr<ServerProcess>> running;
  {
    MutexLock lock(mutex_);
    is_stopped_ = true;
    for (auto& [name, entry] : entries_) {
      if (entry.process) running.push_back(std::exchange(entry.process, nullptr));
    }
  }
  std::vector<std::thread> stoppers;
  stoppers.reserve(running.size());
  for (const auto& process : running) stoppers.emplace_back([&process] { process->stop(); });
  for (auto& stopper : stoppers) stopper.join();
}

Result<void> write_for_server(const std::string& path, std::string_view content,
                              const std::optional<Account>& account) {
  CH_TRY(write_file(path, content, 0600));
  if (account && ::chown(path.c_str(), account->uid, account->gid) != 0) {
    return unavailable(
        fmt::format("cannot give {} to {}: {}", path, account->name, std::generic_category().message(errno)));
  }
  return {};
}

}  // namespace chandler::brokers
