#include "apiserver/audit/audit_log.h"

#include <exception>
#include <utility>

#include "base/log.h"
#include "base/pool.h"

namespace chandler::apiserver {
namespace {

constexpr size_t kPieceBytes = 256 * 1024;  // lines that are written at once

}  // namespace

AuditLog::AuditLog(AuditPolicy policy, std::unique_ptr<AuditFile> file, metrics::Registry& metrics, Bounds bounds)
    : policy_(std::move(policy)),
      file_(std::move(file)),
      bounds_(bounds),
      written_(metrics.counter("apiserver_audit_event_total", "Entries written to the audit log.").with({})),
      dropped_(metrics
                   .counter("apiserver_audit_dropped_total",
                            "Entries that did not get into the audit log because its queue was full.")
                   .with({})),
      failed_(metrics.counter("apiserver_audit_error_total", "Entries lost because the audit log could not be written.")
                  .with({})) {}

AuditLog::~AuditLog() { stop(); }

void AuditLog::start() {
  thread_ = std::thread([this] { run(); });
}

void AuditLog::add(AuditEvent event) {
  const size_t bytes = event.bytes();
  {
    MutexLock lock(mutex_);
    if (!stopping_ && queue_.size() < bounds_.events && queued_bytes_ + bytes <= bounds_.bytes) {
      queued_bytes_ += bytes;
      queue_.push_back(std::move(event));
      if (queue_.size() == 1) wake_.notify_one();
      return;
    }
  }
  dropped_.add();
}

void AuditLog::stop() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    wake_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

void AuditLog::run() {
  name_this_thread("audit");
  std::deque<AuditEvent> batch;
  while (true) {
    {
      MutexLock lock(mutex_);
      while (queue_.empty() && !stopping_) wake_.wait(mutex_);
      if (queue_.empty()) return;
      batch.swap(queue_);
      queued_bytes_ = 0;
    }
    write(batch);
    batch.clear();
  }
}

void AuditLog::write(const std::deque<AuditEvent>& batch) {
  std::string lines;
  size_t in_piece = 0;
  const auto flush = [&] {
    if (in_piece == 0) return;
    const auto done = file_->append(lines);
    (done.ok() ? written_ : failed_).add(in_piece);
    if (!done.ok() && !has_failed_) log::error("the audit log loses entries", {{"error", done.error().message}});
    has_failed_ = !done.ok();
    lines.clear();
    in_piece = 0;
  };
  for (const auto& event : batch) {
    try {
      lines += audit_line(event);
      ++in_piece;
    } catch (const std::exception& e) {
      failed_.add();
      log::error("an audit entry could not be made", {{"id", event.request->id}, {"error", e.what()}});
    }
    if (lines.size() >= kPieceBytes) flush();
  }
  flush();
}

}  // namespace chandler::apiserver
