/* For tests, by LD_PRELOAD: system calls on files whose path ends as told fail with a chosen errno, as a disk that is
 * breaking makes them. $DISK_FAULT names a file; as long as it holds "CALL ERRNO ENDING" (sync 5 /chandler.db-wal),
 * such calls fail. CALL is sync or write; a write that fails writes half of its bytes first. Linux only. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The errno that the call must fail with; 0: none. By plain system calls, so that nothing here calls itself. */
static int fault(const char *call, int fd) {
  const char *plan = getenv("DISK_FAULT");
  if (plan == NULL) return 0;
  int file = (int)syscall(SYS_openat, AT_FDCWD, plan, O_RDONLY | O_CLOEXEC, 0);
  if (file < 0) return 0;
  char text[512];
  long size = syscall(SYS_read, file, text, sizeof text - 1);
  syscall(SYS_close, file);
  if (size <= 0) return 0;
  text[size] = 0;
  char wanted[16], ending[256], link[64], path[4096];
  int number;
  if (sscanf(text, "%15s %d %255s", wanted, &number, ending) != 3 || strcmp(wanted, call) != 0) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  long length = readlink(link, path, sizeof path - 1);
  if (length < (long)strlen(ending)) return 0;
  path[length] = 0;
  return strcmp(path + length - strlen(ending), ending) == 0 ? number : 0;
}

static int failing(int number) {
  errno = number;
  return -1;
}

int fsync(int fd) {
  int number = fault("sync", fd);
  return number != 0 ? failing(number) : (int)syscall(SYS_fsync, fd);
}

int fdatasync(int fd) {
  int number = fault("sync", fd);
  return number != 0 ? failing(number) : (int)syscall(SYS_fdatasync, fd);
}

ssize_t write(int fd, const void *from, size_t size) {
  int number = fault("write", fd);
  if (number == 0) return syscall(SYS_write, fd, from, size);
  syscall(SYS_write, fd, from, size / 2);
  return failing(number);
}

ssize_t pwrite64(int fd, const void *from, size_t size, off64_t at) {
  int number = fault("write", fd);
  if (number == 0) return syscall(SYS_pwrite64, fd, from, size, at);
  syscall(SYS_pwrite64, fd, from, size / 2, at);
  return failing(number);
}

ssize_t pwrite(int fd, const void *from, size_t size, off_t at) { return pwrite64(fd, from, size, at); }
