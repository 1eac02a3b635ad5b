package io.leasehold.cli;

import io.leasehold.Leasehold;
import io.leasehold.LockClient;
import io.leasehold.LockClientBuilder;
import io.leasehold.StoreException;
import io.leasehold.Trait;
import io.leasehold.event.LockListener;
import io.leasehold.spi.StoreUrl;
import java.io.File;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * Which store the command works on: {@code --store}, else {@code LEASEHOLD_STORE}, else a file of
 * this user's.
 */
final class StoreChoice {
  /** On a machine that is very busy, commands that write to one file wait long for each other. */
  private static final Duration LONGEST_REQUEST = Duration.ofSeconds(10);

  /**
   * How much longer a command takes where the store has gone away: it then goes on withdrawing what
   * it asked for.
   */
  private static final Duration LONGEST_CLOSE = Duration.ofSeconds(2);

  private final Arguments arguments;
  private final Map<String, String> environment;

  StoreChoice(Arguments arguments, Map<String, String> environment) {
    this.arguments = arguments;
    this.environment = environment;
  }

  /** Opens it. */
  LockClient open(LockListener listener) {
    LockClientBuilder builder = builder().listener(listener);
    arguments
        .value(Option.ACCEPT)
        .ifPresent(
            weakness -> {
              if (!weakness.equals("unfenced")) {
                throw new UsageException("--accept takes only unfenced");
              }
              builder.accept(Trait.UNFENCED);
            });
    return builder.build();
  }

  /** Opens it to look at it, and not to rely on it. */
  LockClient openWhateverItLacks() {
    return builder().accept(Trait.UNFENCED).build();
  }

  /** Its URL, without what must not be shown. */
  String shown() {
    return StoreUrl.parse(url()).toString();
  }

  /** What creates its tables, where it has any; it is not opened. */
  Optional<String> ddl() {
    return Leasehold.ddl(url());
  }

  private LockClientBuilder builder() {
    if (given().isEmpty() && !Files.exists(ownFile())) {
      make(ownDirectory(), ownFile());
    }
    return Leasehold.builder(url()).requestTimeout(LONGEST_REQUEST).closeTimeout(LONGEST_CLOSE);
  }

  private String url() {
    // In a path of a store URL, these two would mean something
    return given()
        .orElseGet(() -> "file:" + ownFile().toString().replace("%", "%25").replace("?", "%3F"));
  }

  private Optional<String> given() {
    return arguments.value(Option.STORE).or(() -> variable("LEASEHOLD_STORE"));
  }

  private Optional<String> variable(String name) {
    return Optional.ofNullable(environment.get(name)).filter(value -> !value.isEmpty());
  }

  /** The file that is the store when none is named. */
  private Path ownFile() {
    return ownDirectory().resolve("locks.db");
  }

  private Path ownDirectory() {
    Path state =
        variable("XDG_STATE_HOME")
            .filter(path -> path.startsWith("/")) // the XDG specification: ignore a relative one
            .map(Path::of)
            .orElseGet(() -> home().resolve(".local").resolve("state"));
    return state.resolve("leasehold");
  }

  private Path home() {
    return Path.of(variable("HOME").orElse(System.getProperty("user.home", ".")));
  }

  /** Makes a file that only this user may read. */
  private static void make(Path directory, Path file) {
    try {
      Files.createDirectories(directory, owner("rwx------"));
      Files.createFile(file, owner("rw-------"));
    } catch (FileAlreadyExistsException e) {
      // Another process was faster
    } catch (IOException e) {
      throw new StoreException(
          StoreException.Failure.UNAVAILABLE,
          "cannot make the default store "
              + file
              + " ("
              + e.getClass().getSimpleName()
              + "); name another with --store or LEASEHOLD_STORE",
          e);
    }
  }

  private static FileAttribute<?>[] owner(String permissions) {
    if (File.separatorChar != '/') {
      return new FileAttribute<?>[0];
    }
    return new FileAttribute<?>[] {
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
    };
  }
}
