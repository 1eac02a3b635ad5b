package io.leasehold.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs programs that refuse to run as root, as PostgreSQL does. Where the tests are root it runs
 * them as the unprivileged user 65534, who may read and write every file: the programs and their
 * data may stand in root's home.
 */
final class Unprivileged {
  /** The kernel forgets about pdeathsig when the user changes; so it is here and not in Starter. */
  private static final List<String> AS_NOBODY =
      List.of(
          "setpriv",
          "--reuid=65534",
          "--regid=65534",
          "--clear-groups",
          "--inh-caps=+dac_override",
          "--ambient-caps=+dac_override",
          // access(2) asks for the capabilities of the real user, which this keeps
          "--securebits=+no_setuid_fixup",
          "--pdeathsig=KILL",
          "--");

  private Unprivileged() {}

  /** The command for the user who runs the tests. */
  static List<String> command(List<String> command) throws IOException {
    List<String> all = new ArrayList<>(isRoot() ? AS_NOBODY : List.of());
    all.addAll(command);
    return all;
  }

  static boolean isRoot() throws IOException {
    Path self = Path.of("/proc/self");
    return Files.exists(self) && Files.getAttribute(self, "unix:uid").equals(0);
  }
}
