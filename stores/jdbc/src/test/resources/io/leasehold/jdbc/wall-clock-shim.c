/* LD_PRELOAD: adds the first 64-bit number of the file $CLOCKSHIM, in nanoseconds, to the wall clock. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t *offset;

__attribute__((constructor)) static void init(void) {
  const char *path = getenv("CLOCKSHIM");
  int fd = path ? open(path, O_RDONLY) : -1;
  void *page = fd < 0 ? MAP_FAILED : mmap(0, 4096, PROT_READ, MAP_SHARED, fd, 0);
  if (page != MAP_FAILED) offset = page;
}

int clock_gettime(clockid_t clock, struct timespec *t) {
  long failed = syscall(SYS_clock_gettime, clock, t);
  if (!failed && offset && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
    int64_t nanos = (int64_t) t->tv_sec * 1000000000LL + t->tv_nsec + *offset;
    t->tv_sec = nanos / 1000000000LL;
    t->tv_nsec = nanos % 1000000000LL;
  }
  return failed;
}

int gettimeofday(struct timeval *restrict v, void *restrict zone) {
  struct timespec t;
  (void) zone;
  clock_gettime(CLOCK_REALTIME, &t);
  v->tv_sec = t.tv_sec;
  v->tv_usec = t.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *seconds) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  if (seconds) *seconds = t.tv_sec;
  return t.tv_sec;
}
