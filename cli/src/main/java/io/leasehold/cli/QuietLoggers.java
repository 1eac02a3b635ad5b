package io.leasehold.cli;

import java.text.MessageFormat;
import java.util.Locale;
import java.util.ResourceBundle;
import org.jspecify.annotations.Nullable;

/**
 * Prints the log of the library only for debugging ({@code LEASEHOLD_DEBUG=1}). The tool itself
 * prints in one line what a user must know, and the logging of the JDK would take longer to start
 * than the lock takes.
 */
public final class QuietLoggers extends System.LoggerFinder {
  private static final boolean DEBUG = "1".equals(System.getenv("LEASEHOLD_DEBUG"));

  /** For {@link java.util.ServiceLoader}. */
  public QuietLoggers() {}

  @Override
  public System.Logger getLogger(String name, Module module) {
    return new Quiet(name);
  }

  private record Quiet(String name) implements System.Logger {
    @Override
    public String getName() {
      return name;
    }

    @Override
    public boolean isLoggable(Level level) {
      return DEBUG && level.compareTo(Level.INFO) >= 0;
    }

    @Override
    public void log(
        Level level,
        @Nullable ResourceBundle bundle,
        @Nullable String message,
        @Nullable Throwable thrown) {
      if (isLoggable(level)) {
        Console console = new Console(true);
        console.say(name + ": " + message);
        if (thrown != null) {
          console.stack(thrown);
        }
      }
    }

    @Override
    public void log(
        Level level,
        @Nullable ResourceBundle bundle,
        @Nullable String format,
        @Nullable Object... parameters) {
      boolean plain = format == null || parameters == null || parameters.length == 0;
      log(
          level,
          bundle,
          plain ? format : new MessageFormat(format, Locale.ROOT).format(parameters),
          (Throwable) null);
    }
  }
}
