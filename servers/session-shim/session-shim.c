/*
 * Keeps all processes of a server in the session of the first: LD_PRELOAD=session-shim.so. Each that asks for a session of its own
 * has a process group of its own, by which others send it signals.
 */
#include <unistd.h>

pid_t setsid(void) {
  return setpgid(0, 0) == 0 ? getpid() : -1;
}
