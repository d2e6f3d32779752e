#include "storage/embedded/joining_vfs.h"

#include <new>

#include <fmt/format.h>
#include <sqlite3.h>

namespace chandler::storage {
namespace {

// A larger commit goes to the disk in several writes. The default file system takes no more at once: of a length it
// looks at the lower 17 bits only.
constexpr size_t kMostBytes = (1 << 17) - 1;

// The write-ahead log of one connection. SQLite makes the room for it and for the file below, which lies behind it.
struct LogFile {
  sqlite3_file base;
  bool joins = false;
  std::string waiting;  // what belongs at `begin` of the file and has not been written yet
  sqlite3_int64 begin = 0;

  sqlite3_file* below() { return reinterpret_cast<sqlite3_file*>(this + 1); }
  const sqlite3_io_methods& methods() { return *below()->pMethods; }
  sqlite3_int64 end() const { return begin + static_cast<sqlite3_int64>(waiting.size()); }

  // After a failure SQLite gives the commit up and writes the next one to the same place, so nothing is kept for it.
  int flush() {
    if (waiting.empty()) return SQLITE_OK;
    const int code = methods().xWrite(below(), waiting.data(), static_cast<int>(waiting.size()), begin);
    waiting.clear();
    return code;
  }
};

LogFile& of(sqlite3_file* file) { return *reinterpret_cast<LogFile*>(file); }
sqlite3_file* below(sqlite3_file* file) { return of(file).below(); }
const sqlite3_io_methods& methods(sqlite3_file* file) { return of(file).methods(); }

int close(sqlite3_file* file) {
  const int flushed = of(file).flush();
  const int closed = methods(file).xClose(below(file));
  of(file).~LogFile();
  return flushed == SQLITE_OK ? closed : flushed;
}

int write(sqlite3_file* file, const void* from, int size, sqlite3_int64 at) {
  auto& log = of(file);
  if (!log.joins) return log.methods().xWrite(log.below(), from, size, at);
  if (at != log.end() || log.waiting.size() + static_cast<size_t>(size) > kMostBytes) {
    if (const int code = log.flush(); code != SQLITE_OK) return code;
    log.begin = at;
  }
  try {
    log.waiting.append(static_cast<const char*>(from), static_cast<size_t>(size));
  } catch (const std::bad_alloc&) {
    return SQLITE_IOERR_NOMEM;
  }
  return SQLITE_OK;
}

int sync(sqlite3_file* file, int flags) {
  if (const int code = of(file).flush(); code != SQLITE_OK) return code;
  return methods(file).xSync(below(file), flags);
}

int read(sqlite3_file* file, void* to, int size, sqlite3_int64 at) {
  if (const int code = of(file).flush(); code != SQLITE_OK) return code;
  return methods(file).xRead(below(file), to, size, at);
}

int truncate(sqlite3_file* file, sqlite3_int64 size) {
  if (const int code = of(file).flush(); code != SQLITE_OK) return code;
  return methods(file).xTruncate(below(file), size);
}

int file_size(sqlite3_file* file, sqlite3_int64* size) {
  if (const int code = of(file).flush(); code != SQLITE_OK) return code;
  return methods(file).xFileSize(below(file), size);
}

int lock(sqlite3_file* file, int level) { return methods(file).xLock(below(file), level); }
int unlock(sqlite3_file* file, int level) { return methods(file).xUnlock(below(file), level); }
int check_lock(sqlite3_file* file, int* out) { return methods(file).xCheckReservedLock(below(file), out); }
int control(sqlite3_file* file, int what, void* with) { return methods(file).xFileControl(below(file), what, with); }
int sector_size(sqlite3_file* file) { return methods(file).xSectorSize(below(file)); }
int device(sqlite3_file* file) { return methods(file).xDeviceCharacteristics(below(file)); }

// Version 1: a log is neither shared memory nor mapped.
constexpr sqlite3_io_methods kMethods = {1,       close,   read,       write,   truncate,    sync,   file_size,
                                         lock,    unlock,  check_lock, control, sector_size, device, nullptr,
                                         nullptr, nullptr, nullptr,    nullptr, nullptr};

sqlite3_vfs* below(sqlite3_vfs* vfs) { return static_cast<sqlite3_vfs*>(vfs->pAppData); }

int open(sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int flags, int* out_flags) {
  if ((flags & SQLITE_OPEN_WAL) == 0) return below(vfs)->xOpen(below(vfs), path, file, flags, out_flags);
  auto* log = new (file) LogFile{};
  const int code = below(vfs)->xOpen(below(vfs), path, log->below(), flags, out_flags);
  if (code != SQLITE_OK) {
    log->~LogFile();
    file->pMethods = nullptr;  // nothing to close
    return code;
  }
  log->base.pMethods = &kMethods;
  // Where a torn write may damage what lies beside it, SQLite fills the sector up with frames that it shows but does
  // not sync; those must not wait.
  log->joins = (device(file) & SQLITE_IOCAP_POWERSAFE_OVERWRITE) != 0;
  return SQLITE_OK;
}

int remove(sqlite3_vfs* vfs, const char* path, int sync_directory) {
  return below(vfs)->xDelete(below(vfs), path, sync_directory);
}
int access(sqlite3_vfs* vfs, const char* path, int flags, int* out) {
  return below(vfs)->xAccess(below(vfs), path, flags, out);
}
int full_path(sqlite3_vfs* vfs, const char* path, int size, char* out) {
  return below(vfs)->xFullPathname(below(vfs), path, size, out);
}

}  // namespace

Result<std::unique_ptr<JoiningVfs>> JoiningVfs::make(const std::string& below) {
  auto* found = sqlite3_vfs_find(below.empty() ? nullptr : below.c_str());
  if (found == nullptr) return internal_error(fmt::format("SQLite knows no file system \"{}\"", below));
  std::unique_ptr<JoiningVfs> made(new JoiningVfs(*found));
  if (sqlite3_vfs_register(made->vfs_.get(), 0) != SQLITE_OK) {
    return internal_error("SQLite refused the file system that joins writes");
  }
  return made;
}

JoiningVfs::JoiningVfs(sqlite3_vfs& below) : vfs_(std::make_unique<sqlite3_vfs>(below)) {
  name_ = fmt::format("joining-{}", static_cast<const void*>(this));  // each store has its own
  vfs_->pNext = nullptr;
  vfs_->zName = name_.c_str();
  vfs_->szOsFile = static_cast<int>(sizeof(LogFile)) + below.szOsFile;
  vfs_->pAppData = &below;
  // The rest has nothing to do with files, and the copy of it serves.
  vfs_->xOpen = open;
  vfs_->xDelete = remove;
  vfs_->xAccess = access;
  vfs_->xFullPathname = full_path;
}

JoiningVfs::~JoiningVfs() { sqlite3_vfs_unregister(vfs_.get()); }

}  // namespace chandler::storage
