package io.leasehold.cli;

import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** The environment of the command: the caller's without its secrets, and what it holds. */
final class ChildEnvironment {
  static final String NAME = "LEASEHOLD_NAME";
  static final String TOKEN = "LEASEHOLD_TOKEN";
  static final String LEASE_ID = "LEASEHOLD_LEASE_ID";

  /**
   * Under this prefix the launching script keeps what Java must not see: empty for a variable that
   * was not set, else {@code =} and its value.
   */
  private static final String ASIDE = "LEASEHOLD_CALLER_";

  /** The variables that it sets aside. */
  private static final List<String> SET_ASIDE =
      List.of(
          "LC_ALL", "_JAVA_SR_SIGNUM", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS");

  /** Which of the standard streams the launching script found closed, as in 02. */
  static final String CLOSED = ASIDE + "CLOSED";

  /** Set where {@link StoreChoice#URL} was not passed on. */
  static final String WITHHELD = "LEASEHOLD_STORE_WITHHELD";

  private static final Pattern SECRET =
      Pattern.compile("//[^@]*[:/][^@]*@|passw|pwd|secret|token", Pattern.CASE_INSENSITIVE);

  private ChildEnvironment() {}

  /** Changes a copy of this process's environment into the command's. */
  static void prepare(Map<String, String> environment, Holding holding) {
    for (String variable : SET_ASIDE) {
      String before = environment.remove(ASIDE + variable);
      if (before == null) {
        continue;
      }
      if (before.isEmpty()) {
        environment.remove(variable);
      } else {
        environment.put(variable, before.substring(1));
      }
    }
    environment.remove(CLOSED);
    environment.remove("LEASEHOLD_PASSWORD");
    if (SECRET.matcher(environment.getOrDefault(StoreChoice.URL, "")).find()) {
      environment.remove(StoreChoice.URL);
      environment.put(WITHHELD, "1");
    }
    environment.put(NAME, holding.name());
    environment.put(LEASE_ID, holding.id());
    // An outer run's token must not be taken for this one's
    environment.remove(TOKEN);
    holding.token().ifPresent(token -> environment.put(TOKEN, Long.toString(token)));
  }
}
