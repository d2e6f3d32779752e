#include "apiserver/backups.h"

#include <algorithm>
#include <utility>

#include "apiserver/respond.h"
#include "base/log.h"
#include "base/pool.h"

namespace chandler::apiserver {
namespace {

constexpr size_t kMaxBackups = 2;
constexpr int kRetrySeconds = 10;
constexpr size_t kBackupPiece = 256 * 1024;

}  // namespace

Backups::Backups(storage::Store& store, Options options, const Clock& clock)
    : store_(store), options_(std::move(options)), clock_(clock) {}

Backups::~Backups() { stop(); }

void Backups::start(const Services& services, const CallPtr& call, bool with_keys) {
  bool taken = false;
  std::vector<std::unique_ptr<Job>> over;
  {
    MutexLock lock(mutex_);
    const auto first_over =
        std::stable_partition(jobs_.begin(), jobs_.end(), [](const auto& job) { return !job->finished; });
    std::move(first_over, jobs_.end(), std::back_inserter(over));
    jobs_.erase(first_over, jobs_.end());
    if (jobs_.size() < kMaxBackups && !stopped_) {
      taken = true;
      jobs_.push_back(std::make_unique<Job>());
      auto* job = jobs_.back().get();
      job->thread = std::thread([this, &services, call, with_keys, job] {
        name_this_thread("backup");
        run(services, call, with_keys, job->pipe);
        job->finished = true;
      });
    }
  }
  for (const auto& job : over) job->thread.join();  // at once: they have come to their end
  if (!taken) {
    respond_error(services, *call,
                  too_many_requests("other backups are being made; try again when they are done", kRetrySeconds));
  }
}

void Backups::stop() {
  std::vector<std::unique_ptr<Job>> jobs;
  {
    MutexLock lock(mutex_);
    stopped_ = true;
    jobs.swap(jobs_);
  }
  for (const auto& job : jobs) {
    job->pipe->abandon();
    job->thread.join();
  }
}

Result<void> Backups::copy(bool with_keys, const BackupPipe& pipe, ScratchFile& file) const {
  std::vector<storage::CarriedFile> files;
  if (with_keys) {
    CH_TRY_LET(read, options_.key_files());
    files = std::move(read);
  }
  storage::BackupWriter writer(
      [&](std::string_view piece) -> Result<void> {
        if (pipe.is_abandoned()) return unavailable("the server stops");
        return file.write(piece);
      },
      std::move(files), options_.program, clock_.now());
  CH_TRY(store_.snapshot(writer));
  return writer.finish();
}

void Backups::run(const Services& services, const CallPtr& call, bool with_keys,
                  const std::shared_ptr<BackupPipe>& pipe) {
  auto file = ScratchFile::create(options_.directory);
  if (!file.ok()) return respond_error(services, *call, file.error());
  if (auto copied = copy(with_keys, *pipe, *file); !copied.ok()) {
    log::warn("a backup failed", {{"error", copied.error().message}});
    return respond_error(services, *call, copied.error());
  }
  log::info("a backup was made", {{"user", call->user.name}, {"bytes", file->size()}, {"with_keys", with_keys}});

  http::Response response;
  response.headers.set("Content-Type", "application/octet-stream");
  response.headers.set("Content-Disposition", "attachment; filename=\"chandler.backup\"");
  response.headers.set("Cache-Control", "no-store");
  response.source = std::make_unique<BackupSource>(pipe);
  response.content_length = file->size();
  response.on_start = [pipe](std::shared_ptr<http::Waker> waker) { pipe->wake_with(std::move(waker)); };
  respond(services, *call, std::move(response));

  std::string piece;
  for (uint64_t at = 0; at < file->size(); at += piece.size()) {
    const auto read = file->read(at, kBackupPiece, piece);
    if (!read.ok() || piece.empty()) {
      // The client sees an answer that ends too early.
      log::error("a backup could not be sent", {{"error", read.ok() ? "the copy is too short" : read.error().message}});
      return pipe->abandon();
    }
    if (!pipe->put(piece)) return;
  }
  pipe->close();
}

}  // namespace chandler::apiserver
