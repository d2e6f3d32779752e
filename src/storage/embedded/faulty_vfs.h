// For tests: a file system for SQLite that passes everything on to the default one and makes one chosen call fail. In
// crash mode every later call fails too, as if the machine had gone away; what reached the files before stays. The
// calls that count are those that can fail on a real disk: open, read, write, truncate, sync, size, delete, and making
// room for the memory that the connections share, which is a file too. Thread-safe. Header only, so that it is in no
// library.
#pragma once

#include <sqlite3.h>

#include <atomic>
#include <cstring>
#include <limits>
#include <string>

#include "base/check.h"

namespace chandler::storage {

class FaultyVfs {
 public:
  enum class Fault { kIoError, kDiskFull, kCrash };

  FaultyVfs(std::string name, Fault fault) : name_(std::move(name)), fault_(fault), real_(sqlite3_vfs_find(nullptr)) {
    CH_CHECK(real_ != nullptr);
    vfs_ = *real_;
    vfs_.pNext = nullptr;
    vfs_.zName = name_.c_str();
    vfs_.szOsFile = static_cast<int>(sizeof(File)) + real_->szOsFile;
    vfs_.pAppData = this;
    vfs_.xOpen = &FaultyVfs::open;
    vfs_.xDelete = &FaultyVfs::remove;
    CH_CHECK(sqlite3_vfs_register(&vfs_, 0) == SQLITE_OK);
  }
  ~FaultyVfs() { sqlite3_vfs_unregister(&vfs_); }
  FaultyVfs(const FaultyVfs&) = delete;
  FaultyVfs& operator=(const FaultyVfs&) = delete;

  const std::string& name() const { return name_; }

  // The n-th call from now on fails; 1: the next.
  void fail_at(long n) {
    struck_ = false;
    left_ = n;
  }
  bool struck() const { return struck_; }
  // What the system is said to have answered to a call that failed; 0: nothing is said.
  void set_errno(int number) { errno_ = number; }
  // The next sync of the database file, which a checkpoint asks for, fails.
  void fail_database_sync() { fail_database_sync_ = true; }

  struct Counts {
    long writes = 0;
    long syncs = 0;
  };
  Counts counts() const { return {writes_, syncs_}; }  // calls that were passed on or made to fail

 private:
  struct File {
    sqlite3_file base;
    FaultyVfs* owner;
    bool is_database;
    sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
  };

  // The code that the call must fail with, or SQLITE_OK to do it. `full`: the call needs space.
  int strike(int io_code, bool needs_space = false) {
    const long left = left_.fetch_sub(1);
    const bool now = left == 1 || (left < 1 && fault_ == Fault::kCrash);
    if (!now) return SQLITE_OK;
    struck_ = true;
    return fault_ == Fault::kDiskFull && needs_space ? SQLITE_FULL : io_code;
  }

  static File* of(sqlite3_file* file) { return reinterpret_cast<File*>(file); }
  static sqlite3_file* real(sqlite3_file* file) { return of(file)->real(); }
  static FaultyVfs* of(sqlite3_vfs* vfs) { return static_cast<FaultyVfs*>(vfs->pAppData); }

  static int open(sqlite3_vfs* vfs, const char* path, sqlite3_file* file, int flags, int* out_flags) {
    auto* self = of(vfs);
    file->pMethods = nullptr;  // nothing to close, should this fail
    if (const int code = self->strike(SQLITE_CANTOPEN); code != SQLITE_OK) return code;
    of(file)->owner = self;
    of(file)->is_database = (flags & SQLITE_OPEN_MAIN_DB) != 0;
    const int code = self->real_->xOpen(self->real_, path, real(file), flags, out_flags);
    if (code == SQLITE_OK) file->pMethods = &kMethods;
    return code;
  }
  static int remove(sqlite3_vfs* vfs, const char* path, int sync) {
    auto* self = of(vfs);
    if (const int code = self->strike(SQLITE_IOERR_DELETE); code != SQLITE_OK) return code;
    return self->real_->xDelete(self->real_, path, sync);
  }

  static int close(sqlite3_file* f) { return real(f)->pMethods->xClose(real(f)); }
  static int read(sqlite3_file* f, void* to, int size, sqlite3_int64 at) {
    if (const int code = of(f)->owner->strike(SQLITE_IOERR_READ); code != SQLITE_OK) return code;
    return real(f)->pMethods->xRead(real(f), to, size, at);
  }
  static int write(sqlite3_file* f, const void* from, int size, sqlite3_int64 at) {
    ++of(f)->owner->writes_;
    if (const int code = of(f)->owner->strike(SQLITE_IOERR_WRITE, true); code != SQLITE_OK) {
      // A write that fails may have come half-way.
      real(f)->pMethods->xWrite(real(f), from, size / 2, at);
      return code;
    }
    return real(f)->pMethods->xWrite(real(f), from, size, at);
  }
  static int truncate(sqlite3_file* f, sqlite3_int64 size) {
    if (const int code = of(f)->owner->strike(SQLITE_IOERR_TRUNCATE); code != SQLITE_OK) return code;
    return real(f)->pMethods->xTruncate(real(f), size);
  }
  static int sync(sqlite3_file* f, int flags) {
    ++of(f)->owner->syncs_;
    if (of(f)->is_database && of(f)->owner->fail_database_sync_.exchange(false)) return SQLITE_IOERR_FSYNC;
    if (const int code = of(f)->owner->strike(SQLITE_IOERR_FSYNC); code != SQLITE_OK) return code;
    return real(f)->pMethods->xSync(real(f), flags);
  }
  static int file_size(sqlite3_file* f, sqlite3_int64* size) {
    if (const int code = of(f)->owner->strike(SQLITE_IOERR_FSTAT); code != SQLITE_OK) return code;
    return real(f)->pMethods->xFileSize(real(f), size);
  }
  static int lock(sqlite3_file* f, int level) { return real(f)->pMethods->xLock(real(f), level); }
  static int unlock(sqlite3_file* f, int level) { return real(f)->pMethods->xUnlock(real(f), level); }
  static int check_lock(sqlite3_file* f, int* out) { return real(f)->pMethods->xCheckReservedLock(real(f), out); }
  static int control(sqlite3_file* f, int op, void* arg) {
    const int number = of(f)->owner->errno_;
    if (op != SQLITE_FCNTL_LAST_ERRNO || number == 0) return real(f)->pMethods->xFileControl(real(f), op, arg);
    *static_cast<int*>(arg) = number;
    return SQLITE_OK;
  }
  static int sector_size(sqlite3_file* f) { return real(f)->pMethods->xSectorSize(real(f)); }
  static int device(sqlite3_file* f) { return real(f)->pMethods->xDeviceCharacteristics(real(f)); }
  static int shm_map(sqlite3_file* f, int page, int size, int extend, void volatile** out) {
    if (const int code = of(f)->owner->strike(SQLITE_IOERR_SHMSIZE); code != SQLITE_OK) {
      *out = nullptr;
      return code;
    }
    return real(f)->pMethods->xShmMap(real(f), page, size, extend, out);
  }
  static int shm_lock(sqlite3_file* f, int at, int n, int flags) {
    return real(f)->pMethods->xShmLock(real(f), at, n, flags);
  }
  static void shm_barrier(sqlite3_file* f) { real(f)->pMethods->xShmBarrier(real(f)); }
  static int shm_unmap(sqlite3_file* f, int remove_it) { return real(f)->pMethods->xShmUnmap(real(f), remove_it); }

  // Version 2: with shared memory, which the write-ahead log needs, without memory-mapped reads.
  static constexpr sqlite3_io_methods kMethods = {
      2,       close,       read,   write,   truncate, sync,        file_size, lock,    unlock, check_lock,
      control, sector_size, device, shm_map, shm_lock, shm_barrier, shm_unmap, nullptr, nullptr};

  const std::string name_;
  const Fault fault_;
  sqlite3_vfs* const real_;
  sqlite3_vfs vfs_{};
  std::atomic<long> left_{std::numeric_limits<long>::max()};
  std::atomic<bool> struck_{false};
  std::atomic<int> errno_{0};
  std::atomic<bool> fail_database_sync_{false};
  std::atomic<long> writes_{0};
  std::atomic<long> syncs_{0};
};

}  // namespace chandler::storage
