// The audit log: takes entries from any thread without ever waiting, and writes them on a thread of its own. The queue
// is bounded by number and by bytes. An entry that finds it full is dropped and counted: a disk that hangs costs
// entries of the log, not the service (docs/adr/0028-audit-and-lanes.md). Thread-safe.
#pragma once

#include <deque>
#include <string>
#include <thread>

#include "apiserver/audit/audit_event.h"
#include "apiserver/audit/audit_file.h"
#include "apiserver/audit/audit_policy.h"
#include "base/metrics.h"
#include "base/mutex.h"

namespace chandler::apiserver {

class AuditLog {
 public:
  struct Bounds {
    size_t events = 10'000;
    size_t bytes = 64 * 1024 * 1024;
  };

  AuditLog(AuditPolicy policy, std::unique_ptr<AuditFile> file, metrics::Registry& metrics)
      : AuditLog(std::move(policy), std::move(file), metrics, Bounds()) {}
  AuditLog(AuditPolicy policy, std::unique_ptr<AuditFile> file, metrics::Registry& metrics, Bounds bounds);
  ~AuditLog();  // stop()
  AuditLog(const AuditLog&) = delete;
  AuditLog& operator=(const AuditLog&) = delete;

  const AuditPolicy& policy() const { return policy_; }
  void start();
  void add(AuditEvent event) CH_EXCLUDES(mutex_);
  void stop() CH_EXCLUDES(mutex_);  // writes what is queued; later entries are dropped

 private:
  void run() CH_EXCLUDES(mutex_);
  void write(const std::deque<AuditEvent>& batch);

  const AuditPolicy policy_;
  const std::unique_ptr<AuditFile> file_;  // used by the thread alone
  const Bounds bounds_;
  metrics::Counter& written_;
  metrics::Counter& dropped_;
  metrics::Counter& failed_;

  Mutex mutex_;
  CondVar wake_;
  std::deque<AuditEvent> queue_ CH_GUARDED_BY(mutex_);
  size_t queued_bytes_ CH_GUARDED_BY(mutex_) = 0;
  bool stopping_ CH_GUARDED_BY(mutex_) = false;
  bool has_failed_ = false;  // of the thread: one line per trouble, not per entry
  std::thread thread_;
};

}  // namespace chandler::apiserver
