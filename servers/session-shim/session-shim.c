/*
 * Keeps all processes of a server in the session of the first: LD_PRELOAD=session-shim.so.
 */
#include <unistd.h>

pid_t setsid(void) {
  return getpid();
}
