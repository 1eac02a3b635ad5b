/*
 * Lets a test step the wall clock of one server while it runs: LD_PRELOAD=clock-shim.so CLOCK_SHIM=file. The file, of 8 bytes
 * or more, holds the nanoseconds by which the wall clock is ahead; whoever maps it may change them at any time. The monotonic
 * clock is left alone, as an administrator or NTP leaves it.
 *
 * It calls the kernel, not the C library, so that it works in a program that brings a library of its own.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000LL

static volatile int64_t *ahead;

__attribute__((constructor)) static void init(void) {
  const char *path = getenv("CLOCK_SHIM");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *mapped = mmap(0, sizeof *ahead, PROT_READ, MAP_SHARED, file, 0);
  if (mapped != MAP_FAILED) ahead = mapped;
  close(file);
}

int clock_gettime(clockid_t clock, struct timespec *t) {
  long result = syscall(SYS_clock_gettime, clock, t);
  if (result == 0 && ahead && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
    int64_t nanos = (int64_t)t->tv_sec * SECOND + t->tv_nsec + *ahead;
    t->tv_sec = nanos / SECOND;
    t->tv_nsec = nanos % SECOND;
  }
  return result;
}

int gettimeofday(struct timeval *restrict v, void *restrict zone) {
  struct timespec t;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &t);
  v->tv_sec = t.tv_sec;
  v->tv_usec = t.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *result) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  if (result) *result = t.tv_sec;
  return t.tv_sec;
}
