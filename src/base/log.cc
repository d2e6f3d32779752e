#include "base/log.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <memory>

#include <spdlog/async.h>
#include <spdlog/async_logger.h>
#include <spdlog/details/null_mutex.h>
#include <spdlog/sinks/base_sink.h>

#include "base/mutex.h"
#include "base/pool.h"

namespace chandler::log {
namespace {

constexpr size_t kQueueLines = 8192;
constexpr std::chrono::seconds kFlushPatience{2};

std::atomic<Level> least_level{Level::kInfo};
std::atomic<Format> line_format{Format::kText};

// Called by the writing thread alone, with finished lines; counts flushes so that flush() can wait for its own.
class StandardError final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 public:
  void watch(std::weak_ptr<spdlog::details::thread_pool> pool) { pool_ = std::move(pool); }

  uint64_t flushes() CH_EXCLUDES(flush_mutex_) {
    MutexLock lock(flush_mutex_);
    return flushes_;
  }
  void wait_for_flush_after(uint64_t seen) CH_EXCLUDES(flush_mutex_) {
    const auto deadline = std::chrono::steady_clock::now() + kFlushPatience;
    MutexLock lock(flush_mutex_);
    while (flushes_ == seen && flushed_.wait_until(flush_mutex_, deadline)) {
    }
  }

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    report_dropped();
    write(std::string_view(message.payload.data(), message.payload.size()));
  }
  void flush_() override {
    {
      MutexLock lock(flush_mutex_);
      ++flushes_;
    }
    flushed_.notify_all();
  }

 private:
  // A log that cannot be written has no place left to say so.
  static void write(std::string_view line) {
    while (!line.empty()) {
      const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return;
      line.remove_prefix(static_cast<size_t>(written));
    }
  }

  void report_dropped() {
    const auto pool = pool_.lock();
    const size_t dropped = pool ? pool->overrun_counter() : dropped_;
    if (dropped == dropped_) return;
    write(
        render(line_format, system_clock().now(), Level::kWarn, "log lines dropped", {{"count", dropped - dropped_}}) +
        "\n");
    dropped_ = dropped;
  }

  std::weak_ptr<spdlog::details::thread_pool> pool_;
  size_t dropped_ = 0;
  Mutex flush_mutex_;
  CondVar flushed_;
  uint64_t flushes_ CH_GUARDED_BY(flush_mutex_) = 0;
};

class Writer {
 public:
  Writer()
      : sink_(std::make_shared<StandardError>()),
        pool_(std::make_shared<spdlog::details::thread_pool>(kQueueLines, 1, [] { name_this_thread("log"); })),
        // Rather lose old lines than stop the program for a terminal that nobody reads.
        logger_(std::make_shared<spdlog::async_logger>("chandler", sink_, pool_,
                                                       spdlog::async_overflow_policy::overrun_oldest)) {
    sink_->watch(pool_);
  }

  void write(std::string_view line) {
    logger_->log(spdlog::level::info, spdlog::string_view_t(line.data(), line.size()));
  }

  void flush() CH_EXCLUDES(one_flush_) {
    // One at a time: the end of another's flush says nothing about the lines before ours.
    MutexLock lock(one_flush_);
    const uint64_t seen = sink_->flushes();
    logger_->flush();
    sink_->wait_for_flush_after(seen);
  }

 private:
  Mutex one_flush_;
  const std::shared_ptr<StandardError> sink_;
  const std::shared_ptr<spdlog::details::thread_pool> pool_;
  const std::shared_ptr<spdlog::async_logger> logger_;
};

// Started by the first line and never destroyed, so that destructors of static objects may still log.
Writer& writer() {
  static Writer* const only = [] {
    auto* created = new Writer;
    std::atexit([] { flush(); });
    return created;
  }();
  return *only;
}

void log(Level level, std::string_view message, Fields fields) {
  if (!enabled(level)) return;
  std::string line = render(line_format.load(std::memory_order_relaxed), system_clock().now(), level, message, fields);
  line += '\n';
  writer().write(line);
}

}  // namespace

void configure(Level level, Format format) {
  least_level = level;
  line_format = format;
}

bool enabled(Level level) { return level >= least_level.load(std::memory_order_relaxed); }

void debug(std::string_view message, Fields fields) { log(Level::kDebug, message, fields); }
void info(std::string_view message, Fields fields) { log(Level::kInfo, message, fields); }
void warn(std::string_view message, Fields fields) { log(Level::kWarn, message, fields); }
void error(std::string_view message, Fields fields) { log(Level::kError, message, fields); }
void flush() { writer().flush(); }

}  // namespace chandler::log
