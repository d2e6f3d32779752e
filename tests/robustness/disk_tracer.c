// Loaded into a program with LD_PRELOAD: logs what it does to the files below $DISK_TRACE_ROOT, with the data, into
// $DISK_TRACE_LOG. disk_trace.py reads the log and names the records.
//
// A change and its record are made under one lock, so their order in the log is the order in which they happened. A sync
// has two records: changes logged before the first are on disk when the second is there. Each record goes out with one
// write(2), so the length of the log is a moment in time for an observer, too.
//
// SQLite's index of its write-ahead log (-shm) is shared memory that SQLite makes again after a crash; it is left out. What
// this file does not know but would change a file is logged as unknown, and the test fails on it.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { CREATE = 1, MKDIR, WRITE, TRUNCATE, SYNC_BEGIN, SYNC_END, REMOVE, RENAME, LINK, CHMOD, UNKNOWN };

struct record {
  uint32_t size, what;
  uint64_t inode;
  int64_t number;  // offset, size, mode or number of the sync
  uint64_t nanoseconds;
  uint32_t first, second;  // lengths of what follows: path or data, second path
};

#define MAX_FD 65536
static uint64_t inode_of[MAX_FD];  // of descriptors of traced files and directories; 0: not traced
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char root[4096];
static size_t root_length;
static int log_fd = -1;
static int64_t syncs;

static void acquire(void) { pthread_mutex_lock(&lock); }
static void release(void) { pthread_mutex_unlock(&lock); }

__attribute__((constructor)) static void begin(void) {
  const char* top = getenv("DISK_TRACE_ROOT");
  const char* path = getenv("DISK_TRACE_LOG");
  if (top == NULL || path == NULL) return;
  snprintf(root, sizeof root, "%s/", top);
  root_length = strlen(root);
  const int opened = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  log_fd = (int)syscall(SYS_fcntl, opened, F_DUPFD_CLOEXEC, 1000);  // out of the way of what the program opens
  syscall(SYS_close, opened);
  if (log_fd < 0) {
    fprintf(stderr, "disk_tracer: cannot open %s\n", path);
    _exit(1);
  }
  pthread_atfork(acquire, release, release);
  unsetenv("LD_PRELOAD");  // programs that this one starts are not traced
}

static void note(uint32_t what, uint64_t inode, int64_t number, const void* first, size_t first_size, const char* second) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const size_t second_size = second == NULL ? 0 : strlen(second);
  struct record head = {(uint32_t)(sizeof head + first_size + second_size), what, inode, number,
                        (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec, (uint32_t)first_size,
                        (uint32_t)second_size};
  struct iovec parts[3] = {{&head, sizeof head}, {(void*)first, first_size}, {(void*)second, second_size}};
  const int fault = errno;
  if (syscall(SYS_writev, log_fd, parts, 3) != (long)head.size) {
    fprintf(stderr, "disk_tracer: cannot write the log\n");
    _exit(1);
  }
  errno = fault;
}

static void note_path(uint32_t what, uint64_t inode, int64_t number, const char* path, const char* second) {
  note(what, inode, number, path, strlen(path), second);
}

static int ends_with(const char* text, const char* end) {
  const size_t size = strlen(text), end_size = strlen(end);
  return size >= end_size && strcmp(text + size - end_size, end) == 0;
}

// Makes `path` absolute. True: it is below the root, and of interest.
static int resolve(int folder, const char* path, char* out) {
  if (log_fd < 0 || path == NULL) return 0;
  if (path[0] == '/') {
    snprintf(out, 4096, "%s", path);
  } else {
    char link[64];
    if (folder == AT_FDCWD) {
      snprintf(link, sizeof link, "/proc/self/cwd");
    } else {
      snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    }
    char top[2048];
    const long size = syscall(SYS_readlinkat, AT_FDCWD, link, top, sizeof top - 1);
    if (size < 0) return 0;
    top[size] = 0;
    snprintf(out, 4096, "%s/%s", top, path);
  }
  return strncmp(out, root, root_length) == 0 && !ends_with(out, "-shm");
}

static int stat_path(const char* path, struct stat* info) { return fstatat(AT_FDCWD, path, info, AT_SYMLINK_NOFOLLOW); }

static uint64_t traced(int fd) { return fd >= 0 && fd < MAX_FD ? inode_of[fd] : 0; }

// --- opening and closing ----------------------------------------------------------------------------------------------

static int open_at(int folder, const char* path, int flags, mode_t mode) {
  char full[4096];
  const int nameless = (flags & O_TMPFILE) == O_TMPFILE;
  if (!resolve(folder, path, full)) {
    // The root itself can be opened, to be synced.
    if (log_fd < 0 || path == NULL || strlen(full) != root_length - 1 || strncmp(full, root, root_length - 1) != 0) {
      return (int)syscall(SYS_openat, folder, path, flags, mode);
    }
  }
  acquire();
  struct stat info;
  const int was_there = stat_path(full, &info) == 0;
  const int fd = (int)syscall(SYS_openat, folder, path, flags, mode);
  if (fd >= 0 && fd < MAX_FD && fstat(fd, &info) == 0) {
    inode_of[fd] = info.st_ino;
    if (nameless) {
      note(CREATE, info.st_ino, info.st_mode & 07777, NULL, 0, NULL);
    } else if (!was_there) {
      note_path(CREATE, info.st_ino, info.st_mode & 07777, full, NULL);
    } else if ((flags & O_TRUNC) != 0) {
      note(TRUNCATE, info.st_ino, 0, NULL, 0, NULL);
    }
    if ((flags & O_DSYNC) != 0) note_path(UNKNOWN, 0, 0, "O_DSYNC or O_SYNC", NULL);
  }
  release();
  return fd;
}

#define MODE_OF(flags)                                          \
  mode_t mode = 0;                                              \
  if (((flags) & O_CREAT) != 0 || ((flags) & O_TMPFILE) == O_TMPFILE) { \
    va_list more;                                               \
    va_start(more, flags);                                      \
    mode = va_arg(more, mode_t);                                \
    va_end(more);                                               \
  }

int open(const char* path, int flags, ...) {
  MODE_OF(flags)
  return open_at(AT_FDCWD, path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  MODE_OF(flags)
  return open_at(AT_FDCWD, path, flags, mode);
}
int openat(int folder, const char* path, int flags, ...) {
  MODE_OF(flags)
  return open_at(folder, path, flags, mode);
}
int openat64(int folder, const char* path, int flags, ...) {
  MODE_OF(flags)
  return open_at(folder, path, flags, mode);
}
int creat(const char* path, mode_t mode) { return open_at(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }

int close(int fd) {
  if (!traced(fd)) return (int)syscall(SYS_close, fd);
  acquire();
  inode_of[fd] = 0;
  const int result = (int)syscall(SYS_close, fd);
  release();
  return result;
}

static int duplicated(int fd, int copy) {
  if (copy >= 0 && copy < MAX_FD) inode_of[copy] = traced(fd);
  return copy;
}
int dup(int fd) { return duplicated(fd, (int)syscall(SYS_dup, fd)); }
int dup2(int fd, int to) { return duplicated(fd, fd == to ? to : (int)syscall(SYS_dup3, fd, to, 0)); }
int dup3(int fd, int to, int flags) { return duplicated(fd, (int)syscall(SYS_dup3, fd, to, flags)); }

static int control(int fd, int what, long argument) {
  const int result = (int)syscall(SYS_fcntl, fd, what, argument);
  return what == F_DUPFD || what == F_DUPFD_CLOEXEC ? duplicated(fd, result) : result;
}
int fcntl(int fd, int what, ...) {
  va_list more;
  va_start(more, what);
  const long argument = va_arg(more, long);
  va_end(more);
  return control(fd, what, argument);
}
int fcntl64(int fd, int what, ...) {
  va_list more;
  va_start(more, what);
  const long argument = va_arg(more, long);
  va_end(more);
  return control(fd, what, argument);
}

// --- content ----------------------------------------------------------------------------------------------------------

ssize_t pwrite(int fd, const void* data, size_t size, off_t at) {
  if (!traced(fd)) return syscall(SYS_pwrite64, fd, data, size, at);
  acquire();
  const ssize_t done = syscall(SYS_pwrite64, fd, data, size, at);
  if (done > 0) note(WRITE, traced(fd), at, data, (size_t)done, NULL);
  release();
  return done;
}
ssize_t pwrite64(int fd, const void* data, size_t size, off64_t at) { return pwrite(fd, data, size, at); }

ssize_t write(int fd, const void* data, size_t size) {
  if (!traced(fd)) return syscall(SYS_write, fd, data, size);
  acquire();
  const ssize_t done = syscall(SYS_write, fd, data, size);
  if (done > 0) note(WRITE, traced(fd), syscall(SYS_lseek, fd, 0, SEEK_CUR) - done, data, (size_t)done, NULL);
  release();
  return done;
}

// In pieces: each is a write that may be short, like any other.
static ssize_t write_parts(int fd, const struct iovec* parts, int count, off_t at) {
  ssize_t total = 0;
  for (int i = 0; i < count; ++i) {
    const ssize_t done = at < 0 ? write(fd, parts[i].iov_base, parts[i].iov_len)
                                : pwrite(fd, parts[i].iov_base, parts[i].iov_len, at + total);
    if (done < 0) return total > 0 ? total : done;
    total += done;
    if ((size_t)done < parts[i].iov_len) break;
  }
  return total;
}
ssize_t writev(int fd, const struct iovec* parts, int count) {
  return traced(fd) ? write_parts(fd, parts, count, -1) : syscall(SYS_writev, fd, parts, count);
}
ssize_t pwritev(int fd, const struct iovec* parts, int count, off_t at) {
  return traced(fd) ? write_parts(fd, parts, count, at) : syscall(SYS_pwritev, fd, parts, count, at, 0);
}
ssize_t pwritev64(int fd, const struct iovec* parts, int count, off64_t at) { return pwritev(fd, parts, count, at); }

int ftruncate(int fd, off_t size) {
  if (!traced(fd)) return (int)syscall(SYS_ftruncate, fd, size);
  acquire();
  const int result = (int)syscall(SYS_ftruncate, fd, size);
  if (result == 0) note(TRUNCATE, traced(fd), size, NULL, 0, NULL);
  release();
  return result;
}
int ftruncate64(int fd, off64_t size) { return ftruncate(fd, size); }

// Space only: what it does to the size is done by a truncate.
int posix_fallocate(int fd, off_t at, off_t size) {
  if (!traced(fd)) return syscall(SYS_fallocate, fd, 0, at, size) == 0 ? 0 : errno;
  struct stat info;
  if (fstat(fd, &info) != 0) return errno;
  return info.st_size >= at + size || ftruncate(fd, at + size) == 0 ? 0 : errno;
}
int posix_fallocate64(int fd, off64_t at, off64_t size) { return posix_fallocate(fd, at, size); }
int fallocate(int fd, int mode, off_t at, off_t size) {
  if (traced(fd)) note_path(UNKNOWN, 0, 0, "fallocate", NULL);
  return (int)syscall(SYS_fallocate, fd, mode, at, size);
}
int fallocate64(int fd, int mode, off64_t at, off64_t size) { return fallocate(fd, mode, at, size); }

int fchmod(int fd, mode_t mode) {
  const int result = (int)syscall(SYS_fchmod, fd, mode);
  if (result == 0 && traced(fd)) note(CHMOD, traced(fd), mode, NULL, 0, NULL);
  return result;
}

void* mmap(void* wish, size_t size, int protection, int flags, int fd, off_t at) {
  if (traced(fd) && (flags & MAP_SHARED) != 0 && (protection & PROT_WRITE) != 0) note_path(UNKNOWN, 0, 0, "mmap", NULL);
  return (void*)syscall(SYS_mmap, wish, size, protection, flags, fd, at);
}
void* mmap64(void* wish, size_t size, int protection, int flags, int fd, off64_t at) {
  return mmap(wish, size, protection, flags, fd, at);
}

static int sync_file(int fd, long call) {
  const uint64_t inode = traced(fd);
  if (!inode) return (int)syscall(call, fd);
  acquire();
  const int64_t number = ++syncs;
  note(SYNC_BEGIN, inode, number, NULL, 0, NULL);
  release();
  const int result = (int)syscall(call, fd);
  if (result == 0) {
    acquire();
    note(SYNC_END, inode, number, NULL, 0, NULL);
    release();
  }
  return result;
}
int fsync(int fd) { return sync_file(fd, SYS_fsync); }
int fdatasync(int fd) { return sync_file(fd, SYS_fdatasync); }

// --- names ------------------------------------------------------------------------------------------------------------

int mkdirat(int folder, const char* path, mode_t mode) {
  char full[4096];
  if (!resolve(folder, path, full)) return (int)syscall(SYS_mkdirat, folder, path, mode);
  acquire();
  const int result = (int)syscall(SYS_mkdirat, folder, path, mode);
  struct stat info;
  if (result == 0 && stat_path(full, &info) == 0) note_path(MKDIR, info.st_ino, info.st_mode & 07777, full, NULL);
  release();
  return result;
}
int mkdir(const char* path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

int unlinkat(int folder, const char* path, int flags) {
  char full[4096];
  if (!resolve(folder, path, full)) return (int)syscall(SYS_unlinkat, folder, path, flags);
  acquire();
  const int result = (int)syscall(SYS_unlinkat, folder, path, flags);
  if (result == 0) note_path(REMOVE, 0, 0, full, NULL);
  release();
  return result;
}
int unlink(const char* path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char* path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }
int remove(const char* path) {
  if (unlink(path) == 0) return 0;
  return errno == EISDIR ? rmdir(path) : -1;
}

int renameat(int from_folder, const char* from, int to_folder, const char* to) {
  char full_from[4096], full_to[4096];
  const int from_inside = resolve(from_folder, from, full_from), to_inside = resolve(to_folder, to, full_to);
  if (!from_inside && !to_inside) return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, 0);
  acquire();
  const int result = (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, 0);
  if (result == 0 && from_inside && to_inside) note_path(RENAME, 0, 0, full_from, full_to);
  if (result == 0 && from_inside != to_inside) note_path(UNKNOWN, 0, 0, "a rename into or out of the folder", NULL);
  release();
  return result;
}
int rename(const char* from, const char* to) { return renameat(AT_FDCWD, from, AT_FDCWD, to); }

int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) {
  char full[4096];
  if (!resolve(to_folder, to, full)) return (int)syscall(SYS_linkat, from_folder, from, to_folder, to, flags);
  acquire();
  const int result = (int)syscall(SYS_linkat, from_folder, from, to_folder, to, flags);
  struct stat info;
  if (result == 0 && stat_path(full, &info) == 0) note_path(LINK, info.st_ino, 0, full, NULL);
  release();
  return result;
}
int link(const char* from, const char* to) { return linkat(AT_FDCWD, from, AT_FDCWD, to, 0); }
