/*
 * Lets a test fill the disk of one server while it runs: LD_PRELOAD=disk-shim.so DISK_SHIM=file. As long as the file, of 8 bytes
 * or more, does not hold zero, no file of the server grows: who wants that is told ENOSPC. What is there can be written.
 *
 * It calls the kernel, not the C library, so that it works in a program that brings a library of its own.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static volatile int64_t *full;

__attribute__((constructor)) static void init(void) {
  const char *path = getenv("DISK_SHIM");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *mapped = mmap(0, sizeof *full, PROT_READ, MAP_SHARED, file, 0);
  if (mapped != MAP_FAILED) full = mapped;
  close(file);
}

/* Whether a file would have to grow to this size, and may not. */
static int refused(int file, off_t size) {
  struct stat s;
  return full && *full && syscall(SYS_fstat, file, &s) == 0 && S_ISREG(s.st_mode) && size > s.st_size;
}

static ssize_t no_space(void) {
  errno = ENOSPC;
  return -1;
}

static off_t total(const struct iovec *parts, int count) {
  off_t sum = 0;
  for (int i = 0; i < count; i++) sum += parts[i].iov_len;
  return sum;
}

static off_t position(int file) {
  struct stat s;
  long flags = syscall(SYS_fcntl, file, F_GETFL);
  if (flags >= 0 && (flags & O_APPEND) && syscall(SYS_fstat, file, &s) == 0) return s.st_size;
  return syscall(SYS_lseek, file, 0, SEEK_CUR);
}

ssize_t write(int file, const void *bytes, size_t length) {
  if (full && *full && refused(file, position(file) + length)) return no_space();
  return syscall(SYS_write, file, bytes, length);
}

ssize_t pwrite64(int file, const void *bytes, size_t length, off_t at) {
  if (refused(file, at + length)) return no_space();
  return syscall(SYS_pwrite64, file, bytes, length, at);
}

ssize_t pwrite(int file, const void *bytes, size_t length, off_t at) {
  return pwrite64(file, bytes, length, at);
}

ssize_t pwritev64(int file, const struct iovec *parts, int count, off_t at) {
  if (refused(file, at + total(parts, count))) return no_space();
  return syscall(SYS_pwritev, file, parts, count, at, 0L);
}

ssize_t pwritev(int file, const struct iovec *parts, int count, off_t at) {
  return pwritev64(file, parts, count, at);
}

int fallocate64(int file, int mode, off_t at, off_t length) {
  if (refused(file, at + length)) return no_space();
  return syscall(SYS_fallocate, file, mode, at, length);
}

int fallocate(int file, int mode, off_t at, off_t length) { return fallocate64(file, mode, at, length); }

int posix_fallocate64(int file, off_t at, off_t length) {
  return fallocate64(file, 0, at, length) == 0 ? 0 : errno;
}

int posix_fallocate(int file, off_t at, off_t length) { return posix_fallocate64(file, at, length); }

int ftruncate64(int file, off_t size) {
  if (refused(file, size)) return no_space();
  return syscall(SYS_ftruncate, file, size);
}

int ftruncate(int file, off_t size) { return ftruncate64(file, size); }
