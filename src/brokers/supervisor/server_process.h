// A server that is kept running: started, started again with growing pauses when it ends, stopped in good order. Each
// has a thread of its own ("server-watch"), which is also the child's parent: the child ends with it, however we end.
// Thread-safe.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <thread>

#include "base/mutex.h"
#include "base/result.h"
#include "brokers/supervisor/child_process.h"

namespace chandler::brokers {

struct ServerProcessOptions {
  std::string name;                        // for log lines: "mysql/shared"
  std::function<Result<Command>()> begin;  // asked before each start; may write what the server reads
  std::string log;                         // file for what the server says
  int stop_signal = SIGTERM;
  int death_signal = SIGTERM;               // what it gets when the thread that watches it is gone
  std::chrono::milliseconds grace{20'000};  // then it is killed
};

class ServerProcess {
 public:
  explicit ServerProcess(ServerProcessOptions options);  // starts it
  ~ServerProcess();                                      // stop()
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  // Waits until the server runs and `probe` succeeds. Fails when it keeps ending, or after `limit`; the error says
  // why it ended or what the last probe said, and where the log is.
  Result<void> wait_ready(const std::function<Result<void>()>& probe, std::chrono::milliseconds limit)
      CH_EXCLUDES(mutex_);
  pid_t pid() const CH_EXCLUDES(mutex_);  // 0 while none runs
  void stop() CH_EXCLUDES(mutex_);        // blocking, idempotent

 private:
  void watch() CH_EXCLUDES(mutex_);
  Result<void> run_once() CH_EXCLUDES(mutex_);  // from start to end

  const ServerProcessOptions options_;
  mutable Mutex mutex_;
  CondVar wake_;
  pid_t pid_ CH_GUARDED_BY(mutex_) = 0;
  int ends_ CH_GUARDED_BY(mutex_) = 0;
  std::string last_end_ CH_GUARDED_BY(mutex_);  // why it ended last
  bool stopping_ CH_GUARDED_BY(mutex_) = false;
  bool done_ CH_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace chandler::brokers
